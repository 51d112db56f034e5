//! Traces as the runtime writes them, cut off, and damaged: a subject's process can write anything there.

use std::path::Path;

use nopol_basics::damaged::{Input, documents, few, many};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

use super::*;

/// The sites that the tool knows of.
const SITES: usize = 3;

fn header(used: usize) -> Vec<u8> {
    let mut bytes = vec![0; layout::COUNTERS];
    let mut put = |at: usize, number: &[u8]| bytes[at..at + number.len()].copy_from_slice(number);
    put(0, &layout::MAGIC.to_ne_bytes());
    put(layout::LOG_USED, &(used as u64).to_ne_bytes());
    put(layout::SITES, &(SITES as u32).to_ne_bytes());
    put(layout::STEPS, &77_u64.to_ne_bytes());
    put(layout::DROPPED, &1_u32.to_ne_bytes());
    put(layout::EVALUATING, &2_u32.to_ne_bytes());
    for number in [9_u32, 4, 5, 0, 0, 0, 3, 1, 1] {
        bytes.extend(number.to_ne_bytes());
    }
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    bytes
}

fn text(text: &str) -> Vec<u8> {
    let length = u16::try_from(text.len()).unwrap();
    [&length.to_ne_bytes()[..], text.as_bytes()].concat()
}

fn name(captured: &str, steps: &[u8]) -> Vec<u8> {
    let path = [&text(captured), steps].concat();
    let length = u16::try_from(path.len()).unwrap();
    [&[layout::NAME][..], &length.to_ne_bytes(), &path].concat()
}

