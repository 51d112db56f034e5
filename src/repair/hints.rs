//! What the user knows about the place of the fault: functions and lines named by `--near`, lines named by `--lines`,
//! and lines changed since a commit.

use std::collections::BTreeSet;
use std::fs;

use camino::Utf8Path;
use nopol_source::{Site, SiteIndex, Sources};
use nopol_synth::weights::WEIGHTS;

use super::settings::Settings;
use crate::subject::SubjectError;
use crate::subject::changes::{self, Changed};

/// The sites that the user's hints name.
#[derive(Clone, Debug, Default)]
pub struct Hints {
    /// Sites named by `--near`.
    pub near: BTreeSet<SiteIndex>,
    /// Sites changed by the diff of `--in-diff`, or since its commit. Without `--in-diff`, since the last commit.
    pub changed: BTreeSet<SiteIndex>,
    /// Whether no line of a source was changed.
    pub is_unchanged: bool,
    /// Sites in the lines named by `--lines`; no other site is considered. `None` without `--lines`.
    pub within: Option<BTreeSet<SiteIndex>>,
}

impl Hints {
    /// The hints of the settings and of the repository in the working copy at `root`. Names of commits are those of the
    /// subject.
    ///
    /// # Errors
    /// [`SubjectError::Usage`] if a hint does not fit the subject.
    pub fn of(
        settings: &Settings,
        subject: &Utf8Path,
        root: &Utf8Path,
        sources: &Sources,
    ) -> Result<Self, SubjectError> {
        let changed = match &settings.in_diff {
            None => match changes::since(root, "HEAD") {
                Ok(changed) => changed,
                Err(error) if settings.only_in_diff => {
                    return Err(SubjectError::Usage(match changes::unnamed(root, "HEAD") {
                        Some(_) => "--only-in-diff: uncommitted changes are known only if the workspace root (in C the directory of nopol.toml) is the top of a git repository; instead, run `git diff --relative > FILE` and add `--in-diff FILE`".to_owned(),
                        None => format!("--only-in-diff: git does not know which lines have uncommitted changes: {error:#}; name a commit or a diff with --in-diff"),
                    }));
                }
                // Without git, or before the first commit, nothing counts as changed.
                Err(_) => Changed::default(),
            },
            Some(diff) if Utf8Path::new(diff).is_file() => {
                let text = fs::read(diff).map_err(|error| {
                    SubjectError::Usage(format!("--in-diff: cannot read {diff}: {error}"))
                })?;
                let text = String::from_utf8_lossy(&text);
                if !changes::is_diff(&text) {
                    return Err(SubjectError::Usage(format!(
                        "--in-diff: {diff} is not a diff: it has no line `+++ FILE` before a hunk; `git diff` writes a diff"
                    )));
                }
                changes::parse(&text)
            }
            Some(commit) => changes::since(
                root,
                changes::commit(subject, commit).as_ref().unwrap_or(commit),
            )
            .map_err(|error| {
                SubjectError::Usage(match changes::unnamed(root, commit) {
                    Some(why) => format!("--in-diff: `{commit}` is not a file, and {why}"),
                    None => {
                        format!("--in-diff: `{commit}` is neither a file nor a commit: {error:#}")
                    }
                })
            })?,
        };
        let mut hints = Self {
            is_unchanged: changed.is_empty(),
            ..Self::default()
        };
        for (index, site) in sources.sites.iter_enumerated() {
            if is_changed(sources, site, &changed) {
                hints.changed.insert(index);
            }
        }
        for near in &settings.near {
            let before = hints.near.len();
            for (index, site) in sources.sites.iter_enumerated() {
                if is_near(sources, site, near) {
                    hints.near.insert(index);
                }
            }
            if hints.near.len() == before {
                let what = match line_of(near) {
                    Some((file, _)) if !has_file(sources, file) => {
                        "there is no such file among the sources"
                    }
                    Some(_) => "this line has no place that a patch can change",
                    None => {
                        "no function of that name has a place that a patch can change; for a line, write FILE:LINE"
                    }
                };
                return Err(SubjectError::Usage(format!(
                    "--near {near}: {what}. `{} list{}` shows the places",
                    settings.project.command(),
                    settings.place
                )));
            }
        }
        for range in &settings.lines {
            let named = Named::parse(range)?;
            let sites = sources.sites.iter_enumerated();
            let here = sites.filter(|(_, site)| named.has(sources, site));
            let here: BTreeSet<SiteIndex> = here.map(|(index, _)| index).collect();
            if here.is_empty() {
                let file = named.file;
                if !sources.files.iter().any(|it| is_path(&it.path, file)) {
                    return Err(SubjectError::Usage(format!(
                        "--lines {range}: no source file has the path {file}"
                    )));
                }
                return Err(SubjectError::Usage(format!(
                    "--lines {range}: there is no place in these lines that a patch could change; `{} list{}` shows the places",
                    settings.project.command(),
                    settings.place
                )));
            }
            hints.within.get_or_insert_default().extend(here);
        }
        Ok(hints)
    }

