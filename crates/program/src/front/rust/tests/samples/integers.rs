//! Operations on integers.

fn shapes(x: i32) -> i32 {
    match x {
        i32::MIN..=-1 => -1,
        0 => 0,
        1..=9 => 1,
        n @ 10..=99 => n / 10,
        _ => 100,
    }
}

fn letter(c: char) -> u32 {
    match c {
        'a'..='z' => c as u32 - 'a' as u32,
        'A'..='Z' => c as u32 - 'A' as u32 + 26,
        '0'..='9' => c.to_digit(10).unwrap() + 52,
        _ if c.is_ascii_whitespace() => 62,
        _ => 63,
    }
}

fn digits(text: &[u8]) -> Option<u32> {
    let mut value: u32 = 0;
    if text.is_empty() {
        return None;
    }
    for &byte in text {
        if !byte.is_ascii_digit() {
            return None;
        }
        value = value.checked_mul(10)?.checked_add((byte - b'0') as u32)?;
    }
    Some(value)
}

fn crc(bytes: &[u8]) -> u8 {
    let mut crc = 0u8;
    for byte in bytes {
        crc ^= byte;
        for _ in 0..8 {
            crc = if crc & 0x80 != 0 { (crc << 1) ^ 0x07 } else { crc << 1 };
        }
    }
    crc
}

fn collatz(mut n: u64) -> u32 {
    let mut steps = 0;
    loop {
        if n == 1 {
            return steps;
        }
        n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
        steps += 1;
    }
}

fn power(base: i64, exponent: u32) -> i64 {
    base.pow(exponent)
}

const BASE: i32 = -5;

#[test]
fn wraps() {
    assert_eq!(200u8.wrapping_add(100), 44);
    assert_eq!(i32::MIN.wrapping_sub(1), i32::MAX);
    assert_eq!(100i8.wrapping_mul(3), 44);
    assert_eq!(i8::MIN.wrapping_neg(), -128);
    assert_eq!(i32::MIN.wrapping_div(-1), i32::MIN);
    assert_eq!(i64::MAX.checked_mul(2), None);
    assert_eq!(i64::MIN.checked_mul(-1), None);
    assert_eq!((-1i64).checked_mul(i64::MIN), None);
    assert_eq!((-4i64).checked_mul(5), Some(-20));
    assert_eq!(0u64.checked_mul(5), Some(0));
    assert_eq!(u64::MAX.checked_mul(1), Some(u64::MAX));
    assert_eq!((1u64 << 32).checked_mul(1 << 32), None);
    assert_eq!(i32::MAX.checked_add(1), None);
    assert_eq!(i32::MIN.checked_sub(1), None);
    assert_eq!(5u32.checked_sub(6), None);
    assert_eq!(5u32.checked_sub(5), Some(0));
    assert_eq!(u8::MAX.checked_add(1), None);
    assert_eq!(7i32.checked_div(0), None);
    assert_eq!(i32::MIN.checked_div(-1), None);
    assert_eq!(7i32.checked_rem(4), Some(3));
    assert_eq!(5u8.saturating_sub(6), 0);
    assert_eq!(250u8.saturating_add(6), 255);
    assert_eq!(i8::MIN.saturating_sub(6), -128);
    assert_eq!(100i8.saturating_add(100), 127);
    assert_eq!((-100i8).saturating_mul(100), -128);
    assert_eq!((-100i8).saturating_mul(-100), 127);
    assert_eq!(1u32.wrapping_shl(33), 2);
}

#[test]
fn calculates() {
    assert_eq!(-7 / 2, -3);
    assert_eq!(-7 % 2, -1);
    assert_eq!((-7i32).rem_euclid(4), 1);
    assert_eq!((-7i32).rem_euclid(-4), 1);
    assert_eq!((-7i32).div_euclid(4), -2);
    assert_eq!((-7i32).div_euclid(-4), 2);
    assert_eq!(BASE.abs(), 5);
    assert_eq!(BASE.signum(), -1);
    assert_eq!(BASE.unsigned_abs(), 5u32);
    assert_eq!(3u8.abs_diff(10), 7);
    assert_eq!((-100i8).abs_diff(100), 200);
    assert_eq!(3.max(BASE).min(2), 2);
    assert_eq!(std::cmp::max(3, 4), 4);
    assert_eq!(15.clamp(0, 10), 10);
    assert_eq!(2i32.pow(10), 1024);
    assert_eq!(power(-2, 63), i64::MIN);
    assert_eq!(power(7, 0), 1);
    assert_eq!(!5, -6);
    assert_eq!(!5u8, 250);
    assert_eq!(-8 >> 1, -4);
    assert_eq!(1u8 << 7, 128);
    assert_eq!(6 ^ 3, 5);
    assert_eq!(true ^ false, true);
    assert_eq!(6 & 3 | 8, 10);
    assert!(!(true & false) | false);
    assert!(16u32.is_power_of_two() && !0u32.is_power_of_two());
}

