//! Corners of the language.

#[derive(Clone, Copy, PartialEq, Debug)]
struct Point {
    x: i32,
    y: i32,
}

#[derive(Clone, PartialEq, Debug)]
struct Board {
    cells: [[u8; 3]; 3],
    points: [Point; 2],
    best: Option<(usize, Point)>,
}

impl Point {
    const ORIGIN: Point = Point { x: 0, y: -1 };

    const fn moved(self, by: i32) -> Self {
        Point { x: self.x + by, ..self }
    }

    fn bump(&mut self) -> i32 {
        self.x += 1;
        self.x
    }
}

impl Board {
    fn cell(&mut self, row: usize) -> &mut u8 {
        &mut self.cells[row][row]
    }

    fn set(&mut self, at: usize) {
        self.best = match self.best {
            None => Some((at, Point::ORIGIN)),
            Some((old, point)) => Some((old + at, point.moved(at as i32))),
        };
    }
}

fn next(counter: &mut i32) -> Option<i32> {
    *counter += 1;
    if *counter > 7 { None } else { Some(*counter) }
}

fn condition_leaves(counter: &mut i32, limit: i32) -> Option<i32> {
    let mut sum = 0;
    while next(counter)? < limit {
        sum += 1;
    }
    if sum > 1 && next(counter)? > 3 || sum == 0 {
        sum += 100;
    }
    Some(sum)
}

fn shrink(mut xs: &[i32]) -> i32 {
    let mut sum = 0;
    while !xs.is_empty() {
        sum = sum * 10 + xs[0] + xs.len() as i32;
        xs = &xs[1..];
    }
    sum
}

fn wide(x: u64) -> u64 {
    x + (1 << 40)
}

fn inferred() -> u64 {
    let mut count = 0;
    let mut best = None;
    let limits = [3, 5, 8];
    let (mut low, high) = (0, 10);
    for limit in limits {
        if limit > 4 {
            count += limit;
            best = Some(low);
        }
        low += 1;
    }
    let spare = if high > 5 { 1 } else { 0 };
    wide(count) - wide(0) + index(best.unwrap()) + spare + 0 * low as u64
}

fn index(at: usize) -> u64 {
    [10, 20, 30][at]
}

fn nested(x: i32) -> Option<Option<i32>> {
    match x {
        0 => None,
        1 => Some(None),
        _ => Some(Some(x)),
    }
}

fn pair(x: i32) -> Option<[i32; 2]> {
    if x > 0 { Some([x, -x]) } else { None }
}

fn broken(limit: i32) -> i32 {
    let mut i = 0;
    let found = loop {
        i += 3;
        if i > limit {
            break if i % 2 == 0 { i } else { -i };
        }
    };
    let other = {
        if found < 0 {
            return found * 2;
        }
        found + 1
    };
    other
}

fn fill(xs: &mut [i32], with: i32) {
    for x in xs.iter_mut() {
        *x = with;
    }
    xs[0] += 1;
}

fn through(x: &mut i32) {
    let y = &mut *x;
    *y += 1;
    add(y, 5);
}

fn add(x: &mut i32, by: i32) {
    *x += by;
}

fn order_of_operands(mut x: i32) -> i32 {
    let mut p = Point { x, y: 0 };
    let sum = p.x + p.bump() * 10 + p.x * 100;
    let array = [x, { x += 1; x }, x];
    let pair = (x, { x += 1; x }, x);
    x -= { x += 1; 2 };
    sum * 1000 + array[0] * 100 + array[1] * 10 + array[2] + pair.0 + pair.1 + pair.2 + x
}

fn local_items(x: u32) -> u32 {
    const STEP: u32 = 3;
    fn double(x: u32) -> u32 {
        x * 2
    }
    if x > STEP {
        const INNER: u32 = 7;
        return double(x) + INNER;
    }
    x
}

fn halves(mut xs: [i32; 4], depth: u8) -> [i32; 4] {
    if depth == 0 {
        return xs;
    }
    xs[depth as usize - 1] /= 2;
    let below = halves(xs, depth - 1);
    xs[0] = 99;
    below
}

fn references(xs: &[Point]) -> i32 {
    let mut sum = 0;
    for (i, &Point { x, y }) in xs.iter().enumerate() {
        sum += x * y * (i as i32 + 1);
    }
    for Point { x, .. } in xs {
        sum += *x;
    }
    let first = &xs[0];
    let again = &first;
    sum + again.x + first.y
}

