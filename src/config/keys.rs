//! The names of a struct's fields, asked of its `Deserialize`, so that they are written down once.

use serde::de::value::Error;
use serde::de::{Deserialize, Deserializer, Error as _, Visitor};

/// The keys of a struct, without those that serde skips.
pub fn of<T: Deserialize<'static>>() -> &'static [&'static str] {
    let mut fields: &[&str] = &[];
    // It asks for a struct and gets none; what it asked for is known by then.
    let _ = T::deserialize(Asked(&mut fields));
    fields
}

/// Notes what is asked for.
struct Asked<'f>(&'f mut &'static [&'static str]);

impl<'de> Deserializer<'de> for Asked<'_> {
    type Error = Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Error> {
        *self.0 = fields;
        Err(Error::custom("only the names were wanted"))
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("this is no struct"))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}
