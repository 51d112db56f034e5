//! Reads values whose types the tool does not know.
//!
//! `(&&&Probe(&x)).see(path)` uses method resolution to pick the best of three ways: an [`Observe`] impl (one
//! of those below, or one generated next to each struct of the subject), the shape of an `Option` or `Result`,
//! or the dynamic type. This works for local variables of inferred type and, after monomorphization, for
//! generic code.

use std::any::TypeId;
use std::borrow::Cow;
use std::cell::{Cell, Ref, RefCell, RefMut};
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, VecDeque};
use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::{Arc, MutexGuard, RwLockReadGuard, RwLockWriteGuard};

use crate::capture::{self, put_bool, put_char, put_f32, put_f64, put_int, put_str};
use crate::layout::{step, tag};

/// The maximum depth of fields.
const DEEPEST: u8 = 2;

/// The access path of a value: the captured expression, the steps from there, and the number of `*` needed.
pub struct Path {
    /// See [`crate::layout::step`].
    name: Vec<u8>,
    /// −1 if the value at hand is a reference to the value that is read.
    derefs: isize,
    depth: u8,
}

impl Path {
    /// An expression as written in the subject.
    pub fn root(text: &'static str) -> Self {
        let mut name = Vec::with_capacity(2 + text.len());
        put_text(&mut name, text);
        Self {
            name,
            derefs: 0,
            depth: 0,
        }
    }

    /// An expression as written in the subject; the value at hand is a reference to it.
    pub fn behind(text: &'static str) -> Self {
        Self {
            derefs: -1,
            ..Self::root(text)
        }
    }

    /// A field of the value; `None` if it is too deep.
    pub fn field(&self, name: &str) -> Option<Self> {
        (self.depth < DEEPEST).then(|| Self {
            name: self.step(step::FIELD, name),
            derefs: 0,
            depth: self.depth + 1,
        })
    }

    /// A method of the value without arguments; `None` if it is too deep.
    pub fn method(&self, name: &str) -> Option<Self> {
        (self.depth < DEEPEST).then(|| Self {
            depth: self.depth + 1,
            ..self.call(name, 0)
        })
    }

    /// Records whether the value is a variant; the patch tests this with `==` if possible.
    pub fn variant(&self, pattern: &str, is_equal: bool, is_it: bool) {
        let mut name = self.value().into_owned();
        name.push(if is_equal { step::EQUAL } else { step::MATCHES });
        put_text(&mut name, pattern);
        put_bool(&name, is_it);
    }

    fn deref(&self) -> Self {
        Self {
            name: self.name.clone(),
            derefs: self.derefs + 1,
            depth: self.depth,
        }
    }

    /// A call on the value; method calls dereference automatically.
    fn call(&self, method: &str, derefs: isize) -> Self {
        Self {
            name: self.query(method),
            derefs,
            depth: self.depth,
        }
    }

    fn value(&self) -> Cow<'_, [u8]> {
        match self.derefs {
            ..=0 => Cow::Borrowed(&self.name),
            derefs => {
                let mut name = self.name.clone();
                name.extend((0..derefs).map(|_| step::DEREF));
                Cow::Owned(name)
            }
        }
    }

    fn query(&self, method: &str) -> Vec<u8> {
        self.step(step::METHOD, method)
    }

    fn step(&self, step: u8, name: &str) -> Vec<u8> {
        let mut path = Vec::with_capacity(self.name.len() + 3 + name.len());
        path.extend(&self.name);
        path.push(step);
        put_text(&mut path, name);
        path
    }

    fn size(&self, len: usize) {
        put_int(&self.query("len"), USIZE, len as i128);
        put_bool(&self.query("is_empty"), len == 0);
    }
}

/// A text with its length. Longer texts do not occur: they would not fit into a record.
fn put_text(to: &mut Vec<u8>, text: &str) {
    to.extend((text.len() as u16).to_ne_bytes());
    to.extend(text.as_bytes());
}

const USIZE: u8 = 11;

/// A value that can record itself in a snapshot.
pub trait Observe {
    /// Adds the value, or its fields and state queries, to the current snapshot.
    fn observe(&self, path: &Path);
}

/// See the module documentation.
pub struct Probe<'a, T: ?Sized>(pub &'a T);

/// The ways in which a [`Probe`] reads a value, best first. The subject's code is generated without optimization,
/// so there is as little of it as possible: paths are made here, and everything generic is short.
pub mod ladder {
    use super::{any, see_option, see_result, Observe, Path, Probe};

    pub trait ViaObserve {
        fn see(&self, path: &Path);
        fn root(&self, text: &'static str);
    }
    impl<T: Observe + ?Sized> ViaObserve for &&Probe<'_, T> {
        fn see(&self, path: &Path) {
            self.0.observe(path);
        }
        fn root(&self, text: &'static str) {
            self.0.observe(&Path::root(text));
        }
    }

