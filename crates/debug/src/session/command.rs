//! The commands of a session: table 1 of Wolverine2, and what else a debugger needs.

use nopol_basics::nearest::did_you_mean;
use nopol_heap::notation::{parse_node, parse_value};
use nopol_heap::state::{NodeId, Value};

/// What can be named and changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Named {
    /// A variable.
    Variable(String),
    /// A field of a node.
    Field(NodeId, String),
}

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Runs the program to `main`.
    Start,
    /// Executes this many statements.
    Next(u32),
    /// Enters the function that is called.
    Step,
    /// Enters the loop or branch, whatever its condition says.
    Enter,
    /// Leaves the loop or skips the branch, whatever its condition says.
    Leave,
    /// Stops at a function or line from now on.
    Break(String),
    /// Runs to the next breakpoint.
    Continue,
    /// Runs to the end of the function; at the end, leaves it.
    Finish,
    /// Shows the state, or what something holds.
    Print(Option<Named>),
    /// Gives something a value.
    Change(Named, Value),
    /// Adds the state to the specification.
    Spec,
    /// Searches for a repair and goes on with it.
    Repair,
    /// Shows the patch, or writes the patched source to a file.
    Rewrite(Option<String>),
    /// The statements in these lines are right.
    Concrete(u32, u32),
    /// Lists the checkpoints.
    Checkpoints,
    /// Goes back to a checkpoint.
    Resume(usize),
    /// Takes the last change or specification back.
    Undo,
    /// Explains the commands.
    Help,
    /// Ends the session.
    Quit,
}

/// The names of all commands.
pub const NAMES: [&str; 19] = [
    "start",
    "next",
    "step",
    "enter",
    "leave",
    "break",
    "continue",
    "finish",
    "print",
    "change",
    "spec",
    "repair",
    "rewrite",
    "concrete",
    "checkpoints",
    "resume",
    "undo",
    "help",
    "quit",
];

/// What each command does, for `help`.
pub const HELP: &str = "\
start                 run the program to `main`
next [N]              execute the next statement, or N of them
step                  enter the function that is called
enter, leave          enter the loop or branch, or skip it, whatever its condition yields
break PLACE           stop at FUNCTION or FILE:LINE
continue              run to the next breakpoint
finish                run to the end of the function, where states can still be asserted; a second `finish` leaves it
print [ENTITY]        show the heap, or one entity: `current`, `n4->next`
change ENTITY VALUE   give an entity a value: `change current n3`, `change n4->prev null`
spec                  assert that the heap is correct as shown, and make a checkpoint
repair                search for a patch that leads to all checkpoints, and continue with it
rewrite [FILE]        show the patch, or write the patched source to FILE
concrete LINE[-LINE]  assert that these lines are correct
checkpoints           list the checkpoints
resume N              go back to checkpoint N
undo                  undo the last `change` or `spec`
quit                  end the session";

/// Whether an empty line after this one means it again: only what leads the program on, or shows it.
pub fn repeats(line: &str) -> bool {
    parse(line).is_ok_and(|commands| {
        commands.iter().all(|command| {
            matches!(
                command,
                Command::Next(_)
                    | Command::Step
                    | Command::Continue
                    | Command::Finish
                    | Command::Print(_)
            )
        })
    })
}

/// Reads the commands of a line: several are separated by semicolons, and `#` begins a comment.
///
/// # Errors
/// If one cannot be read: a sentence.
pub fn parse(line: &str) -> Result<Vec<Command>, String> {
    let line = line.split('#').next().unwrap_or_default();
    line.split(';')
        .map(str::trim)
        .filter(|one| !one.is_empty())
        .map(parse_one)
        .collect()
}

