//! Structures and enumerations.

use self::Side::*;

const CAPACITY: usize = 2 * HALF;
const HALF: usize = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    Left,
    Right,
}

#[derive(Clone, Debug, PartialEq)]
struct Stack {
    items: [i32; CAPACITY],
    len: usize,
}

#[derive(Clone, Copy, PartialEq, Debug)]
struct Pair(i32, i32);

struct Unit;

impl Stack {
    fn new() -> Self {
        Self { items: [0; CAPACITY], len: 0 }
    }

    fn push(&mut self, item: i32) -> bool {
        if self.len == CAPACITY {
            return false;
        }
        self.items[self.len] = item;
        self.len += 1;
        true
    }

    fn pop(&mut self) -> Option<i32> {
        if self.len == 0 {
            None
        } else {
            self.len -= 1;
            Some(self.items[self.len])
        }
    }

    fn top(&self) -> Option<&i32> {
        self.items[..self.len].last()
    }

    fn pushed(mut self, item: i32) -> Self {
        self.push(item);
        self
    }

    fn items(&self) -> &[i32] {
        &self.items[..self.len]
    }
}

impl Pair {
    fn swap(self) -> Pair {
        let Pair(a, b) = self;
        Pair(b, a)
    }

    fn add(&mut self, other: &Pair) -> &mut Pair {
        self.0 += other.0;
        self.1 += other.1;
        self
    }
}

impl Unit {
    fn one(&self) -> i32 {
        1
    }
}

fn side(x: i32) -> Side {
    if x < 0 { Left } else { Right }
}

fn weigh(side: Side) -> i32 {
    match side {
        Left => -1,
        Right => 1,
    }
}

fn area(Pair(w, h): Pair) -> i32 {
    w * h
}

fn recursive(n: u32) -> Pair {
    if n == 0 {
        return Pair(0, 1);
    }
    let Pair(a, b) = recursive(n - 1);
    Pair(b, a + b)
}

fn by_value(mut stack: Stack) -> usize {
    stack.pop();
    stack.len
}

#[test]
fn stacks() {
    let mut stack = Stack::new();
    assert_eq!(stack.pop(), None);
    for i in 0..5 {
        assert_eq!(stack.push(i * i), i < 4);
    }
    assert_eq!(stack.top(), Some(&9));
    assert_eq!(by_value(stack.clone()), 3);
    assert_eq!(stack.pop(), Some(9));
    assert_eq!(stack.items(), [0, 1, 4]);
    assert_eq!(stack.len, 3);
    let other = stack.clone().pushed(7);
    assert_ne!(other, stack);
    assert_eq!(other.items[3], 7);
    stack.items = [7; CAPACITY];
    assert_eq!(stack.items(), &[7, 7, 7]);
    let Stack { items, len: count } = &stack;
    assert_eq!(items[0] + *count as i32, 10);
}

#[test]
fn pairs() {
    let mut pair = Pair(1, 2);
    pair = Pair(pair.1, pair.0);
    assert_eq!(pair, Pair(2, 1));
    assert_eq!(pair.swap(), Pair(1, 2));
    pair.add(&Pair(10, 20)).add(&Pair(100, 200));
    assert_eq!(pair, Pair(112, 221));
    assert_eq!(area(Pair(3, 4)), 12);
    assert_eq!(recursive(10), Pair(55, 89));
    assert_eq!(Unit.one(), 1);
    let pairs = [Pair(1, 2), Pair(3, 4)];
    let mut sum = 0;
    for Pair(a, b) in pairs.iter() {
        sum += a * b;
    }
    assert_eq!(sum, 14);
    let mut grid = [[Pair(0, 0); 2]; 2];
    grid[1][0].1 = 5;
    assert_eq!(grid[1][0], Pair(0, 5));
    assert_eq!(grid[0], [Pair(0, 0), Pair(0, 0)]);
}

#[test]
fn sides() {
    assert_eq!(side(-3), Left);
    assert_eq!(weigh(side(3)), 1);
    assert!(side(-1) < Side::Right);
    assert_eq!(weigh(Left) + weigh(Right), 0);
}

#[test]
fn fails_to_be_the_same() {
    let stack = Stack::new();
    let other = stack.clone().pushed(0);
    assert_eq!(stack, other);
}