#[test]
fn casts() {
    assert_eq!(300i32 as u8, 44);
    assert_eq!(-1i32 as u32, u32::MAX);
    assert_eq!(-1i8 as u64, u64::MAX);
    assert_eq!(255u8 as i8, -1);
    assert_eq!(3_000_000_000u32 as i32, -1_294_967_296);
    assert_eq!(true as i32, 1);
    assert_eq!('a' as u8, 97);
    assert_eq!(97u8 as char, 'a');
    assert_eq!((200 + 100) as u8, 44);
    assert_eq!(i64::from(-3i32), -3);
    assert_eq!(u32::from('b'), 98);
    assert_eq!(u64::from(true), 1);
}

#[test]
fn matches_numbers() {
    assert_eq!(shapes(-5), -1);
    assert_eq!(shapes(0), 0);
    assert_eq!(shapes(9), 1);
    assert_eq!(shapes(57), 5);
    assert_eq!(shapes(100), 100);
    assert_eq!(letter('c'), 2);
    assert_eq!(letter('B'), 27);
    assert_eq!(letter('7'), 59);
    assert_eq!(letter(' '), 62);
    assert_eq!(letter('-'), 63);
    assert_eq!(digits(b"1234"), Some(1234));
    assert_eq!(digits(b"12x4"), None);
    assert_eq!(digits(b""), None);
    assert_eq!(digits(b"4294967296"), None);
    assert_eq!(digits(b"4294967295"), Some(4294967295));
    assert_eq!(crc(b"123456789"), 0xf4);
    assert_eq!(collatz(27), 111);
}

fn add(a: u8, b: u8) -> u8 {
    a + b
}

fn div(a: i32, b: i32) -> i32 {
    a / b
}

fn rem(a: i32, b: i32) -> i32 {
    a % b
}

fn sub(a: usize, b: usize) -> usize {
    a - b
}

fn neg(a: i32) -> i32 {
    -a
}

fn shl(a: i32, b: u32) -> i32 {
    a << b
}

fn abs(a: i32) -> i32 {
    a.abs()
}

fn index(at: usize) -> i32 {
    [1, 2, 3][at]
}

#[test]
fn fails_to_add() {
    add(200, 100);
}

#[test]
fn fails_to_divide() {
    div(1, 0);
}

#[test]
fn fails_to_divide_min() {
    div(i32::MIN, -1);
}

#[test]
fn fails_to_take_the_rest() {
    rem(i32::MIN, -1);
}

#[test]
fn fails_to_negate() {
    neg(i32::MIN);
}

#[test]
fn fails_to_shift() {
    shl(1, 32);
}

#[test]
fn fails_to_take_abs() {
    abs(i32::MIN);
}

#[test]
fn fails_to_power() {
    power(-2, 64);
}

#[test]
fn fails_to_index() {
    let _ = index(3);
}

#[test]
fn fails_to_subtract() {
    let _ = sub(1, 2);
}

fn amount(n: u32) -> u32 {
    n
}

#[test]
fn rotates() {
    assert_eq!(0x81u8.rotate_left(1), 3);
    assert_eq!(0x81u8.rotate_right(amount(1)), 0xc0);
    assert_eq!(0x12u8.rotate_left(amount(0)), 0x12);
    assert_eq!(0x12u8.rotate_right(amount(8)), 0x12);
    assert_eq!(0x12u8.rotate_left(amount(12)), 0x21);
    assert_eq!((-128i8).rotate_left(amount(1)), 1);
    assert_eq!(1i64.rotate_right(amount(1)), i64::MIN);
    assert_eq!(u32::rotate_left(0x8000_0001, amount(33)), 3);
}

#[test]
fn shifts_by_any_amount() {
    assert_eq!(1u8.checked_shl(amount(7)), Some(128));
    assert_eq!(1u8.checked_shl(amount(8)), None);
    assert_eq!((-128i8).checked_shr(amount(7)), Some(-1));
    assert_eq!((-128i8).checked_shr(amount(80)), None);
    assert_eq!(1u16.overflowing_shl(amount(17)), (2, true));
    assert_eq!(4u16.overflowing_shr(amount(1)), (2, false));
    assert_eq!(1u8.wrapping_shl(amount(9)), 2);
    assert_eq!(256u16.wrapping_shr(amount(20)), 16);
}

#[test]
fn powers_that_do_not_fit() {
    assert_eq!(3u8.wrapping_pow(amount(6)), 217);
    assert_eq!(3u8.wrapping_pow(6), 217);
    assert_eq!((-2i8).wrapping_pow(8), 0);
    assert_eq!(7u8.wrapping_pow(amount(0)), 1);
    assert_eq!(2u8.checked_pow(amount(7)), Some(128));
    assert_eq!(2u8.checked_pow(8), None);
    assert_eq!((-2i8).checked_pow(amount(7)), Some(-128));
    assert_eq!((-2i8).checked_pow(amount(9)), None);
    assert_eq!(0u64.checked_pow(amount(40)), Some(0));
    assert_eq!(10u64.checked_pow(amount(20)), None);
}

#[test]
fn overflows_with_a_flag() {
    assert_eq!(250u8.overflowing_add(amount(9) as u8), (3, true));
    assert_eq!(i8::MIN.overflowing_sub(1), (127, true));
    assert_eq!(100u8.overflowing_mul(2), (200, false));
    assert_eq!(i64::MIN.overflowing_mul(-1), (i64::MIN, true));
}

#[test]
fn fails_rotated_otherwise() {
    assert_eq!(0x81u8.rotate_left(amount(1)), 0x83);
}
