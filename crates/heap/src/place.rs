//! Λ in both directions: which instruction a line of the source is, how control came there, and which line comes next.

use std::collections::{BTreeSet, VecDeque};

use crate::ir::{
    Atom, Instruction, Kind, LoopId, Path, Routine, SlotId, StatementId, Term, VariableId,
};
use crate::machine::Point;
use crate::problem::Visit;

/// What lay between two stops.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Way {
    /// The heads of loops that were passed, with what was decided.
    pub visits: Vec<Visit>,
    /// The variables that were assigned to.
    pub assigned: Vec<VariableId>,
    /// The places for statements that were passed.
    pub slots: Vec<SlotId>,
    /// The instruction that was reached.
    pub to: usize,
    /// Whether control may have come there otherwise, past other heads of loops: a line has several statements.
    pub is_open: bool,
}

impl Routine {
    /// The statement that an instruction executes.
    pub fn statement_at(&self, at: usize) -> Option<StatementId> {
        match self.code.get(at)? {
            Instruction::Assign(statement, _)
            | Instruction::Clear(statement, _)
            | Instruction::Test(statement, ..)
            | Instruction::Head { statement, .. }
            | Instruction::Free(statement, _)
            | Instruction::Use(statement, _)
            | Instruction::Concrete(statement) => Some(*statement),
            Instruction::Declare(_)
            | Instruction::Jump(_)
            | Instruction::Back(_)
            | Instruction::Print
            | Instruction::Halt
            | Instruction::Slot(_) => None,
        }
    }

    /// The line of an instruction of the function itself.
    pub fn line_at(&self, at: usize) -> Option<u32> {
        if at >= self.code.len() {
            return self.last_line();
        }
        if let Some(line) = self.jumps.get(&at) {
            return Some(*line);
        }
        let statement = &self.statements[self.statement_at(at)?];
        (!statement.is_locked || statement.kind == Kind::Concrete).then_some(statement.line)
    }

    /// The line of the closing brace.
    pub fn last_line(&self) -> Option<u32> {
        let last = self.slots.iter().filter(|slot| slot.is_last);
        last.map(|slot| slot.line).max()
    }

    /// The program point before an instruction.
    pub fn point(&self, at: usize) -> Point {
        match self.code.get(at) {
            None => Point::End,
            Some(Instruction::Head { id, .. }) => Point::Head(*id),
            Some(_) => Point::At(at),
        }
    }

    /// The shortest way from an instruction, which is executed, to one in this line; from the beginning if there is none.
    pub fn way(&self, from: Option<usize>, line: u32) -> Option<Way> {
        let count = self.code.len();
        let mut before: Vec<Option<usize>> = vec![None; count + 1];
        let mut seen = vec![false; count + 1];
        let mut queue: VecDeque<usize> = VecDeque::new();
        match from {
            Some(from) => {
                for next in self.successors(from) {
                    if !std::mem::replace(&mut seen[next], true) {
                        queue.push_back(next);
                    }
                }
            }
            None => {
                seen[0] = true;
                queue.push_back(0);
            }
        }
        while let Some(at) = queue.pop_front() {
            if self.line_at(at) == Some(line) {
                let steps = steps(from, at, &before);
                let mut way = self.walked(&steps);
                if let Some(from) = from {
                    self.open(from, &steps, &mut way);
                }
                return Some(way);
            }
            for next in self.successors(at) {
                if !std::mem::replace(&mut seen[next], true) {
                    before[next] = Some(at);
                    queue.push_back(next);
                }
            }
        }
        None
    }

