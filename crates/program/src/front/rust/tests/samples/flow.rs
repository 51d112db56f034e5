//! Loops, labels and early returns.

const GRID: [[i32; 3]; 2] = [[1, 2, 3], [4, 5, 6]];

fn labels(limit: i32) -> (i32, i32) {
    let mut found = (0, 0);
    'outer: for i in 1..=limit {
        for j in (1..i).rev() {
            if i % 5 == 0 {
                continue 'outer;
            }
            if j % 2 == 0 {
                continue;
            }
            if i * j == 21 {
                found = (i, j);
                break 'outer;
            }
        }
    }
    found
}

fn total() -> i32 {
    let mut sum = 0;
    for row in GRID.iter() {
        for x in row {
            sum += *x;
        }
    }
    for row in &GRID {
        sum += row[0];
    }
    sum
}

fn transpose() -> [[i32; 2]; 3] {
    let mut out = [[0; 2]; 3];
    for i in 0..2 {
        for j in 0..3 {
            out[j][i] = GRID[i][j];
        }
    }
    out
}

fn order(trace: &mut i32, digit: i32) -> i32 {
    *trace = *trace * 10 + digit;
    digit
}

fn in_order() -> i32 {
    let mut trace = 0;
    let a = [0; 4];
    let _x = order(&mut trace, 1) + a[order(&mut trace, 2) as usize].max(order(&mut trace, 3)) * order(&mut trace, 4);
    let mut b = [0; 10];
    b[order(&mut trace, 5) as usize] = order(&mut trace, 6);
    if order(&mut trace, 7) == 7 || order(&mut trace, 8) == 8 {
        order(&mut trace, 9);
    }
    trace
}

fn block_values(x: i32) -> i32 {
    let y = {
        let x = x + 1;
        x * 2
    };
    let z = loop {
        if y > 3 {
            break y - 3;
        }
        break 0;
    };
    let w = 'block: {
        if z == 0 {
            break 'block -1;
        }
        z + 1
    };
    y * 100 + z * 10 + w
}

fn deferred(flag: bool) -> u16 {
    let x;
    if flag {
        x = 5;
    } else {
        x = 7;
    }
    x
}

fn changed(mut x: i32) -> i32 {
    let before = x + {
        x += 10;
        x
    };
    before * 100 + x
}

fn inclusive(last: u8) -> u32 {
    let mut count = 0;
    for _ in 250..=last {
        count += 1;
    }
    for i in (250..=last).rev() {
        if i == 250 {
            count += 100;
        }
    }
    for i in (0..last).step_by(100) {
        count += i as u32 * 1000;
    }
    count
}

fn by_value() -> i32 {
    let mut xs = [1, 2, 3];
    let mut sum = 0;
    for x in xs {
        xs[2] = 50;
        sum += x;
    }
    for x in xs.iter_mut() {
        *x += 1;
    }
    for (i, x) in xs.iter().enumerate().rev() {
        sum = sum * 2 + *x * i as i32;
    }
    for (i, x) in xs.iter().rev().enumerate() {
        sum = sum * 2 + x * i as i32;
    }
    sum
}

fn modify(x: &mut i32, other: &i32) {
    if *x < *other {
        *x = *other;
    }
}

fn returns_reference<'a>(a: &'a [i32], from: usize) -> &'a [i32] {
    &a[from..]
}

fn unit() {}

fn early(x: i32) {
    if x > 3 {
        return;
    }
    unit();
    assert!(x < 3, "{x} is too large");
}

fn shadow(x: i32) -> i32 {
    let x = x + 1;
    let x = if x > 5 { x } else { -x };
    {
        let x = 100;
        let _ = x;
    }
    x
}

#[test]
fn flows() {
    assert_eq!(labels(100), (7, 3));
    assert_eq!(total(), 26);
    assert_eq!(transpose(), [[1, 4], [2, 5], [3, 6]]);
    assert_eq!(in_order(), 1234657 * 10 + 9);
    assert_eq!(block_values(1), 412);
    assert_eq!(block_values(0), 199);
    assert_eq!(deferred(true), 5);
    assert_eq!(changed(1), 1211);
    assert_eq!(inclusive(255), 6 + 100 + 300_000);
    assert_eq!(by_value(), 3706);
    let mut x = 3;
    modify(&mut x, &4);
    assert_eq!(x, 4);
    assert_eq!(returns_reference(&[1, 2, 3], 1), &[2, 3]);
    assert_eq!(returns_reference(&[1, 2, 3], 1).len(), 2);
    assert!(returns_reference(&[1, 2, 3], 3).is_empty());
    early(4);
    early(2);
    assert_eq!(shadow(5), 6);
    assert_eq!(shadow(1), -2);
    let mut a = 1;
    let mut b = 2;
    std::mem::swap(&mut a, &mut b);
    assert_eq!((a, b), (2, 1));
    (a, b) = (b, a);
    assert_eq!((a, b), (1, 2));
}

#[test]
fn fails_early() {
    early(3);
}

#[test]
fn fails_unreachable() {
    let x = deferred(false);
    match x {
        5 => {}
        _ => unreachable!("{}", x),
    }
}

#[test]
fn fails_in_a_loop() {
    loop {
        if deferred(true) == 5 {
            panic!("no");
        }
    }
}

#[test]
#[ignore]
fn ignored() {
    assert!(true);
}
