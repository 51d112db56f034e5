//! Names that C and its library define.

use super::types::Type;

/// Whether a name that is not a keyword is a type of C's library.
pub(super) fn is_type(name: &str) -> bool {
    let is_numbered = name.ends_with("_t") && name.trim_start_matches('u').starts_with("int");
    is_numbered
        || matches!(
            name,
            "bool" | "uint" | "size_t" | "ssize_t" | "ptrdiff_t" | "wchar_t" | "time_t" | "FILE"
        )
}

/// The value and the type of a constant of the library.
pub(super) fn constant(name: &str) -> Option<(i128, Type)> {
    let int = |value| Some((value, Type::INT));
    match name {
        "true" | "EXIT_FAILURE" => int(1),
        "false" | "EXIT_SUCCESS" => int(0),
        "EOF" => int(-1),
        "CHAR_BIT" => int(8),
        "CHAR_MIN" | "SCHAR_MIN" | "INT8_MIN" => int(i8::MIN.into()),
        "CHAR_MAX" | "SCHAR_MAX" | "INT8_MAX" => int(i8::MAX.into()),
        "UCHAR_MAX" | "UINT8_MAX" => int(u8::MAX.into()),
        "SHRT_MIN" | "INT16_MIN" => int(i16::MIN.into()),
        "SHRT_MAX" | "INT16_MAX" => int(i16::MAX.into()),
        "USHRT_MAX" | "UINT16_MAX" => int(u16::MAX.into()),
        "INT_MIN" | "INT32_MIN" => int(i32::MIN.into()),
        "INT_MAX" | "INT32_MAX" => int(i32::MAX.into()),
        "UINT_MAX" | "UINT32_MAX" => Some((u32::MAX.into(), Type::integer(32, false))),
        "LONG_MIN" | "LLONG_MIN" | "INT64_MIN" | "PTRDIFF_MIN" => {
            Some((i64::MIN.into(), Type::LONG))
        }
        "LONG_MAX" | "LLONG_MAX" | "INT64_MAX" | "PTRDIFF_MAX" => {
            Some((i64::MAX.into(), Type::LONG))
        }
        "ULONG_MAX" | "ULLONG_MAX" | "UINT64_MAX" | "SIZE_MAX" => {
            Some((u64::MAX.into(), Type::SIZE))
        }
        _ => None,
    }
}

/// The value that gcc on 64-bit Linux gives a macro it defines itself; 0 for those of other compilers and systems.
/// `None` if that is not known.
pub(super) fn predefined(name: &str) -> Option<i128> {
    match name {
        "__STDC__" | "__linux__" | "__linux" | "linux" | "__unix__" | "__unix" | "unix"
        | "__x86_64__" | "__LP64__" | "_LP64" | "__STDC_HOSTED__" => Some(1),
        "__STDC_VERSION__" => Some(201_710),
        "__CHAR_BIT__" => Some(8),
        "__SIZEOF_INT__" => Some(4),
        "__SIZEOF_LONG__" | "__SIZEOF_POINTER__" => Some(8),
        "__cplusplus" | "__APPLE__" | "__WIN32__" | "__MINGW32__" | "__CYGWIN__" | "__clang__"
        | "__BORLANDC__" | "__TURBOC__" => Some(0),
        _ if name.starts_with("__") => None,
        _ => constant(name).map(|(value, _)| value).or(Some(0)),
    }
}

/// Whether an `#ifdef` of a name that the program does not define holds. `None` if that is not known.
pub(super) fn is_predefined(name: &str) -> Option<bool> {
    match name {
        "NULL" | "assert" | "stdin" | "stdout" | "stderr" | "__GNUC__" | "__STDC_HOSTED__" => {
            Some(true)
        }
        "true" | "false" | "bool" => None,
        _ => predefined(name).map(|value| value != 0 || constant(name).is_some()),
    }
}

/// Whether it is one of the words that integer types are made of.
pub(super) fn is_integer_keyword(word: &str) -> bool {
    [
        "char", "short", "int", "long", "signed", "unsigned", "size_t", "int32_t", "int64_t",
        "uint32_t", "uint64_t",
    ]
    .contains(&word)
}

/// Whether the number is an integer.
pub(super) fn is_integer(number: &str) -> bool {
    let is_hexadecimal = number.starts_with("0x") || number.starts_with("0X");
    !number.contains('.')
        && !number.contains(if is_hexadecimal {
            ['p', 'P']
        } else {
            ['e', 'E']
        })
}

/// Whether it is a keyword of C.
pub(super) fn is_keyword(word: &str) -> bool {
    is_integer_keyword(word)
        || [
            "if",
            "else",
            "for",
            "while",
            "do",
            "switch",
            "case",
            "default",
            "break",
            "continue",
            "return",
            "goto",
            "sizeof",
            "struct",
            "union",
            "enum",
            "typedef",
            "static",
            "extern",
            "const",
            "volatile",
            "void",
            "float",
            "double",
            "register",
            "auto",
            "inline",
            "_Bool",
            "_Static_assert",
            "__attribute__",
            "__extension__",
        ]
        .contains(&word)
}
