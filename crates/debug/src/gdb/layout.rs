//! Reads types as gdb prints them: declarations, and the layouts that `ptype /o` shows. Text only: asking gdb, and
//! looking through names made by `typedef`, is left to [`super::types`].

/// A type or declaration as it is spelled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spelled {
    /// What is declared. Empty for a type alone.
    pub(super) name: String,
    /// The type before stars and brackets, without qualifiers: `struct node`.
    pub(super) base: String,
    /// How many stars it has.
    pub(super) stars: usize,
    /// The sizes of an array, from the outermost.
    pub(super) dimensions: Vec<u64>,
    /// The width of a bit-field.
    pub(super) bits: Option<u32>,
    /// Whether it is a pointer to a function or an array. Then only the name is known.
    pub(super) is_intricate: bool,
}

/// A member of a structure, as `ptype /o` shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Member {
    /// Its offset in the structure that is shown. Members of unions have none.
    pub(super) offset: Option<u64>,
    /// Its first bit in the byte at the offset.
    pub(super) bit: u32,
    /// Its size.
    pub(super) size: u64,
    /// What it is.
    pub(super) spelled: Spelled,
    /// The members of a structure that is written out. Then only the name and the dimensions of `spelled` mean
    /// something, and without a name the members belong to the outer structure.
    pub(super) nested: Option<Group>,
}

/// The members of a structure or union.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Group {
    /// Whether it is a union.
    pub(super) is_union: bool,
    /// The members in their order.
    pub(super) members: Vec<Member>,
}

const QUALIFIERS: [&str; 5] = ["const", "volatile", "restrict", "_Atomic", "register"];

/// Reads a type without a name: `const struct node *[4]`.
pub(super) fn type_name(text: &str) -> Spelled {
    spell(text, false)
}

/// Reads a declaration: `struct node *kids[2]`, `unsigned int flag : 3`.
pub(super) fn declaration(text: &str) -> Spelled {
    spell(text.trim_end_matches(';'), true)
}

fn spell(text: &str, is_named: bool) -> Spelled {
    let mut spelled = Spelled {
        name: String::new(),
        base: String::new(),
        stars: 0,
        dimensions: Vec::new(),
        bits: None,
        is_intricate: false,
    };
    let mut text = text.trim();
    if let Some((inner_text, bits)) = text.split_once(" : ") {
        text = inner_text;
        spelled.bits = bits.trim().parse().ok();
    }
    if let Some((_, inner)) = text.split_once('(') {
        spelled.is_intricate = true;
        spelled.name = inner
            .trim_start_matches(['*', '(', ' '])
            .chars()
            .take_while(|character| is_word(*character))
            .collect();
        return spelled;
    }
    if let Some(start) = text.find('[') {
        spelled.dimensions = text[start..]
            .split('[')
            .skip(1)
            // A flexible array has no size, and so no elements that could be shown.
            .map(|part| part.trim().trim_end_matches(']').parse().unwrap_or(0))
            .collect();
        text = text[..start].trim_end();
    }
    if is_named {
        let start = text
            .char_indices()
            .rev()
            .take_while(|(_, character)| is_word(*character))
            .last()
            .map_or(text.len(), |(index, _)| index);
        spelled.name = text[start..].to_owned();
        text = &text[..start];
    }
    spelled.stars = text.matches('*').count();
    let words: Vec<&str> = text
        .split([' ', '*'])
        .filter(|word| !word.is_empty() && !QUALIFIERS.contains(word))
        .collect();
    spelled.base = words.join(" ");
    spelled
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || character == '$'
}

/// Reads what `ptype /o` prints for a structure. Nothing if it is not the layout of a structure.
pub(super) fn layout(text: &str) -> Option<Group> {
    // The groups that are open, each with the member that it makes up.
    let mut open: Vec<(Option<MemberPlace>, Group)> = Vec::new();
    for line in text.lines() {
        let (comment, code) = split_comment(line);
        let code = code.trim();
        if code.ends_with('{') {
            let is_union = code.split_whitespace().any(|word| word == "union");
            let group = Group {
                is_union,
                members: Vec::new(),
            };
            open.push((place(comment), group));
        } else if let Some(rest) = code.strip_prefix('}') {
            let (place, group) = open.pop()?;
            let Some((_, outer)) = open.last_mut() else {
                return Some(group);
            };
            let place = place?;
            outer.members.push(Member {
                offset: place.offset,
                bit: 0,
                size: place.size,
                spelled: declaration(rest),
                nested: Some(group),
            });
        } else if code.ends_with(';')
            && let Some(place) = place(comment)
        {
            open.last_mut()?.1.members.push(Member {
                offset: place.offset,
                bit: place.bit,
                size: place.size,
                spelled: declaration(code),
                nested: None,
            });
        }
    }
    None
}

/// Where a member is.
#[derive(Clone, Copy, Debug)]
struct MemberPlace {
    offset: Option<u64>,
    bit: u32,
    size: u64,
}

/// Reads the comment before a member: `12: 3   |       4`, or only the size in a union.
fn place(comment: &str) -> Option<MemberPlace> {
    let Some((offset, size)) = comment.split_once('|') else {
        return Some(MemberPlace {
            offset: None,
            bit: 0,
            size: comment.trim().parse().ok()?,
        });
    };
    let (offset, bit) = offset.split_once(':').unwrap_or((offset, "0"));
    Some(MemberPlace {
        offset: Some(offset.trim().parse().ok()?),
        bit: bit.trim().parse().ok()?,
        size: size.trim().parse().ok()?,
    })
}

/// The comment at the start of a line, and the rest.
fn split_comment(line: &str) -> (&str, &str) {
    line.trim_start()
        .strip_prefix("/*")
        .and_then(|rest| rest.split_once("*/"))
        .unwrap_or(("", line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings() {
        let kids = declaration("const struct node *kids[2][3];");
        assert_eq!(kids.name, "kids");
        assert_eq!(kids.base, "struct node");
        assert_eq!(kids.stars, 1);
        assert_eq!(kids.dimensions, [2, 3]);
        assert_eq!(declaration("unsigned int flag : 3;").bits, Some(3));
        assert_eq!(declaration("int (*call)(int);").name, "call");
        assert!(type_name("int (*)[3]").is_intricate);
        let pointer = type_name("const volatile struct in * const");
        assert_eq!((pointer.base.as_str(), pointer.stars), ("struct in", 1));
        assert_eq!(declaration("char rest[];").dimensions, [0]);
    }

    #[test]
    fn layouts() {
        let text = "/* offset      |    size */  type = struct node {
/*      0      |       8 */    struct node *next;
/*     12: 3   |       4 */    int sb : 5;
/* XXX  2-byte hole      */
/*     32      |       8 */    union {
/*                     4 */        int u1;

                                   /* total size (bytes):    8 */
                               } u;
/*     40      |      16 */    struct {
/*     40      |       4 */        int in1;

                                   /* total size (bytes):   16 */
                               };

                               /* total size (bytes):  160 */
                             }
";
        let group = layout(text).unwrap();
        let names: Vec<_> = group
            .members
            .iter()
            .map(|member| (member.spelled.name.as_str(), member.offset, member.bit))
            .collect();
        assert_eq!(
            names,
            [
                ("next", Some(0), 0),
                ("sb", Some(12), 3),
                ("u", Some(32), 0),
                ("", Some(40), 0)
            ]
        );
        assert!(group.members[2].nested.as_ref().unwrap().is_union);
        assert_eq!(group.members[3].nested.as_ref().unwrap().members.len(), 1);
        assert_eq!(layout("type = int\n"), None);
    }
}
