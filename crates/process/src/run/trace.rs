//! Reads the trace files that the runtime writes (format: `nopol_instrument::layout`).

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use nopol_basics::index::SiteIndex;
use nopol_expr::{Int, IntType, Value};
use nopol_instrument::layout::{self, step, tag};

use super::LARGE_LOG;

/// How often a site was evaluated in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counter {
    /// Evaluations that began.
    pub entered: u64,
    /// Evaluations that yielded false.
    pub falses: u64,
    /// Evaluations that yielded true.
    pub trues: u64,
}

impl Counter {
    /// Whether some evaluation did not finish, because the condition itself panicked.
    pub fn broke(self) -> bool {
        self.entered > self.falses + self.trues
    }
}

/// The context of one evaluation, and how many evaluations had exactly this context and outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct Context {
    /// The site.
    pub site: SiteIndex,
    /// The outcome with which the program continued.
    pub outcome: bool,
    /// The outcome of the subject's own condition, if it was evaluated.
    pub old: Option<bool>,
    /// How often the site was evaluated in this context.
    pub count: u32,
    /// The recorded values, by what was read.
    pub values: Readings,
}

/// What was read in one context, by what was read. A copy shares it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Readings(Arc<[(Arc<Read>, Value)]>);

impl Readings {
    /// The value that was read.
    pub fn get(&self, read: &Read) -> Option<&Value> {
        let at = self.0.binary_search_by(|(known, _)| (**known).cmp(read));
        at.ok().map(|at| &self.0[at].1)
    }

    /// Each value with what was read, in the order of the latter.
    pub fn iter(&self) -> impl Iterator<Item = (&Arc<Read>, &Value)> {
        self.0.iter().map(|(read, value)| (read, value))
    }
}

impl FromIterator<(Arc<Read>, Value)> for Readings {
    /// Of several values of one read, the last counts.
    fn from_iter<T: IntoIterator<Item = (Arc<Read>, Value)>>(values: T) -> Self {
        let mut values: Vec<(Arc<Read>, Value)> = values.into_iter().collect();
        values.reverse();
        values.sort_by(|(a, _), (b, _)| a.cmp(b));
        values.dedup_by(|(later, _), (first, _)| later == first);
        Self(values.into())
    }
}

/// What the runtime read: a captured expression, or a value derived from it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Read {
    /// The text of the captured expression.
    pub captured: String,
    /// The steps from the captured expression to the value.
    pub steps: Vec<Step>,
}

impl Read {
    /// What was evaluated last on the way: a method, or the captured expression.
    fn evaluated(&self) -> String {
        match self.steps.last() {
            Some(Step::Method(name)) => name.clone(),
            _ => self.captured.clone(),
        }
    }
}

/// One step from a value to another; see [`layout::step`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Step {
    /// What a pointer points to.
    Deref,
    /// The length of a C string.
    StringLength,
    /// The contents of a C string.
    Contents,
    /// A field by its name or number.
    Field(String),
    /// A call of a method without arguments.
    Method(String),
    /// Whether the value equals the variant with this path.
    Equal(String),
    /// Whether the value matches this pattern.
    Matches(String),
    /// Whether a pointer is not null.
    Presence,
}

/// What one run of one test recorded, in all of its processes.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// Counters of the sites that were reached.
    pub counters: BTreeMap<SiteIndex, Counter>,
    /// Recorded contexts, in the order of their first occurrence.
    pub contexts: Vec<Context>,
    /// Loop iterations and evaluations.
    pub steps: u64,
    /// Whether the run ended because its fuel was used up.
    pub out_of_fuel: bool,
    /// Contexts that were not recorded, because the log was full or they were skipped.
    pub dropped: u64,
    /// What was being evaluated only to be recorded when a process ended: the name of a method without arguments, or an expression.
    pub evaluating: Option<String>,
    /// The site that was entered last in a process that did not end by itself.
    pub last: Option<SiteIndex>,
    /// The site that was entered last in a process that did: a framework of tests may have caught a signal there.
    pub last_of_ended: Option<SiteIndex>,
    /// Random bytes that were drawn, but for the seeds of hash maps.
    pub drawn: u64,
    /// Some log has too little room for another record.
    pub is_full: bool,
}

/// An upper bound on the size of a record, in bytes.
const RECORD: u64 = 65_536 + 64;