    pub trait ViaShape {
        fn see(&self, path: &Path);
        fn root(&self, text: &'static str) {
            self.see(&Path::root(text));
        }
    }
    impl<T> ViaShape for &Probe<'_, Option<T>> {
        fn see(&self, path: &Path) {
            see_option(self.0, path, any);
        }
    }
    impl<T, E> ViaShape for &Probe<'_, Result<T, E>> {
        fn see(&self, path: &Path) {
            see_result(self.0, path);
        }
    }
    // What is behind a reference is asked in the same words.
    impl<T> ViaShape for &Probe<'_, &Option<T>> {
        fn see(&self, path: &Path) {
            see_option(self.0, path, any);
        }
    }
    impl<T> ViaShape for &Probe<'_, &mut Option<T>> {
        fn see(&self, path: &Path) {
            see_option(self.0, path, any);
        }
    }
    impl<T, E> ViaShape for &Probe<'_, &Result<T, E>> {
        fn see(&self, path: &Path) {
            see_result(self.0, path);
        }
    }
    impl<T, E> ViaShape for &Probe<'_, &mut Result<T, E>> {
        fn see(&self, path: &Path) {
            see_result(self.0, path);
        }
    }

    pub trait ViaAny {
        fn see(&self, path: &Path);
        fn root(&self, text: &'static str);
    }
    impl<T: ?Sized> ViaAny for Probe<'_, T> {
        fn see(&self, path: &Path) {
            any(self.0, path);
        }
        fn root(&self, text: &'static str) {
            any(self.0, &Path::root(text));
        }
    }
}

/// Records the value of an expression, unless it panics.
pub fn value(text: &'static str, see: &dyn Fn(&Path)) {
    let path = Path::root(text);
    capture::call(text, &path.name, || see(&path));
}

/// Records an element, unless reading it panics. The value at hand is a reference to it.
pub fn place(text: &'static str, see: &dyn Fn(&Path)) {
    let path = Path::behind(text);
    capture::call(text, &path.name, || see(&path));
}

/// Records a variable by its dynamic type only.
pub fn variable<T: ?Sized>(value: &T, text: &'static str) {
    any(value, &Path::root(text));
}

/// Records a field of a value, unless it is too deep.
pub fn field(of: &Path, name: &str, see: &dyn Fn(&Path)) {
    if let Some(path) = of.field(name) {
        see(&path);
    }
}

/// Records what a method of a value returns, unless it panics or is too deep.
pub fn method(of: &Path, name: &str, see: &dyn Fn(&Path)) {
    if let Some(path) = of.method(name) {
        capture::call(name, &path.name, || see(&path));
    }
}

/// Never calls the expression; with one that changes a captured variable, a call of this does not compile.
pub fn pure(_: &dyn Fn() -> bool) {}

fn see_option<T>(value: &Option<T>, path: &Path, payload: fn(&T, &Path)) {
    put_bool(&path.query("is_some"), value.is_some());
    put_bool(&path.query("is_none"), value.is_none());
    if let Some(value) = value {
        // A type that needs no drop is nearly always `Copy`; any other payload must be borrowed.
        let path = if std::mem::needs_drop::<T>() {
            path.call("as_ref", 0).call("unwrap", 1)
        } else {
            path.call("unwrap", 0)
        };
        payload(value, &path);
    }
}

fn see_result<T, E>(value: &Result<T, E>, path: &Path) {
    put_bool(&path.query("is_ok"), value.is_ok());
    put_bool(&path.query("is_err"), value.is_err());
}