fn row(site: u32, flags: u8, entries: &[(u32, u8, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (name, tag, value) in entries {
        bytes.extend(name.to_ne_bytes());
        bytes.push(*tag);
        bytes.extend(value);
    }
    let length = u32::try_from(bytes.len()).unwrap();
    let mut row = vec![layout::ROW];
    row.extend(site.to_ne_bytes());
    row.push(flags);
    row.extend(2_u32.to_ne_bytes());
    row.extend(length.to_ne_bytes());
    [row, bytes].concat()
}

/// A trace with every kind of step and value.
fn valid() -> Vec<u8> {
    let int = |index: usize| tag::INT + u8::try_from(index).unwrap();
    let wide = |number: i128| number.to_ne_bytes().to_vec();
    let string = [&3_u32.to_ne_bytes()[..], b"\xc3\xa9x"].concat();
    let method = [&[step::DEREF, step::METHOD][..], &text("len")].concat();
    let field = [&[step::FIELD][..], &text("0"), &[step::PRESENCE]].concat();
    let kinds = [
        &[step::EQUAL][..],
        &text("A::B"),
        &[step::MATCHES],
        &text("A::C(_)"),
    ]
    .concat();
    let log = [
        name("x", &[]),
        name("list", &method),
        row(
            0,
            layout::OUTCOME | layout::OLD_KNOWN,
            &[(0, int(3), wide(-7)), (1, int(11), wide(7))],
        ),
        name("p", &field),
        name("e", &kinds),
        name("s", &[step::STRING_LENGTH, step::CONTENTS]),
        row(
            2,
            0,
            &[
                (0, int(10), wide(-1)),
                (2, tag::BOOL, 1_u32.to_ne_bytes().to_vec()),
                (3, tag::CHAR, 0x1f600_u32.to_ne_bytes().to_vec()),
                (4, tag::STR, string),
                (
                    1,
                    tag::F32,
                    u64::from(1.5_f32.to_bits()).to_ne_bytes().to_vec(),
                ),
                (4, tag::F64, f64::NAN.to_bits().to_ne_bytes().to_vec()),
                (0, int(0), wide(-128)),
                (0, int(12), wide(4_294_967_295)),
            ],
        ),
    ]
    .concat();
    [header(log.len()), log].concat()
}

fn read(dir: &Path, files: &[&[u8]]) -> Result<Trace> {
    for (number, bytes) in files.iter().enumerate() {
        fs::write(dir.join(format!("trace.{number}")), bytes)?;
    }
    Trace::read_dir(dir, SITES)
}

fn is_sound(dir: &Path, bytes: &[u8]) -> TestCaseResult {
    // A second process wrote a trace beside it.
    let trace =
        read(dir, &[bytes, &valid()]).map_err(|error| TestCaseError::fail(error.to_string()))?;
    prop_assert!(trace.contexts.len() >= 2, "a sound trace beside it is lost");
    prop_assert!(trace.counters.keys().all(|site| usize::from(*site) < SITES));
    for context in &trace.contexts {
        prop_assert!(usize::from(context.site) < SITES, "{:?}", context);
        for (_, value) in context.values.iter() {
            if let Value::Int(ty, int) = value {
                prop_assert!(int.fits(*ty), "{:?}", value);
            }
        }
    }
    Ok(())
}

fn run(how: impl Fn(&dyn Fn(&[u8]) -> TestCaseResult)) {
    let dir = tempfile::tempdir().unwrap();
    how(&|bytes| is_sound(dir.path(), bytes));
}

fn inputs() -> impl Strategy<Value = Input> {
    documents(&[&valid()], &[])
}

#[test]
fn whatever_a_process_leaves_is_read_as_far_as_it_makes_sense() {
    run(|property| few(inputs(), property));
}

#[test]
#[ignore = "as above, with many traces"]
fn many_things_that_a_process_could_leave_are_read_as_far_as_they_make_sense() {
    run(|property| many(inputs(), property));
}

#[test]
fn a_trace_is_read_with_all_its_values() {
    let dir = tempfile::tempdir().unwrap();
    let trace = read(dir.path(), &[&valid()]).unwrap();
    assert_eq!((trace.steps, trace.dropped), (77, 1));
    assert_eq!(trace.evaluating.as_deref(), Some("len"));
    assert_eq!(trace.counters.len(), 2);
    let values = |at: usize| {
        let values = trace.contexts[at].values.iter();
        values
            .map(|(read, value)| format!("{} {value}", read.captured))
            .collect::<Vec<_>>()
    };
    assert_eq!(values(0), ["list 7", "x -7"]);
    assert_eq!(trace.contexts[0].old, Some(false));
    assert_eq!(values(1).len(), 5);
}

#[test]
fn a_trace_that_is_cut_off_has_the_first_contexts() {
    let dir = tempfile::tempdir().unwrap();
    let (whole, bytes) = (read(dir.path(), &[&valid()]).unwrap(), valid());
    for end in 0..bytes.len() {
        let mut cut = bytes[..end].to_vec();
        // As after a kill: the header counts what is not written yet.
        let trace = read(dir.path(), &[&cut]).unwrap();
        assert!(whole.contexts.starts_with(&trace.contexts), "{end}");
        // A file that was not yet filled.
        cut.resize(bytes.len(), 0);
        let trace = read(dir.path(), &[&cut]).unwrap();
        let known = trace.contexts.iter().zip(&whole.contexts);
        assert!(
            known.filter(|(a, b)| a == b).count() + 1 >= trace.contexts.len(),
            "{end}"
        );
    }
}

#[test]
fn a_log_that_claims_to_be_endless_is_read_no_further_than_any_log_goes() {
    let dir = tempfile::tempdir().unwrap();
    let mut bytes = valid();
    bytes[layout::LOG_USED..][..8].copy_from_slice(&u64::MAX.to_ne_bytes());
    bytes[layout::STEPS..][..8].copy_from_slice(&u64::MAX.to_ne_bytes());
    let trace = read(dir.path(), &[&bytes, &valid()]).unwrap();
    assert_eq!(trace.steps, u64::MAX);
    // A hole as large as the disk.
    let file = fs::File::options()
        .write(true)
        .open(dir.path().join("trace.0"))
        .unwrap();
    file.set_len(1 << 40).unwrap();
    let bytes = read_used(&dir.path().join("trace.0")).unwrap();
    assert!(bytes.len() as u64 <= LARGE_LOG + 4096, "{}", bytes.len());
}
