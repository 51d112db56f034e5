//! Finds the files with the test functions of test programs.

use camino::{Utf8Path, Utf8PathBuf};
use nopol_source::c::test_functions::test_functions;

use super::build_info::CommandTest;
use super::listing::Listing;

/// Keeps of each test the files that have its test functions, if there are several. Where no files are known, those count that
/// are named like the program or, if only one test program is there, all files of tests.
pub fn find(listing: &Listing, tests: &mut [CommandTest]) {
    let files = listing.tests();
    let mains = files.iter().filter(|path| listing.has_main(path)).count();
    for test in tests.iter_mut() {
        let mut of_program = std::mem::take(&mut test.functions);
        if of_program.is_empty()
            && let Some(program) = program(&test.command)
        {
            let is_named = |path: &&Utf8PathBuf| path.file_stem() == Some(program);
            of_program = files.iter().filter(is_named).cloned().collect();
            if of_program.is_empty() && mains <= 1 {
                of_program.clone_from(&files);
            }
        }
        let texts: Vec<String> = of_program.iter().map(|path| listing.text(path)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        if !test_functions(&texts).is_empty() {
            test.functions = of_program;
        }
    }
}

/// The name of the program that a command starts, without an extension.
fn program(command: &str) -> Option<&str> {
    let word = command.split_whitespace().next()?;
    let is_program = word.contains('/') && !word.starts_with('/');
    Utf8Path::new(word).file_stem().filter(|_| is_program)
}
