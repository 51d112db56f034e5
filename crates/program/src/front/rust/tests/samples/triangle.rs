//! Kinds of triangles.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Invalid,
    Scalene,
    Isosceles,
    Equilateral = 10,
}

pub fn kind(a: i32, b: i32, c: i32) -> Kind {
    if a <= 0 || b <= 0 || c <= 0 {
        return Kind::Invalid;
    }
    if a + b <= c || a + c <= b || b + c <= a {
        Kind::Invalid
    } else if a == b && b == c {
        Kind::Equilateral
    } else if a == b || b == c || a == c {
        Kind::Isosceles
    } else {
        Kind::Scalene
    }
}

fn sides(kind: Kind) -> u8 {
    match kind {
        Kind::Invalid => 0,
        Kind::Scalene => 3,
        Kind::Isosceles => 2,
        Kind::Equilateral => 1,
    }
}

impl Kind {
    const FIRST: Kind = Kind::Invalid;

    fn is_valid(self) -> bool {
        self != Self::FIRST
    }

    fn number(&self) -> i32 {
        *self as i32
    }
}

#[test]
fn kinds() {
    assert_eq!(kind(3, 3, 3), Kind::Equilateral);
    assert_eq!(kind(3, 4, 5), Kind::Scalene);
    assert_eq!(kind(3, 3, 5), Kind::Isosceles);
    assert_eq!(kind(1, 1, 5), Kind::Invalid);
    assert_eq!(sides(kind(3, 4, 4)), 2);
    assert!(!kind(0, 1, 1).is_valid());
    assert!(kind(1, 1, 1).is_valid());
    assert_eq!(Kind::Isosceles.number(), 2);
    assert_eq!(Kind::Equilateral.number(), 10);
    assert!(matches!(kind(2, 2, 3), Kind::Isosceles | Kind::Scalene));
}

#[test]
fn fails_to_be_scalene() {
    assert_eq!(kind(3, 3, 5), Kind::Scalene);
}
