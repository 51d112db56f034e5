//! A hash that does not depend on the machine or compiler, for ids and file names.

/// FNV-1a, 64 bits.
pub fn fnv1a(text: &str) -> u64 {
    fnv1a_of(text.as_bytes())
}

/// FNV-1a of bytes.
pub fn fnv1a_of(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Eight hexadecimal digits of [`fnv1a`].
pub fn short(text: &str) -> String {
    let hash = fnv1a(text);
    format!("{:08x}", (hash ^ (hash >> 32)) & 0xffff_ffff)
}