impl Trace {
    /// Reads all trace files in a run's directory.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn read_dir(dir: &Path, sites: usize) -> Result<Self> {
        let mut files: Vec<_> = fs::read_dir(dir)?
            .filter_map(Result::ok)
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
            .map(|entry| entry.path())
            .filter(|path| {
                path.file_name()
                    .is_some_and(|name| name.to_string_lossy().starts_with("trace."))
            })
            .collect();
        files.sort();
        let mut trace = Self::default();
        for path in files {
            let bytes =
                read_used(&path).with_context(|| format!("cannot read {}", path.display()))?;
            let log = fs::metadata(&path)?
                .len()
                .saturating_sub(bytes.len() as u64);
            trace.is_full |= Self::has_dropped(&bytes) && log < RECORD;
            // A process that was killed while it created its file contributes nothing.
            trace.add(&bytes, sites);
        }
        Ok(trace)
    }

    /// Reads all trace files in a directory, by the name of the directory of the program that wrote them.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn read_by_program(dir: &Path, sites: usize) -> Result<BTreeMap<String, Self>> {
        let mut traces: BTreeMap<String, Self> = BTreeMap::new();
        for entry in fs::read_dir(dir)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            // The directory's name may have dots, the process id has none.
            let mut parts = name.splitn(3, '.');
            if let (Some("trace"), Some(_), Some(program)) =
                (parts.next(), parts.next(), parts.next())
            {
                let bytes =
                    read_used(&path).with_context(|| format!("cannot read {}", path.display()))?;
                let trace = traces.entry(program.to_owned()).or_default();
                trace.add(&bytes, sites);
            }
        }
        Ok(traces)
    }

    /// Whether a process dropped contexts.
    fn has_dropped(bytes: &[u8]) -> bool {
        let at = layout::DROPPED;
        Reader { bytes, at }
            .u32()
            .is_some_and(|dropped| dropped > 0)
    }

    /// Adds the content of one file; stops silently at its end if it is truncated.
    fn add(&mut self, bytes: &[u8], sites: usize) -> Option<()> {
        let mut header = Reader { bytes, at: 0 };
        if header.u64()? != layout::MAGIC {
            return None;
        }
        let used = usize::try_from(
            Reader {
                bytes,
                at: layout::LOG_USED,
            }
            .u64()?,
        )
        .ok()?;
        let number = |at| Reader { bytes, at }.u32();
        self.out_of_fuel |= number(layout::ENDED)? == layout::ENDED_FUEL;
        let steps = Reader {
            bytes,
            at: layout::STEPS,
        }
        .u64()?;
        self.steps = self.steps.saturating_add(steps);
        self.dropped += u64::from(number(layout::DROPPED)?);
        self.drawn += u64::from(number(layout::DRAWN)?);
        let last = number(layout::LAST)?;
        let site = (last & !layout::ENDED_BY_ITSELF) as usize;
        let site = site.checked_sub(1).filter(|site| *site < sites);
        let entered = match last & layout::ENDED_BY_ITSELF {
            0 => &mut self.last,
            _ => &mut self.last_of_ended,
        };
        *entered = entered.or(site.map(SiteIndex::from));

        let mut counters = Reader {
            bytes,
            at: layout::COUNTERS,
        };
        for site in (0..sites).map(SiteIndex::from) {
            let (entered, falses, trues) = (counters.u32()?, counters.u32()?, counters.u32()?);
            if entered > 0 {
                let sum = self.counters.entry(site).or_default();
                sum.entered += u64::from(entered);
                sum.falses += u64::from(falses);
                sum.trues += u64::from(trues);
            }
        }

        let start = (layout::COUNTERS + sites * layout::COUNTER).next_multiple_of(8);
        let mut log = Reader {
            bytes: bytes.get(..start.checked_add(used)?)?,
            at: start,
        };
        let evaluating = number(layout::EVALUATING)? as usize;
        let mut names = Vec::new();
        while let Some(kind) = log.u8() {
            if kind == layout::NAME {
                let len = usize::from(log.u16()?);
                let bytes = log.take(len)?;
                let read = Reader { bytes, at: 0 }.read()?;
                names.push(Arc::new(read));
                if names.len() == evaluating {
                    self.evaluating = names.last().map(|read| read.evaluated());
                }
            } else {
                // Anything else is not a record: the process wrote over its log, or was killed before it wrote this.
                let known = (kind == layout::ROW).then(|| log.context(&names))?;
                let context = known.filter(|context| usize::from(context.site) < sites)?;
                self.contexts.push(context);
            }
        }
        Some(())
    }
}