fn modify(slot: &mut Option<Point>) -> bool {
    if let Some(point) = slot {
        point.x += 1;
    }
    if let Some(Point { y, .. }) = slot.as_mut() {
        *y *= 2;
    }
    match slot {
        Some(p) if p.x > 5 => {
            *slot = None;
            true
        }
        Some(_) => false,
        None => false,
    }
}

fn continued(limit: i32) -> i32 {
    let mut counter = 0;
    let mut sum = 0;
    'next: while let Some(x) = next(&mut counter)
        && x < limit
    {
        for i in 0..x {
            if i * i == x {
                continue 'next;
            }
            if i > 4 {
                break 'next;
            }
        }
        sum += x;
    }
    sum
}

fn reference_tuple(pairs: &[(i32, bool)]) -> i32 {
    let mut sum = 0;
    for (n, flag) in pairs {
        if *flag {
            sum += n;
        }
    }
    sum
}

#[test]
fn corners() {
    assert_eq!(condition_leaves(&mut 0, 3), Some(102));
    assert_eq!(condition_leaves(&mut 0, 2), Some(1));
    assert_eq!(condition_leaves(&mut 0, 1), Some(100));
    assert_eq!(condition_leaves(&mut 0, 9), None);
    assert_eq!(condition_leaves(&mut 0, 7), None);
    assert_eq!(shrink(&[1, 2, 3]), 444);
    assert_eq!(inferred(), 13 + 30 + 1);
    assert_eq!(nested(0), None);
    assert_eq!(nested(1), Some(None));
    assert_eq!(nested(2), Some(Some(2)));
    assert_ne!(nested(2), Some(Some(3)));
    assert_eq!(pair(3), Some([3, -3]));
    assert_eq!(pair(3).unwrap()[1], -3);
    assert_eq!(broken(4), 7);
    assert_eq!(broken(7), -18);
    let mut xs = [0; 6];
    fill(&mut xs[2..=4], 7);
    assert_eq!(xs, [0, 0, 8, 7, 7, 0]);
    let mut x = 1;
    through(&mut x);
    assert_eq!(x, 7);
    assert_eq!(local_items(5), 17);
    assert_eq!(local_items(2), 2);
    assert_eq!(halves([8, 8, 8, 8], 3), [4, 4, 4, 8]);
    assert_eq!(references(&[Point { x: 2, y: 3 }, Point { x: 1, y: 1 }]), 6 + 2 + 3 + 2 + 3);
    assert_eq!(reference_tuple(&[(1, true), (2, false), (4, true)]), 5);
    assert_eq!(continued(6), 1 + 2 + 3 + 5);
    assert_eq!(continued(9), 1 + 2 + 3 + 5);
    let big = [1; 100];
    let mut other = [1; 100];
    assert_eq!(big, other);
    other[99] = 2;
    assert!(big != other);
    assert_eq!(big[..99], other[..99]);
}

#[test]
fn orders() {
    assert_eq!(order_of_operands(1), 221_000 + 100 + 22 + 8 + 2);
}

#[test]
fn boards() {
    let mut board = Board {
        cells: [[0; 3]; 3],
        points: [Point::ORIGIN; 2],
        best: None,
    };
    *board.cell(1) += 5;
    board.set(3);
    assert_eq!(board.best, Some((3, Point { x: 0, y: -1 })));
    board.set(4);
    assert_eq!(board.best, Some((7, Point { x: 4, y: -1 })));
    assert_eq!(board.cells, [[0, 0, 0], [0, 5, 0], [0, 0, 0]]);
    let copy = board.clone();
    assert_eq!(board.points[1].bump() + board.points[1].bump(), 3);
    assert!(board != copy);
    board.points[1] = copy.points[0];
    assert!(board == copy);
    let mut slot = Some(Point { x: 4, y: 3 });
    assert!(!modify(&mut slot));
    assert_eq!(slot, Some(Point { x: 5, y: 6 }));
    assert!(modify(&mut slot));
    assert!(!modify(&mut slot) && slot.is_none());
}

#[test]
fn fails_on_the_diagonal() {
    let mut board = Board {
        cells: [[0; 3]; 3],
        points: [Point::ORIGIN; 2],
        best: None,
    };
    *board.cell(3) += 5;
}

#[test]
fn fails_in_a_sub_slice() {
    let mut xs = [0; 4];
    fill(&mut xs[4..], 1);
}
