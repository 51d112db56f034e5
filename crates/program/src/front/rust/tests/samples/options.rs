//! Options of scalars.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Point {
    x: i32,
    y: i32,
}

fn half(x: i32) -> Option<i32> {
    if x % 2 == 0 { Some(x / 2) } else { None }
}

fn quarter(x: i32) -> Option<i32> {
    half(half(x)?)
}

fn eighth_or_zero(x: i32) -> i32 {
    let Some(quarter) = quarter(x) else {
        return 0;
    };
    half(quarter).unwrap_or(0)
}

fn first_even(xs: &[i32]) -> Option<usize> {
    for (i, x) in xs.iter().enumerate() {
        if x % 2 == 0 {
            return Some(i);
        }
    }
    None
}

fn halvings(mut x: i32) -> u32 {
    let mut count = 0;
    while let Some(y) = half(x) {
        if y == 0 {
            break;
        }
        x = y;
        count += 1;
    }
    count
}

fn sum_checked(xs: &[u8]) -> Option<u8> {
    let mut sum = 0u8;
    for x in xs.iter() {
        sum = sum.checked_add(*x)?;
    }
    Some(sum)
}

fn corner(x: i32, y: i32) -> Option<Point> {
    if x > 0 && y > 0 {
        return Some(Point { x, y });
    }
    None
}

fn swapped((a, b): (i32, bool)) -> (bool, i32) {
    (b, a)
}


fn either(a: Option<i32>, b: Option<i32>) -> i32 {
    match (a, b) {
        (Some(x), Some(y)) if x > y => x - y,
        (Some(x), Some(y)) => x + y,
        (Some(z), None) => z,
        (None, Some(z)) => -z,
        (None, None) => -1,
    }
}

fn both(a: Option<i32>, b: Option<i32>) -> bool {
    if let Some(x) = a
        && let Some(y) = b
        && x < y
    {
        true
    } else {
        false
    }
}

fn get(xs: &[i32], at: usize) -> i32 {
    match xs.get(at) {
        Some(x) => *x,
        None => -1,
    }
}

fn take(slot: &mut Option<i32>) -> Option<i32> {
    let old = slot.take();
    if let Some(x) = old {
        if x > 3 {
            *slot = Some(x - 1);
        }
    }
    old
}

#[test]
fn divides() {
    assert_eq!(half(8), Some(4));
    assert_eq!(quarter(8), Some(2));
    assert_eq!(quarter(6), None);
    assert_eq!(eighth_or_zero(16), 2);
    assert_eq!(eighth_or_zero(4), 0);
    assert_eq!(eighth_or_zero(2), 0);
    assert_eq!(halvings(12), 2);
    assert!(half(3).is_none() && half(4).is_some());
    assert_eq!(half(10).unwrap(), 5);
}

#[test]
fn finds() {
    assert_eq!(first_even(&[1, 3, 6, 8]), Some(2));
    assert_eq!(first_even(&[1, 3]), None);
    assert_eq!(sum_checked(&[100, 100, 55]), Some(255));
    assert_eq!(sum_checked(&[100, 100, 56]), None);
    assert_eq!(corner(1, 2), Some(Point { x: 1, y: 2 }));
    assert_eq!(corner(1, 2).unwrap().y, 2);
    assert_eq!(corner(1, -2), None);
    assert_eq!(swapped((3, true)), (true, 3));
    assert_eq!(either(Some(5), Some(2)), 3);
    assert_eq!(either(Some(1), Some(2)), 3);
    assert_eq!(either(Some(1), None), 1);
    assert_eq!(either(None, Some(1)), -1);
    assert_eq!(either(None, None), -1);
    assert!(both(Some(1), Some(2)));
    assert!(!both(Some(1), None));
    assert!(!both(Some(3), Some(2)));
    assert_eq!(get(&[4, 5], 1), 5);
    assert_eq!(get(&[4, 5], 2), -1);
    assert_eq!([4, 5].last().copied(), Some(5));
    assert_eq!([4, 5].first(), Some(&4));
    let mut slot = Some(4);
    assert_eq!(take(&mut slot), Some(4));
    assert_eq!(slot, Some(3));
    assert_eq!(take(&mut slot), Some(3));
    assert_eq!(take(&mut slot), None);
    assert!([1, 2, 3].contains(&2));
    assert!(![1, 2, 3].contains(&5));
}

#[test]
fn fails_to_unwrap() {
    half(3).unwrap();
}

#[test]
fn fails_as_expected() {
    let x: i32 = half(3).expect("an even number");
    assert_eq!(x, x);
}

#[test]
fn fails_to_be_equal() {
    assert_ne!(half(3), None);
}