/// Reads the used part of a trace file; the rest is a hole.
fn read_used(path: &Path) -> Result<Vec<u8>> {
    use std::io::Read;
    let mut file = fs::File::open(path)?;
    let mut bytes = vec![0; layout::COUNTERS];
    let got = file.read(&mut bytes)?;
    if got < bytes.len() {
        return Ok(Vec::new());
    }
    let number = |at| Reader { bytes: &bytes, at }.u64().unwrap_or(0);
    let sites = Reader {
        bytes: &bytes,
        at: layout::SITES,
    }
    .u32()
    .unwrap_or(0);
    let start = (layout::COUNTERS + sites as usize * layout::COUNTER).next_multiple_of(8);
    // The process can claim anything.
    let log = number(layout::LOG_USED).min(LARGE_LOG);
    let rest = (start - layout::COUNTERS) as u64 + log;
    file.take(rest).read_to_end(&mut bytes)?;
    Ok(bytes)
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let bytes = self.bytes.get(self.at..self.at.checked_add(len)?)?;
        self.at += len;
        Some(bytes)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn u8(&mut self) -> Option<u8> {
        self.array().map(u8::from_ne_bytes)
    }

    fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_ne_bytes)
    }

    fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_ne_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_ne_bytes)
    }

    fn text(&mut self) -> Option<String> {
        let len = usize::from(self.u16()?);
        Some(String::from_utf8_lossy(self.take(len)?).into_owned())
    }

    /// Parses the remaining bytes as the definition of a name.
    fn read(&mut self) -> Option<Read> {
        let captured = self.text()?;
        let mut steps = Vec::new();
        while let Some(code) = self.u8() {
            steps.push(match code {
                step::DEREF => Step::Deref,
                step::STRING_LENGTH => Step::StringLength,
                step::CONTENTS => Step::Contents,
                step::FIELD => Step::Field(self.text()?),
                step::METHOD => Step::Method(self.text()?),
                step::EQUAL => Step::Equal(self.text()?),
                step::MATCHES => Step::Matches(self.text()?),
                step::PRESENCE => Step::Presence,
                _ => return None,
            });
        }
        Some(Read { captured, steps })
    }

    fn context(&mut self, names: &[Arc<Read>]) -> Option<Context> {
        let site = SiteIndex::new(self.u32()?);
        let flags = self.u8()?;
        let count = self.u32()?;
        let len = self.u32()? as usize;
        let mut entries = Reader {
            bytes: self.take(len)?,
            at: 0,
        };
        let mut values = Vec::new();
        while let Some(name) = entries.u32() {
            let value = entries.value()?;
            values.push((Arc::clone(names.get(name as usize)?), value));
        }
        Some(Context {
            site,
            outcome: flags & layout::OUTCOME != 0,
            old: (flags & layout::OLD_KNOWN != 0).then_some(flags & layout::OLD != 0),
            count,
            values: values.into_iter().collect(),
        })
    }

    fn value(&mut self) -> Option<Value> {
        Some(match self.u8()? {
            tag::BOOL => Value::Bool(self.u32()? != 0),
            tag::CHAR => Value::Char(char::from_u32(self.u32()?)?),
            tag::F32 => Value::F32(u32::try_from(self.u64()?).ok()?),
            tag::F64 => Value::F64(self.u64()?),
            tag::STR => {
                let len = self.u32()? as usize;
                Value::Str(String::from_utf8_lossy(self.take(len)?).into())
            }
            int => {
                let name = tag::INTS.get(usize::from(int.checked_sub(tag::INT)?))?;
                let ty = *IntType::ALL.iter().find(|ty| ty.name() == *name)?;
                let raw = i128::from_ne_bytes(self.array()?);
                let value = match ty {
                    IntType::U128 => Int::from_u128(raw.cast_unsigned()),
                    _ => Int::from_i128(raw),
                };
                value.fits(ty).then_some(Value::Int(ty, value))?
            }
        })
    }
}

#[cfg(test)]
mod tests;
