//! A part of a search that several machines share. The hash of a site's id decides its shard, so all machines agree
//! without communicating.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use nopol_basics::hash::fnv1a;

/// One of several equal shards of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Counted from 1.
    number: u64,
    of: u64,
}

impl Shard {
    /// The number of this shard, from 1, and the number of shards.
    pub fn numbers(self) -> (u64, u64) {
        (self.number, self.of)
    }

    /// Whether this shard examines the site with this id.
    pub fn has(self, id: &str) -> bool {
        fnv1a(id) % self.of == self.number - 1
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/');
        let parsed =
            numbers.and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match parsed {
            Some((number, of)) if (1..=of).contains(&number) => Ok(Self { number, of }),
            _ => Err(format!(
                "`{text}` is not a shard: write K/N with K from 1 to N, such as 2/4"
            )),
        }
    }
}

impl Serialize for Shard {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Shard {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_site_is_in_one_shard_and_no_shard_is_empty() {
        let shards: Vec<Shard> = (1..=4).map(|number| Shard { number, of: 4 }).collect();
        let mut sizes = [0; 4];
        for site in 0..400 {
            let id = format!("src/lib.rs:{site}");
            let having: Vec<usize> = (0..4).filter(|nth| shards[*nth].has(&id)).collect();
            assert_eq!(having.len(), 1, "{id}");
            sizes[having[0]] += 1;
        }
        assert!(sizes.iter().all(|size| *size > 50), "{sizes:?}");
    }

    #[test]
    fn malformed_shards_are_refused() {
        assert_eq!("2/4".parse::<Shard>().unwrap().to_string(), "2/4");
        for text in ["0/4", "5/4", "1", "1/0", "a/b", "-1/4", ""] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }
}