    /// The sites where no patch is searched for.
    pub fn unwanted(&self, settings: &Settings, sources: &Sources) -> BTreeSet<SiteIndex> {
        let mut unwanted = settings.unwanted(sources);
        if settings.only_in_diff {
            let all = sources.sites.iter_enumerated().map(|(index, _)| index);
            unwanted.extend(all.filter(|index| !self.changed.contains(index)));
        }
        if let Some(within) = &self.within {
            let all = sources.sites.iter_enumerated().map(|(index, _)| index);
            unwanted.extend(all.filter(|index| !within.contains(index)));
        }
        unwanted
    }

    /// How much less a patch at a site costs because the user's hints name the site.
    pub fn bonus(&self, site: SiteIndex) -> u32 {
        let place = &WEIGHTS.place;
        let of =
            |sites: &BTreeSet<SiteIndex>, weight| if sites.contains(&site) { weight } else { 0 };
        of(&self.near, place.near) + of(&self.changed, place.changed)
    }
}

/// Lines of a file: `FILE:A-B`, or `FILE:A` for one line.
struct Named<'n> {
    file: &'n str,
    first: usize,
    last: usize,
}

impl<'n> Named<'n> {
    fn parse(text: &'n str) -> Result<Self, SubjectError> {
        let parsed = text.rsplit_once(':').and_then(|(file, lines)| {
            let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
            let (first, last) = (first.parse().ok()?, last.parse().ok()?);
            Some(Self { file, first, last })
        });
        let why = match parsed {
            Some(named) if named.first <= named.last => return Ok(named),
            Some(_) => "the last line comes before the first",
            None => "write FILE:FIRST-LAST, as in src/lib.rs:10-20",
        };
        Err(SubjectError::Usage(format!("--lines {text}: {why}")))
    }

    fn has(&self, sources: &Sources, site: &Site) -> bool {
        let own = lines(site);
        is_file(sources, site, self.file) && self.first <= *own.end() && *own.start() <= self.last
    }
}

/// Whether a site is in the file with this path, or with a path that ends in it.
fn is_file(sources: &Sources, site: &Site, file: &str) -> bool {
    is_path(&sources.files[site.file].path, file)
}

fn is_path(path: &Utf8Path, file: &str) -> bool {
    path == file || path.as_str().ends_with(&format!("/{file}"))
}

fn lines(site: &Site) -> std::ops::RangeInclusive<usize> {
    site.line..=site.line + site.text.matches('\n').count()
}

fn is_changed(sources: &Sources, site: &Site, changed: &Changed) -> bool {
    let path = sources.files[site.file].path.as_str();
    let own = lines(site);
    let mut of_file = changed.iter().filter(|(file, _)| {
        // The diff may come from a directory above the subject's root.
        *file == path || file.ends_with(&format!("/{path}"))
    });
    of_file.any(|(_, ranges)| {
        let mut ranges = ranges.iter();
        ranges.any(|range| range.start() <= own.end() && own.start() <= range.end())
    })
}

fn is_near(sources: &Sources, site: &Site, near: &str) -> bool {
    if let Some((file, line)) = line_of(near) {
        return is_file(sources, site, file) && lines(site).contains(&line);
    }
    let name = &sources.functions[site.function].name;
    name == near || name.ends_with(&format!("::{near}"))
}

