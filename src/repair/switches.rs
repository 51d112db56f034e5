//! Numbers candidates for a build that contains many of them behind a run-time switch.

use std::collections::BTreeMap;

use nopol_source::SiteIndex;

use super::fix::{Fix, SiteEdit};

/// The texts of each site in the order of their numbers, which start at 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Switches {
    pub texts: BTreeMap<SiteIndex, Vec<String>>,
}

impl Switches {
    /// Numbers the edits of a fix; equal texts of a site share a number. Returns what selects the fix.
    pub fn add(&mut self, fix: &Fix) -> Vec<(SiteIndex, u32)> {
        let mut number = |edit: &SiteEdit| {
            let of_site = self.texts.entry(edit.site).or_default();
            let known = of_site.iter().position(|text| *text == edit.switched);
            let at = known.unwrap_or_else(|| {
                of_site.push(edit.switched.clone());
                of_site.len() - 1
            });
            (edit.site, u32::try_from(at + 1).unwrap_or(u32::MAX))
        };
        fix.edits.iter().map(&mut number).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repair::fix::tests::fix;

    #[test]
    fn equal_texts_of_a_site_share_a_number() {
        let mut switches = Switches::default();
        let mut number = |site, condition| switches.add(&fix(site, condition, 1, &[0]))[0].1;
        let numbers = [
            number(1, "a"),
            number(1, "b"),
            number(2, "b"),
            number(1, "a"),
        ];
        assert_eq!(numbers, [1, 2, 1, 1]);
    }
}