    /// What else may have been executed on a way between two stops, all of it in the lines that these steps passed. Debuggers may
    /// pass a loop on one line without a stop.
    fn open(&self, from: usize, steps: &[usize], way: &mut Way) {
        let passed = &steps[..steps.len().saturating_sub(1)];
        let lines: BTreeSet<Option<u32>> = passed.iter().map(|at| self.line_at(*at)).collect();
        let is_between = |at: usize| {
            let line = self.line_at(at);
            line.is_none() || lines.contains(&line)
        };
        // What can be reached without a stop, and from where the end of the way can.
        let mut reached = vec![from];
        let mut known = vec![false; self.code.len() + 1];
        let mut at = 0;
        while let Some(one) = reached.get(at).copied() {
            at += 1;
            if one != from && (one == way.to || !is_between(one)) {
                continue;
            }
            for next in self.successors(one) {
                if !std::mem::replace(&mut known[next], true) {
                    reached.push(next);
                }
            }
        }
        let leads = |start: usize| {
            let mut queue = vec![start];
            let mut seen = vec![false; self.code.len() + 1];
            while let Some(one) = queue.pop() {
                if one == way.to {
                    return true;
                }
                if is_between(one) && !std::mem::replace(&mut seen[one], true) {
                    queue.extend(self.successors(one));
                }
            }
            false
        };
        let passed: Vec<usize> = reached
            .into_iter()
            .filter(|one| *one == from || *one != way.to && is_between(*one) && leads(*one))
            .collect();
        way.is_open = passed.iter().any(|one| {
            let is_loop = matches!(self.code.get(*one), Some(Instruction::Head { statement, .. })
                if !self.statements[*statement].is_locked);
            is_loop && self.successors(*one).into_iter().all(leads)
        });
        for one in passed {
            if let Some(Instruction::Assign(statement, _)) = self.code.get(one)
                && let Some(Atom::Read(Path { base, fields })) = self.statements[*statement]
                    .leaves
                    .first()
                    .map(|leaf| &leaf.atom)
                && fields.is_empty()
            {
                way.assigned.push(*base);
            }
        }
    }

    /// Whether an instruction is in a loop of the function itself, so that a run may come there several times.
    pub fn is_repeated(&self, at: usize) -> bool {
        let mut all = self.code.iter().enumerate();
        all.any(|(end, instruction)| match instruction {
            Instruction::Back(start) => (*start..=end).contains(&at),
            _ => false,
        })
    }

    /// What is on the way of these steps.
    fn walked(&self, steps: &[usize]) -> Way {
        let mut way = Way {
            to: steps.last().copied().unwrap_or_default(),
            ..Way::default()
        };
        for pair in steps.windows(2) {
            let [at, next] = pair else { continue };
            match &self.code[*at] {
                Instruction::Head {
                    id,
                    body,
                    statement,
                    ..
                } if !self.statements[*statement].is_locked => way.visits.push(Visit {
                    id: *id,
                    enters: next == body,
                }),
                Instruction::Assign(statement, _) => {
                    if let Some(Atom::Read(Path { base, fields })) = self.statements[*statement]
                        .leaves
                        .first()
                        .map(|leaf| &leaf.atom)
                        && fields.is_empty()
                    {
                        way.assigned.push(*base);
                    }
                }
                Instruction::Concrete(statement) => {
                    let of = &self.statements[*statement];
                    let words = of.text.split(|c: char| !c.is_alphanumeric() && c != '_');
                    let words: Vec<&str> = words.collect();
                    let named = of.scope.iter().copied();
                    way.assigned
                        .extend(named.filter(|id| words.contains(&&*self.variables[*id].name)));
                }
                Instruction::Slot(slot) => way.slots.push(*slot),
                _ => {}
            }
        }
        way
    }

    /// The instructions that may come next.
    fn successors(&self, at: usize) -> Vec<usize> {
        match self.code.get(at) {
            None => Vec::new(),
            Some(Instruction::Test(_, _, otherwise)) => vec![at + 1, *otherwise],
            Some(Instruction::Head { body, exit, .. }) => vec![*body, *exit],
            Some(Instruction::Jump(to) | Instruction::Back(to)) => vec![*to],
            Some(Instruction::Halt) => Vec::new(),
            Some(_) => vec![at + 1],
        }
    }

    /// The first line at or after an instruction, as far as no condition decides.
    pub fn line_from(&self, at: usize) -> Option<u32> {
        self.line_at(self.placed_from(at)?)
    }

    /// The first instruction that is in a line, at or after an instruction, as far as no condition decides.
    fn placed_from(&self, mut at: usize) -> Option<usize> {
        for _ in 0..=self.code.len() {
            if self.line_at(at).is_some() {
                return Some(at);
            }
            at = *self.successors(at).first()?;
        }
        None
    }

