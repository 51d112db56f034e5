//! The greatest common divisor.

pub fn gcd(mut a: u32, mut b: u32) -> u32 {
    while b != 0 {
        let rest = a % b;
        a = b;
        b = rest;
    }
    a
}

fn lcm(a: u32, b: u32) -> u32 {
    if a == 0 || b == 0 { 0 } else { a / gcd(a, b) * b }
}

fn recursive(a: i64, b: i64) -> i64 {
    if b == 0 {
        return a.abs();
    }
    recursive(b, a % b)
}

fn factorial(n: u8) -> u8 {
    match n {
        0 | 1 => 1,
        n => n * factorial(n - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn works() {
        assert_eq!(gcd(12, 18), 6);
        assert_eq!(gcd(7, 0), 7);
        assert_eq!(lcm(4, 6), 12);
        assert_eq!(lcm(0, 6), 0);
        assert_eq!(recursive(-12, 18), 6);
        assert_eq!(factorial(5), 120);
    }

    #[test]
    fn fails_to_be_five() {
        assert_eq!(gcd(12, 18), 5, "of {} and {}", 12, 18);
    }

    #[test]
    fn fails_by_overflow() {
        factorial(6);
    }
}