fn parse_one(text: &str) -> Result<Command, String> {
    let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let rest = rest.trim();
    let needed = |what: &str| match rest.is_empty() {
        true => Err(format!("`{name}` needs {what}")),
        false => Ok(rest.to_owned()),
    };
    let is_alone = matches!(
        name,
        "start"
            | "step"
            | "s"
            | "enter"
            | "leave"
            | "continue"
            | "c"
            | "finish"
            | "spec"
            | "repair"
            | "checkpoints"
            | "undo"
            | "help"
            | "?"
            | "quit"
            | "q"
            | "exit"
    );
    if is_alone && !rest.is_empty() {
        return Err(format!(
            "`{name}` takes no argument, but got `{rest}`; nothing was done (separate commands with a semicolon)"
        ));
    }
    let number = |text: &str| {
        text.parse::<u32>()
            .map_err(|_| format!("`{text}` is not a number"))
    };
    Ok(match name {
        "start" => Command::Start,
        "next" | "n" if rest.is_empty() => Command::Next(1),
        "next" | "n" => match number(rest)? {
            0 => return Err("`next 0` executes nothing".to_owned()),
            times => Command::Next(times),
        },
        "step" | "s" => Command::Step,
        "enter" => Command::Enter,
        "leave" => Command::Leave,
        "break" | "b" => Command::Break(needed("a function or FILE:LINE")?),
        "continue" | "c" => Command::Continue,
        "finish" => Command::Finish,
        "print" | "p" if rest.is_empty() => Command::Print(None),
        "print" | "p" => Command::Print(Some(named(rest)?)),
        "change" => {
            let rest = needed("an entity and a value: `change current n3`")?;
            let Some((entity, value)) = rest.rsplit_once(char::is_whitespace) else {
                return Err(format!("`change {rest}` needs a value: `change {rest} n3`"));
            };
            // Also as in the paper: `change current -> n3`.
            let entity = entity.trim().trim_end_matches("->");
            Command::Change(named(entity)?, parse_value(value)?)
        }
        "spec" => Command::Spec,
        "repair" => Command::Repair,
        "rewrite" => Command::Rewrite((!rest.is_empty()).then(|| rest.to_owned())),
        "concrete" => {
            let rest = needed("a line, or two with a hyphen between them")?;
            let (first, last) = rest.split_once('-').unwrap_or((&rest, &rest));
            Command::Concrete(number(first.trim())?, number(last.trim())?)
        }
        "checkpoints" => Command::Checkpoints,
        "resume" => {
            let number = number(&needed("the number of a checkpoint")?)?;
            Command::Resume(usize::try_from(number).unwrap_or(usize::MAX))
        }
        "undo" => Command::Undo,
        "help" | "?" => Command::Help,
        "quit" | "q" | "exit" => Command::Quit,
        _ => {
            let near = did_you_mean(name, NAMES.into_iter());
            return Err(format!("there is no command `{name}`{near}"));
        }
    })
}

/// An entity: `current`, `n4->next` or `n4.next`.
fn named(text: &str) -> Result<Named, String> {
    let text: String = text.split_whitespace().collect();
    let parts = text.split_once("->").or_else(|| text.split_once('.'));
    match parts {
        Some((node, field)) if parse_node(node).is_some() => Ok(Named::Field(
            parse_node(node).unwrap_or(NodeId(0)),
            field.to_owned(),
        )),
        _ if text.is_empty() => Err("name a variable or a field".to_owned()),
        _ => Ok(Named::Variable(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_line_repeats_what_leads_on_and_nothing_else() {
        assert!(repeats("next; n 3; step; c; finish; print head"));
        for line in [
            "spec",
            "start",
            "next; spec",
            "enter",
            "leave",
            "undo",
            "repair",
            "resume 0",
            "change p null",
            "nxt",
        ] {
            assert!(!repeats(line), "{line}");
        }
    }

    #[test]
    fn a_command_without_arguments_takes_none() {
        for name in NAMES {
            let takes_one = [
                "next", "break", "print", "change", "rewrite", "concrete", "resume",
            ];
            let given = parse(&format!("{name} now"));
            if !takes_one.contains(&name) {
                let sentence = given.unwrap_err();
                assert!(
                    sentence.starts_with(&format!("`{name}` takes no argument")),
                    "{sentence}"
                );
            }
        }
    }

    #[test]
    fn commands_are_read_as_the_paper_writes_them() {
        let field = |node, name: &str| Named::Field(NodeId(node), name.to_owned());
        assert_eq!(
            parse("next; next; spec").unwrap(),
            [Command::Next(1), Command::Next(1), Command::Spec]
        );
        assert_eq!(
            parse("change n4 -> prev n3").unwrap(),
            [Command::Change(field(3, "prev"), Value::Node(NodeId(2)))]
        );
        assert_eq!(
            parse("change current -> n3 # as in figure 11").unwrap(),
            [Command::Change(
                Named::Variable("current".to_owned()),
                Value::Node(NodeId(2))
            )]
        );
        assert_eq!(
            parse("nxt").unwrap_err(),
            "there is no command `nxt`; did you mean `next`?"
        );
        // The session, which knows the nodes, refuses this.
        assert_eq!(
            parse("change n4 n3").unwrap(),
            [Command::Change(
                Named::Variable("n4".to_owned()),
                Value::Node(NodeId(2))
            )]
        );
    }
}
