//! A cargo workspace as a subject.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::Result;
use camino::{Utf8Path, Utf8PathBuf};
use nopol_process::run::Runner;
use nopol_process::run::id::{TargetId, TestId};
use nopol_source::Language;
use nopol_source::language::Readable;
use nopol_source::rust::language::Crates;

use super::build::build;
use super::doctests::{doctests, may_have_doctests, traced_doctests};
use super::features;
use super::listing::list;
use super::nextest;
use super::options::{CargoOptions, TestTool};
use super::seed::{Seed, Seeded};
use super::unchecked;
use super::{Member, Packages, load, runtime};
use crate::subject::ecosystem::{
    Answered, Description, Ecosystem, Package, ProgramText, ToolRules,
};
use crate::subject::workspace::{
    Build, Compiled, DoctestReach, Doctests, Linked, Targets, TracedDoctests, Workspace,
};
use crate::subject::{AddedFile, Subject, SubjectError, files, paths};

impl Description for CargoOptions {
    fn load(&self) -> Result<Subject, SubjectError> {
        load(self)
    }

    fn command(&self) -> &'static str {
        "cargo nopol"
    }

    fn test_options(&self) -> &'static str {
        "--package, --test and --features"
    }

    fn test_args(&self) -> &[String] {
        &self.test_args
    }
}

impl Ecosystem for Packages {
    fn readable(&self, root: &Utf8Path) -> Box<dyn Readable> {
        Box::new(Crates(self.crate_roots(root)))
    }

    fn answered(&self, _: &Utf8Path, _: &Workspace, _: &Runner, _: Duration) -> Result<Answered> {
        Err(SubjectError::Usage(
            "--reference works for C programs only: the tests of a crate state their expected results themselves"
                .to_owned(),
        )
        .into())
    }

    fn other_program(&self, root: &Utf8Path, _: &ProgramText) -> Option<String> {
        let found = unchecked::find(&self.options, root)?;
        Some(format!("{found}, so they would describe another program"))
    }

    fn whole(&self, root: &Utf8Path) -> Result<ProgramText, SubjectError> {
        if let Some(added) = &self.options.added_test {
            return Err(SubjectError::Usage(format!(
                "this command builds no tests and does not support {}; use `cargo nopol` or `cargo nopol localize`",
                added.option()
            )));
        }
        let dirs = self
            .members
            .iter()
            .flat_map(|member| ["src", "tests"].map(|dir| root.join(&member.dir).join(dir)));
        let paths = dirs.flat_map(|dir| files::below(&dir, "rs"));
        let paths = paths.map(|path| paths::relative(root, &path)).collect();
        let whole = ProgramText::read(Language::Rust, root, paths)?;
        let texts = whole.files.iter().map(|(_, text)| text.as_str());
        Ok(ProgramText {
            test_args: self.options.test_args.clone(),
            features: features::active(&self.members, &self.options),
            may_have_examples: may_have_doctests(self, texts),
            ..whole
        })
    }

    fn added_file(&self) -> Option<&AddedFile> {
        self.added.as_ref()
    }

    fn selection(&self) -> Option<String> {
        let options = &self.options;
        let is_chosen = |member: &Member| options.package.contains(&member.name);
        let leaves_out = !options.package.is_empty() && !self.members.iter().all(is_chosen);
        let given = [
            (leaves_out, "--package"),
            (options.all_targets, "--all-targets"),
            (options.lib, "--lib"),
            (!options.exclude.is_empty(), "--exclude"),
            (options.bins, "--bins"),
            (!options.bin.is_empty(), "--bin"),
            (options.examples, "--examples"),
            (!options.example.is_empty(), "--example"),
            (!options.test.is_empty(), "--test"),
        ];
        let given = given.into_iter().filter(|(is_given, _)| *is_given);
        let given: Vec<&str> = given.map(|(_, name)| name).collect();
        (!given.is_empty()).then(|| given.join(" and "))
    }

    fn build(&self, at: &Workspace, linked: Linked, targets: Targets) -> Result<Build> {
        build(at, self, linked, targets)
    }

