//! Code that is compiled only for tests but is not a test. It has no sites, although a failing test may be wrong
//! because of it.

use syn::{Attribute, Block, ImplItem, Item, Signature};

/// Attributes that do not make a function a test.
const HARMLESS: [&str; 7] = [
    "allow",
    "cfg",
    "deprecated",
    "doc",
    "expect",
    "inline",
    "must_use",
];

/// Whether a function may be a test. An attribute of another crate may make it one.
pub fn may_be_test(attrs: &[Attribute]) -> bool {
    let is_harmless = |attr: &Attribute| HARMLESS.iter().any(|it| attr.path().is_ident(it));
    !attrs.iter().all(is_harmless)
}

/// Whether a module, or an `impl` block, that is compiled only for tests has no test but some function that decides
/// something, judging by `decides`. False if it contains a macro call or another file, which may have tests.
pub fn only_helps_tests(item: &Item, decides: &dyn Fn(&Signature, &Block) -> bool) -> bool {
    let mut functions = Vec::new();
    collect(item, &mut functions)
        && !functions.iter().any(|(attrs, ..)| may_be_test(attrs))
        && functions.iter().any(|(_, sig, body)| decides(sig, body))
}

/// The functions of a module with tests that are not tests and that decide something, judging by `decides`.
pub fn beside_tests<'i>(
    item: &'i Item,
    decides: &dyn Fn(&Signature, &Block) -> bool,
) -> Vec<&'i Signature> {
    let mut functions = Vec::new();
    collect(item, &mut functions);
    let helpers = functions
        .into_iter()
        .filter(|(attrs, ..)| !may_be_test(attrs));
    let helpers = helpers.filter(|(_, sig, body)| decides(sig, body));
    helpers.map(|(_, sig, _)| sig).collect()
}

type Function<'i> = (&'i [Attribute], &'i Signature, &'i Block);

/// Adds the functions in an item. Returns whether the item cannot contain others.
fn collect<'i>(item: &'i Item, functions: &mut Vec<Function<'i>>) -> bool {
    match item {
        Item::Fn(item) => functions.push((&item.attrs, &item.sig, &item.block)),
        Item::Impl(block) => functions.extend(block.items.iter().filter_map(|item| match item {
            ImplItem::Fn(item) => Some((&*item.attrs, &item.sig, &item.block)),
            _ => None,
        })),
        Item::Mod(module) => {
            let Some((_, items)) = &module.content else {
                return false;
            };
            let mut is_all = true;
            for item in items {
                is_all &= collect(item, functions);
            }
            return is_all;
        }
        Item::Macro(_) => return false,
        _ => {}
    }
    true
}