    /// Whether a line is within a statement that is not modelled and comes next.
    pub fn is_within_concrete(&self, at: usize, line: u32) -> bool {
        let Some(Instruction::Concrete(statement)) = self.code.get(at) else {
            return false;
        };
        let first = self.statements[*statement].line;
        let mut all = self.concrete.iter();
        let of = all.find(|concrete| concrete.statement == *statement);
        of.is_some_and(|of| (first..=of.last).contains(&line))
    }

    /// The line to which a condition leads.
    pub fn line_after(&self, at: usize, holds: bool) -> Option<u32> {
        match self.code.get(at)? {
            Instruction::Test(_, _, otherwise) => {
                self.line_from(if holds { at + 1 } else { *otherwise })
            }
            Instruction::Head { body, exit, .. } => {
                self.line_from(if holds { *body } else { *exit })
            }
            _ => self.line_from(at + 1),
        }
    }

    /// Whether this outcome of a condition leads to a statement to which the other one does not lead, and which is not the
    /// condition itself. A body without a statement has none.
    pub fn leads_elsewhere(&self, at: usize, holds: bool) -> bool {
        let (then, otherwise) = match self.code.get(at) {
            Some(Instruction::Test(_, _, otherwise)) => (at + 1, *otherwise),
            Some(Instruction::Head { body, exit, .. }) => (*body, *exit),
            _ => return false,
        };
        let (own, other) = match holds {
            true => (then, otherwise),
            false => (otherwise, then),
        };
        let own = self.placed_from(own);
        own != Some(at) && own != self.placed_from(other)
    }

    /// The pointer that an instruction frees, as it is written.
    pub fn freed_at(&self, at: usize) -> Option<String> {
        match self.code.get(at)? {
            Instruction::Free(statement, _) => {
                let leaf = self.statements[*statement].leaves.first()?;
                Some(self.written_atom(&leaf.atom))
            }
            _ => None,
        }
    }

    /// The pointers that the statement at an instruction may follow or free, as they are written. `None` if it executes other
    /// functions, whose pointers have no names there.
    pub fn followed_at(&self, at: usize) -> Option<Vec<String>> {
        let is_plain = match self.code.get(at + 1) {
            None | Some(Instruction::Slot(_) | Instruction::Jump(_) | Instruction::Back(_)) => true,
            Some(_) => self.line_at(at + 1).is_some(),
        };
        let statement = self.statement_at(at).filter(|_| is_plain)?;
        let paths = self.statements[statement].leaves.iter();
        let paths = paths.filter_map(|leaf| match &leaf.atom {
            Atom::Read(path) => Some(path),
            Atom::Null | Atom::Number(_) => None,
        });
        let is_free = matches!(self.code[at], Instruction::Free(..));
        let pointers = paths.flat_map(|path| {
            let most = path.fields.len() + usize::from(is_free);
            (0..most).map(|count| Path {
                base: path.base,
                fields: path.fields[..count].to_vec(),
            })
        });
        Some(pointers.map(|path| self.written(&path)).collect())
    }

    /// Whether the statement of an instruction may get memory, itself or in what it calls.
    pub fn may_allocate(&self, at: usize) -> bool {
        let others = self.code.iter().enumerate().skip(at + 1);
        let others = others.take_while(|(next, _)| self.line_at(*next).is_none());
        let all = self
            .code
            .get(at)
            .into_iter()
            .chain(others.map(|(_, other)| other));
        all.into_iter().any(|instruction| match instruction {
            Instruction::Assign(_, term) => matches!(term, Term::Fresh(..)),
            Instruction::Concrete(_) => true,
            _ => false,
        })
    }

    /// Whether any statement may allocate memory.
    pub fn allocates(&self) -> bool {
        (0..self.code.len()).any(|at| self.may_allocate(at))
    }

    /// The loop whose condition an instruction evaluates.
    pub fn loop_at(&self, at: usize) -> Option<LoopId> {
        match self.code.get(at)? {
            Instruction::Head { id, .. } => Some(*id),
            _ => None,
        }
    }
}

/// The instructions on a way, by the one before each.
fn steps(from: Option<usize>, to: usize, before: &[Option<usize>]) -> Vec<usize> {
    let mut steps = vec![to];
    let mut at = to;
    while let Some(earlier) = before[at] {
        steps.push(earlier);
        at = earlier;
    }
    steps.extend(from);
    steps.reverse();
    steps
}