    fn packages(&self) -> Vec<Package> {
        let package = |member: &Member| {
            let mut targets = member.metadata.targets.iter();
            let library = targets.clone().find(|target| target.is_lib());
            let target = library.or_else(|| targets.next())?;
            Some(Package {
                id: member.metadata.id.repr.clone(),
                dir: member.dir.clone(),
                manifest: member.metadata.manifest_path.clone(),
                target: target.name.clone(),
                target_kind: target.kind.first()?.to_string(),
                target_file: target.src_path.clone(),
                edition: target.edition.as_str().to_owned(),
            })
        };
        self.members.iter().filter_map(package).collect()
    }

    fn build_command(&self) -> String {
        self.options.test_command()
    }

    fn built(&self, build: &Build) -> String {
        match build.binaries.len() {
            1 => "1 test binary".to_owned(),
            several => format!("{several} test binaries"),
        }
    }

    fn runtime(&self, base: &Utf8Path, root: &Utf8Path) -> Result<Utf8PathBuf> {
        runtime::build(base, root, self.options.target.as_deref())
    }

    fn tests(&self, at: &Workspace, build: &mut Build) -> Result<(Vec<TestId>, Vec<TargetId>)> {
        list(at, &mut build.binaries, &self.options.test_args)
    }

    fn rules(&self, at: &Workspace) -> Result<Option<ToolRules>> {
        match self.options.test_tool {
            TestTool::Cargo => Ok(None),
            TestTool::Nextest => nextest::rules(at, self).map(Some),
        }
    }

    fn may_have_doctests(&self, texts: &mut dyn Iterator<Item = &str>) -> bool {
        may_have_doctests(self, texts)
    }

    fn doctests(
        &self,
        at: &Workspace,
        texts: &mut dyn Iterator<Item = &str>,
        silence: Duration,
        only: &[String],
    ) -> Result<Option<Doctests>> {
        match may_have_doctests(self, texts) {
            true => doctests(at, self, silence, only).map(Some),
            false => Ok(None),
        }
    }

    fn traced_doctests(
        &self,
        at: &Workspace,
        texts: &mut dyn Iterator<Item = &str>,
        silence: Duration,
        traced: TracedDoctests,
    ) -> Result<Option<DoctestReach>> {
        match may_have_doctests(self, texts) {
            true => traced_doctests(at, self, silence, traced).map(Some),
            false => Ok(None),
        }
    }

    fn take_over(&self, at: &Workspace) -> Result<Compiled> {
        if at.subject.stands_alone() {
            return Ok(Compiled::Nothing);
        }
        Ok(match self.seed(&self.build_dir, at)? {
            Seeded::Units(0) => Compiled::Nothing,
            Seeded::Units(_) => Compiled::Dependencies,
            Seeded::Locked => Compiled::Unusable(format!(
                "another cargo is at work in {}, so dependencies that it has compiled cannot be used",
                self.build_dir
            )),
        })
    }

    fn share(&self, from: &Workspace, to: &Workspace) -> Result<()> {
        if !to.subject.stands_alone() {
            self.seed(&from.target, to)?;
        }
        Ok(())
    }

    /// Nothing to do: cargo's fingerprints belong to the working copy.
    fn set_times(&self, _: &Utf8Path, _: &BTreeMap<PathBuf, PathBuf>) -> Result<()> {
        Ok(())
    }

    fn configuration(&self) -> (&'static str, String) {
        ("the manifest", self.manifest.to_string())
    }

    fn test(&self) -> Option<bool> {
        let mut command = Command::new(super::build::cargo());
        command.arg("test").args(self.options.user_args());
        command.status().ok().map(|status| status.success())
    }

    fn compiler(&self) -> Command {
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let mut command = Command::new(rustc);
        command.arg("-vV");
        command
    }

    fn stands_alone(&self) -> bool {
        self.stand_alone()
    }

    fn is_sanitized(&self) -> bool {
        false
    }
}

impl Packages {
    /// Seeds the target directory of a working copy with the dependencies compiled in another one.
    fn seed(&self, from: &Utf8Path, to: &Workspace) -> Result<Seeded> {
        let own = self.members.iter().chain(&self.neighbours);
        let own: Vec<&str> = own.map(|package| &*package.name).collect();
        let seed = Seed {
            from,
            store: &to.store,
            profile: self.options.profile_dir(),
            own: &own,
        };
        seed.sow(&to.target)
    }
}
