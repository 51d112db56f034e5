//! Tests with random input, whatever the cause: the clock, random numbers, the order of a hash map, addresses or
//! threads. Two runs of such a test on one build record different values.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use nopol_expr::Value;
use nopol_process::run::confine::Circumstances;
use nopol_process::run::suite::TestIndex;
use nopol_process::run::trace::{Read, Trace};
use nopol_process::run::{Plan, TestRun, Verdict};
use nopol_source::{SiteIndex, Sources};

/// How evaluations are compared: site, outcome, outcome of the subject's own condition, and values.
type Seen = (SiteIndex, bool, Option<bool>, Vec<(Arc<Read>, Value)>);

/// The same run with other random numbers and addresses.
pub(super) fn varied(plan: Plan) -> Plan {
    Plan {
        draw: plan.draw + 1,
        circumstances: Circumstances::OTHER_ADDRESSES,
        ..plan
    }
}

/// The tests whose two runs differ. The second run is [`varied`].
pub(super) fn varying(
    sources: &Sources,
    tests: &[TestIndex],
    first: &[TestRun],
    second: &[TestRun],
) -> BTreeSet<TestIndex> {
    let pairs = tests.iter().zip(first.iter().zip(second));
    let differ = pairs.filter(|(_, (first, second))| differ(sources, first, second));
    differ.map(|(test, _)| *test).collect()
}

/// Whether two runs reached different sites, had different outcomes, or recorded different values. `false` if a run
/// ended abnormally, because it shows nothing.
pub(super) fn differ(sources: &Sources, first: &TestRun, second: &TestRun) -> bool {
    let ends = |run: &TestRun| matches!(run.verdict, Verdict::Passed | Verdict::Failed);
    let (Some(one), Some(other)) = (&first.trace, &second.trace) else {
        return false;
    };
    if !ends(first) || !ends(second) {
        return false;
    }
    first.verdict != second.verdict
        || one.counters != other.counters
        || !sources.language.policies().captures_may_be_undefined
            && seen(sources, one) != seen(sources, other)
}

/// Everything recorded and how often, in no order. Values that the code only prints are left out.
fn seen(sources: &Sources, trace: &Trace) -> HashMap<Seen, u32> {
    let mut seen = HashMap::new();
    let mut printed: BTreeMap<(SiteIndex, &str), bool> = BTreeMap::new();
    for context in &trace.contexts {
        let mut values = Vec::new();
        for (read, value) in context.values.iter() {
            let name = first_name(&read.captured);
            let known = printed.entry((context.site, name));
            if !*known.or_insert_with(|| is_only_printed(sources, context.site, name)) {
                values.push((Arc::clone(read), compared(value)));
            }
        }
        let key = (context.site, context.outcome, context.old, values);
        *seen.entry(key).or_default() += context.count;
    }
    seen
}

fn is_only_printed(sources: &Sources, site: SiteIndex, name: &str) -> bool {
    let function = &sources.functions[sources.sites[site].function];
    let parameters = &function.parameters;
    let text = &sources.files[function.file].text;
    !parameters.iter().any(|parameter| parameter.text == name)
        && text
            .get(function.span.clone())
            .is_some_and(|text| sources.language.is_only_printed(text, name))
}

/// A value without the digits in a path, because those are process ids and names of the runs' own directories.
fn compared(value: &Value) -> Value {
    match value {
        Value::Str(text) if text.contains('/') => {
            let letters = text.chars().filter(|letter| !letter.is_ascii_digit());
            Value::Str(letters.collect::<String>().into())
        }
        other => other.clone(),
    }
}

/// The variable at the start of an expression.
fn first_name(text: &str) -> &str {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let end = text.find(|letter| !is_part(letter));
    &text[..end.unwrap_or(text.len())]
}