/// The id of a type that may not be `'static`; lifetimes do not matter for scalars.
fn type_id<T: ?Sized>() -> TypeId {
    trait NonStatic {
        fn id(&self) -> TypeId
        where
            Self: 'static;
    }
    impl<T: ?Sized> NonStatic for PhantomData<T> {
        fn id(&self) -> TypeId
        where
            Self: 'static,
        {
            TypeId::of::<T>()
        }
    }
    let phantom = PhantomData::<T>;
    // SAFETY: only the lifetime of the trait object changes, and the object is not stored.
    let phantom =
        unsafe { std::mem::transmute::<&dyn NonStatic, &(dyn NonStatic + 'static)>(&phantom) };
    phantom.id()
}

/// Reads a value by its dynamic type; records nothing for unknown types.
fn any<T: ?Sized>(value: &T, path: &Path) {
    let at = std::ptr::from_ref(value).cast::<()>();
    // SAFETY: the value is of this type.
    unsafe { any_at(type_id::<T>(), at, path) }
}

/// # Safety
/// There must be a value of that type.
unsafe fn any_at(id: TypeId, at: *const (), path: &Path) {
    macro_rules! read {
        ($($ty:ty),*) => {
            $(if id == TypeId::of::<$ty>() {
                // SAFETY: as the caller says.
                return unsafe { &*at.cast::<$ty>() }.observe(path);
            })*
        };
    }
    read!(
        i8,
        i16,
        i32,
        i64,
        i128,
        isize,
        u8,
        u16,
        u32,
        u64,
        u128,
        usize,
        bool,
        char,
        f32,
        f64,
        String,
        &'static str,
        &'static bool,
        &'static char,
        &'static i8,
        &'static i16,
        &'static i32,
        &'static i64,
        &'static isize,
        &'static u8,
        &'static u16,
        &'static u32,
        &'static u64,
        &'static usize,
        &'static f32,
        &'static f64,
        &'static String,
        Option<bool>,
        Option<char>,
        Option<i32>,
        Option<i64>,
        Option<u8>,
        Option<u32>,
        Option<u64>,
        Option<usize>,
        Vec<u8>,
        Vec<i32>,
        Vec<u32>,
        Vec<i64>,
        Vec<u64>,
        Vec<usize>,
        Vec<f64>,
        Vec<char>,
        Vec<String>,
        &'static [u8],
        &'static [i32],
        &'static [usize],
        &'static [f64]
    );
}

macro_rules! observe_ints {
    ($($ty:ident)*) => {
        $(impl Observe for $ty {
            fn observe(&self, path: &Path) {
                put_int(&path.value(), int_tag(stringify!($ty)), *self as i128);
            }
        })*
    };
}
observe_ints!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

fn int_tag(name: &str) -> u8 {
    tag::INTS.iter().position(|int| *int == name).unwrap_or(0) as u8
}

impl Observe for bool {
    fn observe(&self, path: &Path) {
        put_bool(&path.value(), *self);
    }
}

impl Observe for char {
    fn observe(&self, path: &Path) {
        put_char(&path.value(), *self);
    }
}

impl Observe for f32 {
    fn observe(&self, path: &Path) {
        put_f32(&path.value(), *self);
    }
}

impl Observe for f64 {
    fn observe(&self, path: &Path) {
        put_f64(&path.value(), *self);
    }
}

impl Observe for str {
    fn observe(&self, path: &Path) {
        // A `&str` can be compared with a literal directly, so it needs one dereference less.
        let text = Path {
            name: path.name.clone(),
            derefs: path.derefs - 1,
            depth: path.depth,
        };
        put_str(&text.value(), self);
        path.size(self.len());
    }
}

impl Observe for String {
    fn observe(&self, path: &Path) {
        self.as_str().observe(path);
    }
}

macro_rules! observe_pointers {
    ($($ty:ty)*) => {
        $(impl<T: ?Sized + Observe> Observe for $ty {
            fn observe(&self, path: &Path) {
                (**self).observe(&path.deref());
            }
        })*
    };
}
observe_pointers!(&T &mut T Box<T> Rc<T> Arc<T>);
observe_pointers!(Ref<'_, T> RefMut<'_, T> MutexGuard<'_, T> RwLockReadGuard<'_, T> RwLockWriteGuard<'_, T>);

impl Observe for Cow<'_, str> {
    fn observe(&self, path: &Path) {
        (**self).observe(path);
    }
}

impl<T: Observe + Copy> Observe for Cell<T> {
    fn observe(&self, path: &Path) {
        self.get().observe(&path.call("get", 0));
    }
}

impl<T: ?Sized + Observe> Observe for RefCell<T> {
    fn observe(&self, path: &Path) {
        if let Ok(value) = self.try_borrow() {
            value.observe(&path.call("borrow", 0));
        }
    }
}

impl<T: Observe> Observe for Option<T> {
    fn observe(&self, path: &Path) {
        see_option(self, path, T::observe);
    }
}

impl<T: Observe, E> Observe for Result<T, E> {
    fn observe(&self, path: &Path) {
        see_result(self, path);
    }
}

impl<T> Observe for [T] {
    fn observe(&self, path: &Path) {
        path.size(self.len());
    }
}

impl<T, const N: usize> Observe for [T; N] {
    fn observe(&self, path: &Path) {
        path.size(N);
    }
}

macro_rules! observe_collections {
    ($($ty:ident <$($parameter:ident),*>)*) => {
        $(impl<$($parameter),*> Observe for $ty<$($parameter),*> {
            fn observe(&self, path: &Path) {
                path.size(self.len());
            }
        })*
    };
}
observe_collections!(Vec<T> VecDeque<T> BinaryHeap<T> BTreeSet<T> BTreeMap<K, V> HashSet<T, S> HashMap<K, V, S>);

macro_rules! observe_tuples {
    ($(($($parameter:ident $index:tt),*))*) => {
        $(impl<$($parameter: Observe),*> Observe for ($($parameter,)*) {
            fn observe(&self, path: &Path) {
                $(if let Some(path) = path.field(stringify!($index)) {
                    self.$index.observe(&path);
                })*
            }
        })*
    };
}
observe_tuples!((A 0, B 1) (A 0, B 1, C 2));

impl<T: Observe> Observe for std::ops::Range<T> {
    fn observe(&self, path: &Path) {
        for (name, value) in [("start", &self.start), ("end", &self.end)] {
            if let Some(path) = path.field(name) {
                value.observe(&path);
            }
        }
    }
}