/// Whether a source has this path, or ends with it.
fn has_file(sources: &Sources, path: &str) -> bool {
    let mut files = sources.files.iter();
    files.any(|file| is_path(&file.path, path))
}

/// The file and the line of `FILE:LINE`; `None` for the name of a function.
fn line_of(near: &str) -> Option<(&str, usize)> {
    let (file, line) = near.rsplit_once(':')?;
    Some((file, line.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use nopol_source::rust::{self, CrateRoot};

    use super::*;

    fn sources() -> (tempfile::TempDir, Sources) {
        let dir = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(dir.path()).unwrap();
        let text = "pub struct A;\nimpl A {\n    pub fn odd(n: u32) -> bool {\n        n % 2 == 1\n    }\n}\n\
                    pub fn small(n: u32) -> u32 {\n    if n < 9 {\n        return 1;\n    }\n    2\n}\n";
        fs::write(root.join("lib.rs"), text).unwrap();
        let krate = CrateRoot {
            path: "lib.rs".into(),
            is_test: false,
            edition_2015: false,
            has_chains: true,
        };
        let sources = rust::read(root, &[krate], &|_| true);
        (dir, sources)
    }

    fn near(what: &str) -> Result<Vec<String>, SubjectError> {
        let (dir, sources) = sources();
        let settings = Settings {
            near: vec![what.to_owned()],
            ..Settings::default()
        };
        let root = Utf8Path::from_path(dir.path()).unwrap();
        let hints = Hints::of(&settings, root, root, &sources)?;
        let texts = hints
            .near
            .iter()
            .map(|site| sources.sites[*site].text.clone());
        Ok(texts.filter(|text| text.contains(['<', '='])).collect())
    }

    #[test]
    fn a_function_or_a_line_is_near() {
        assert_eq!(near("odd").unwrap(), ["n % 2 == 1"]);
        assert_eq!(near("A::odd").unwrap(), ["n % 2 == 1"]);
        assert!(near("lib.rs:8").unwrap().contains(&"n < 9".to_owned()));
        for (wrong, why) in [
            ("dd", "no function of that name"),
            ("A::dd", "no function of that name"),
            ("lib.rs:1", "this line has no place"),
        ] {
            let Err(SubjectError::Usage(said)) = near(wrong) else {
                panic!("{wrong}");
            };
            assert!(
                said.starts_with(&format!("--near {wrong}: {why}")),
                "{said}"
            );
        }
    }

    #[test]
    fn only_sites_in_the_named_lines_are_considered() {
        let (dir, sources) = sources();
        let within = |lines: &str| {
            let settings = Settings {
                lines: vec![lines.to_owned()],
                ..Settings::default()
            };
            let root = Utf8Path::from_path(dir.path()).unwrap();
            let hints = Hints::of(&settings, root, root, &sources)?;
            let unwanted = hints.unwanted(&settings, &sources);
            let all = sources.sites.iter_enumerated();
            let wanted = all.filter(|(index, _)| !unwanted.contains(index));
            Ok(wanted.map(|(_, site)| site.line).collect::<BTreeSet<_>>())
        };
        assert_eq!(within("lib.rs:4-4").unwrap(), [4].into());
        assert_eq!(within("lib.rs:8-9").unwrap(), [8, 9].into());
        for wrong in [
            "lib.rs",
            "lib.rs:9-8",
            "lib.rs:x",
            "lib.rs:100",
            "other.rs:8",
        ] {
            assert!(
                matches!(within(wrong), Err(SubjectError::Usage(_))),
                "{wrong}"
            );
        }
    }

    #[test]
    fn a_diff_from_a_parent_directory_hints_at_its_lines() {
        let (_dir, sources) = sources();
        let changed = |diff: &str| {
            let changed = changes::parse(diff);
            let sites = sources
                .sites
                .iter()
                .filter(|site| site.kind.has_condition());
            let sites = sites.filter(|site| is_changed(&sources, site, &changed));
            sites.map(|site| site.line).collect::<Vec<_>>()
        };
        assert_eq!(changed("+++ b/sub/lib.rs\n@@ -8 +8 @@\n-x\n+y\n"), [8]);
        assert!(changed("+++ b/sub/other.rs\n@@ -8 +8 @@\n-x\n+y\n").is_empty());
    }
}
