//! The features that are active in tests, as far as they follow from manifests and options alone.

use std::collections::{BTreeMap, BTreeSet};

use super::Member;
use super::options::CargoOptions;

/// The active features of the workspace's members. `None` if several members may activate each other's.
pub(super) fn active(members: &[Member], options: &CargoOptions) -> Option<BTreeSet<String>> {
    if options.all_features {
        let names = members
            .iter()
            .flat_map(|member| member.metadata.features.keys());
        return Some(names.cloned().collect());
    }
    let [member] = members else {
        return None;
    };
    let given = options
        .features
        .iter()
        .flat_map(|list| list.split([',', ' ']));
    let own = format!("{}/", member.name);
    let mut wanted: Vec<&str> = given
        .map(|name| name.strip_prefix(&own).unwrap_or(name))
        .collect();
    if !options.no_default_features {
        wanted.push("default");
    }
    Some(with_needed(&member.metadata.features, wanted))
}

/// These features with those that they activate.
fn with_needed(all: &BTreeMap<String, Vec<String>>, wanted: Vec<&str>) -> BTreeSet<String> {
    let mut active = BTreeSet::new();
    let mut open = wanted;
    while let Some(name) = open.pop() {
        // `dependency/feature` activates an optional dependency, and its own feature has its name; `dependency?/feature` does not.
        let name = name
            .split_once('/')
            .map_or(name, |(dependency, _)| dependency);
        if let Some(needed) = all.get(name)
            && active.insert(name.to_owned())
        {
            open.extend(needed.iter().map(String::as_str));
        }
    }
    active
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_activate_others() {
        let all = [
            ("default", &["std"][..]),
            ("std", &["more?/std", "dep:less"]),
            ("full", &["more/std", "std"]),
            ("more", &["dep:more"]),
        ];
        let all = all.map(|(name, needed)| {
            let needed = needed.iter().map(|name| (*name).to_owned());
            (name.to_owned(), needed.collect())
        });
        let all = BTreeMap::from(all);
        let of = |wanted: &[&str]| {
            let active = with_needed(&all, wanted.to_vec());
            active.into_iter().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(of(&["default"]), "default std");
        assert_eq!(of(&["full"]), "full more std");
        assert_eq!(of(&["nothing"]), "");
    }
}
