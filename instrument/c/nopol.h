/* The runtime that `cargo nopol` includes before the first line of each C file under repair. It is the
 * counterpart of the Rust runtime in instrument/src and uses the same trace file and environment variables
 * (layout.rs).
 *
 * It includes no header, so that macros that the subject defines before its own includes still take effect.
 * All definitions are weak: every translation unit has them, and the linker keeps one. System calls are made
 * directly, because the subject may define its own `read` or `write`, and errno must not change.
 */
#ifndef NOPOL_H
#define NOPOL_H
/* Suppresses warnings about this header; warnings about macro arguments remain. */
#pragma GCC system_header
/* The macros must not add warnings to the subject's code: captures read variables that may not be set yet,
 * setjmp guards keep variables alive, and conditions are no longer constants. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wuninitialized"
#pragma clang diagnostic ignored "-Wconditional-uninitialized"
#pragma clang diagnostic ignored "-Wsometimes-uninitialized"
#pragma clang diagnostic ignored "-Wunevaluated-expression"
#pragma clang diagnostic ignored "-Wreturn-type"
#pragma clang diagnostic ignored "-Wc99-extensions" /* empty macro arguments */
#else
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wclobbered"
#pragma GCC diagnostic ignored "-Wreturn-type"
#endif

typedef unsigned char nopol_u8;
typedef __UINT32_TYPE__ nopol_u32;
typedef __UINT64_TYPE__ nopol_u64;
typedef __SIZE_TYPE__ nopol_size;
/* Also the largest number that is changed atomically; where it has 32 bits, it is the low half of what layout.rs says. */
typedef __UINTPTR_TYPE__ nopol_address;

/* ---- The interface with the tool: layout.rs --------------------------------------------------- */

enum {
    NOPOL_LOG_USED = 8, NOPOL_SITES = 16, NOPOL_ENDED = 20, NOPOL_STEPS = 24, NOPOL_DROPPED = 32,
    NOPOL_LAST = 40, NOPOL_COUNTERS = 64, NOPOL_COUNTER = 12,
    NOPOL_FUEL_EXIT = 86, NOPOL_ENDED_FUEL = 1,
    NOPOL_NAME = 1, NOPOL_ROW = 2, NOPOL_ROW_COUNT = 6, NOPOL_ROW_ENTRIES = 14,
    NOPOL_OUTCOME = 1, NOPOL_OLD_KNOWN = 2, NOPOL_OLD = 4,
    NOPOL_LONGEST_STRING = 200, NOPOL_MOST_ROWS = 2000
};

#define NOPOL_ENDED_BY_ITSELF 0x80000000u

/* Steps from a captured expression: layout.rs, mod step. */
enum { NOPOL_DEREF = 1, NOPOL_STRING_LENGTH = 2, NOPOL_CONTENTS = 3, NOPOL_PRESENCE = 8 };

/* Tags: layout.rs, mod tag. The tag of an integer is INT (16) plus the index of its type's name in INTS. The
 * kinds from 100 on have no tag in the trace. */
enum {
    NOPOL_TAG_BOOL = 0, NOPOL_TAG_F32 = 2, NOPOL_TAG_F64 = 3, NOPOL_TAG_STR = 4,
    NOPOL_TAG_I8 = 16, NOPOL_TAG_I16 = 17, NOPOL_TAG_I32 = 18, NOPOL_TAG_I64 = 19,
    NOPOL_TAG_U8 = 22, NOPOL_TAG_U16 = 23, NOPOL_TAG_C_UINT = 28, NOPOL_TAG_C_ULONG = 29,
    NOPOL_LONG_DOUBLE = 100, NOPOL_POINTER, NOPOL_TEXT /* pointer to char */, NOPOL_CHARS /* array of it */, NOPOL_NOTHING
};
#ifdef __CHAR_UNSIGNED__
#define NOPOL_TAG_CHAR NOPOL_TAG_U8
#else
#define NOPOL_TAG_CHAR NOPOL_TAG_I8
#endif
#if __SIZEOF_LONG__ == 8
#define NOPOL_TAG_LONG NOPOL_TAG_I64
#define NOPOL_TAG_ULONG NOPOL_TAG_C_ULONG
#else
#define NOPOL_TAG_LONG NOPOL_TAG_I32
#define NOPOL_TAG_ULONG NOPOL_TAG_C_UINT
#endif

/* Flags that nopol_ask() returns for an evaluation; 0 means that it is not traced. CAPTURE: contexts of the site
 * are recorded. SEEN: the context of this evaluation has been recorded. */
enum {
    NOPOL_LIVE = 1, NOPOL_FORCED = 2, NOPOL_FORCED_TRUE = 4, NOPOL_NEGATE = 8, NOPOL_BLIND = 16,
    NOPOL_CAPTURE = 32, NOPOL_SEEN = 64
};

/* ---- The functions that the macros call ------------------------------------------------------- */

enum { NOPOL_UNKNOWN, NOPOL_OFF, NOPOL_ON, NOPOL_STARTING };
extern int nopol_mode;
#define NOPOL_IS_OFF (__atomic_load_n(&nopol_mode, __ATOMIC_RELAXED) == NOPOL_OFF)

int nopol_ask(nopol_u32 site);
int nopol_settle(nopol_u32 site, int ask, int value);
int nopol_settle_bare(nopol_u32 site, int ask, int value);
int nopol_constant(nopol_u32 site, int value);
int nopol_here(nopol_u32 first, nopol_u32 last);
nopol_u32 nopol_selected(nopol_u32 site);
void nopol_tick(void);
int nopol_open(nopol_u32 site);
int nopol_close(nopol_u32 site);
int nopol_again(nopol_u32 leader);
int nopol_read(void *to, const volatile void *from, nopol_size size);
int nopol_is_readable(const volatile void *from, nopol_size size);
void nopol_see(const char *text, int kind, ...);
void nopol_see_at(const char *text, int kind, const volatile void *from);
void nopol_see_element(const char *text, int kind, const volatile void *from, nopol_size whole, nopol_size size,
                       int is_array, long long index);
void *nopol_guard(void);
void nopol_arm(void);
extern int nopol_c_setjmp(void *, int) __asm__("__sigsetjmp") __attribute__((returns_twice));

/* Compiling the rest of this header takes longer than many a source file of a subject. Therefore the tool
 * compiles it once,
 *     cc -O2 -fno-builtin -fno-tree-loop-distribute-patterns -fPIC -g0 -fno-asynchronous-unwind-tables -DNOPOL_ASSEMBLE -S -x c nopol.h -o nopol.h.s
 * replaces .L by .Lnopol and removes the .file, .ident and .note.GNU-stack lines. If the result is next to this header, it is
 * used instead. */
#if !defined(NOPOL_ASSEMBLE) && defined(__has_include) && __SIZEOF_POINTER__ == 8
#if __has_include("nopol.h.s")
#define NOPOL_ASSEMBLED
__asm__(".ifndef nopol_included\n.set nopol_included, 1\n.pushsection .text\n"
        ".include \"" __FILE__ ".s\"\n.popsection\n.endif\n");
#endif
#endif
#ifndef NOPOL_ASSEMBLED

#define NOPOL_SHARED __attribute__((weak, visibility("default")))
/* Otherwise there is one out-of-line instance per program, independent of the subject's compiler options and
 * not optimized, because optimization takes most of the time. */
#if defined(NOPOL_ASSEMBLE)
#define NOPOL_PLAIN
#elif defined(__clang__)
#define NOPOL_PLAIN __attribute__((optnone))
#else
#define NOPOL_PLAIN __attribute__((optimize("O0")))
#endif
#define NOPOL_RT NOPOL_PLAIN NOPOL_SHARED __attribute__((noinline, no_instrument_function, \
    no_sanitize("address", "undefined", "thread")))

/* ---- State ------------------------------------------------------------------------------------ */

enum { NOPOL_MOST_SITES = 1 << 24, NOPOL_ROOM = 65536, NOPOL_NAME_ROOM = 4096, NOPOL_SIGNALS = 6 };
/* BUDGET_PER_ROW, LEAST_BUDGET, AMPLE and SURE: see sample.rs. WORK: the work that an expression evaluated for a capture may do.
 * LONGEST_LENGTH: the maximum length of a string whose length is recorded. */
enum { NOPOL_BUDGET_PER_ROW = 50, NOPOL_LEAST_BUDGET = 4000, NOPOL_AMPLE = 16, NOPOL_SURE = 64, NOPOL_WORK = 100000, NOPOL_LONGEST_LENGTH = 65536 };

/* One entry of NOPOL_FORCE, NOPOL_CAPTURE or NOPOL_SELECT. */
struct nopol_item {
    nopol_u32 site;
    nopol_u8 what, how, spanned; /* what: NOPOL_ITEM_… */
    nopol_u32 start, end;        /* the evaluations, with an exclusive end; or the candidate */
};
enum { NOPOL_ITEM_FORCE = 1, NOPOL_ITEM_CAPTURE = 2, NOPOL_ITEM_SELECT = 4 };

/* A record in the log, found by its hash. `at` is 0 in a free slot; `id` is that of a name. */
struct nopol_slot { nopol_u64 hash, at; nopol_u32 id; };

/* The layouts of libc; the mask is 128 bytes in glibc and musl. */
struct nopol_action { void (*handler)(int); unsigned long mask[128 / sizeof(long)]; int flags; void (*restorer)(void); };
struct nopol_stack { void *base; int flags; nopol_size size; };

struct nopol_state {
    int lock, pid, is_spanned;
    nopol_u8 *base; /* the mapped trace file, or null */
    nopol_u64 start, end, used, fuel;
    nopol_address steps;
    nopol_u32 sites, items, top, slots, slots_used, names;
    struct nopol_item *item;
    nopol_u8 *planned; /* by site below `top`: the kinds of its items */
    nopol_u32 *rows;  /* by site and outcome: distinct rows */
    nopol_u64 most_rows;
    struct nopol_slot *slot;
    int guards; /* threads that evaluate an expression under our signal handlers */
    struct nopol_action saved[NOPOL_SIGNALS];
};

/* The state of a site in one thread. */
struct nopol_at { nopol_u64 cost, evaluations; nopol_u32 forced; };

struct nopol_local {
    long long jump[128]; /* jmp_buf, with room to spare; first for its alignment */
    int inside;          /* a snapshot is being taken: the subject's code that runs for it is not traced */
    volatile int armed;  /* a signal means that the expression has no value */
    int guarding, kept_errno;
    nopol_u32 last;      /* the site whose snapshot is in `record` */
    nopol_u64 work, spent;
    nopol_size used;     /* bytes of entries in `record`, after the space for the row's header */
    struct nopol_stack old_stack;
    nopol_u8 name[NOPOL_NAME_ROOM];
    nopol_u8 record[NOPOL_ROOM];
    nopol_u8 stack[NOPOL_ROOM];
    struct nopol_at at[1]; /* by site */
};

NOPOL_SHARED int nopol_mode;
NOPOL_SHARED struct nopol_state nopol;
/* The site that this process entered last, plus 1. */
NOPOL_SHARED nopol_u32 nopol_entered;
NOPOL_SHARED __thread struct nopol_local *nopol_local;

/* ---- The system ------------------------------------------------------------------------------- */

extern char **nopol_c_environ __asm__("__environ");
extern int *nopol_c_errno(void) __asm__("__errno_location");
extern int nopol_c_sigaction(int, const struct nopol_action *, struct nopol_action *) __asm__("sigaction");
extern void nopol_c_longjmp(void *, int) __asm__("siglongjmp") __attribute__((noreturn));
extern void *nopol_c_poisoned(void *, nopol_size) __asm__("__asan_region_is_poisoned") __attribute__((weak));

#if defined(__x86_64__) && !defined(__ILP32__)
enum {
    nopol_sys_read = 0, nopol_sys_write = 1, nopol_sys_close = 3, nopol_sys_mmap = 9, nopol_sys_munmap = 11,
    nopol_sys_sched_yield = 24, nopol_sys_getpid = 39, nopol_sys_ftruncate = 77, nopol_sys_sigaltstack = 131,
    nopol_sys_gettid = 186, nopol_sys_exit_group = 231, nopol_sys_tgkill = 234, nopol_sys_openat = 257,
    nopol_sys_pipe2 = 293, nopol_sys_process_vm_readv = 310, NOPOL_HAS_SYSTEM = 1
};
#elif defined(__i386__)
enum { /* mmap is mmap2, which differs in the unit of the offset: it is always 0 here. */
    nopol_sys_read = 3, nopol_sys_write = 4, nopol_sys_close = 6, nopol_sys_getpid = 20, nopol_sys_munmap = 91,
    nopol_sys_ftruncate = 93, nopol_sys_sched_yield = 158, nopol_sys_sigaltstack = 186, nopol_sys_mmap = 192,
    nopol_sys_gettid = 224, nopol_sys_exit_group = 252, nopol_sys_tgkill = 270, nopol_sys_openat = 295,
    nopol_sys_pipe2 = 331, nopol_sys_process_vm_readv = 347, NOPOL_HAS_SYSTEM = 1
};
#else
enum { /* aarch64, riscv64, loongarch64 */
    nopol_sys_ftruncate = 46, nopol_sys_openat = 56, nopol_sys_close = 57, nopol_sys_pipe2 = 59, nopol_sys_read = 63,
    nopol_sys_write = 64, nopol_sys_exit_group = 94, nopol_sys_sched_yield = 124, nopol_sys_tgkill = 131,
    nopol_sys_sigaltstack = 132, nopol_sys_getpid = 172, nopol_sys_gettid = 178, nopol_sys_munmap = 215,
    nopol_sys_mmap = 222, nopol_sys_process_vm_readv = 270,
#ifdef __aarch64__
    NOPOL_HAS_SYSTEM = __SIZEOF_POINTER__ == 8
#else
    NOPOL_HAS_SYSTEM = 0 /* The system calls are unknown here: the subject runs without a plan. */
#endif
};
#endif
NOPOL_RT long nopol_sys(long number, long a, long b, long c, long d, long e, long f)
{
#if defined(__x86_64__) && !defined(__ILP32__)
    register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
    __asm__ volatile("syscall" : "+a"(number) : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
    return number;
#elif defined(__i386__)
    /* The sixth argument goes into the register of the frame, which the compiler does not give away. */
    __asm__ volatile("pushl %7\n\tpushl %%ebp\n\tmovl 4(%%esp), %%ebp\n\tint $0x80\n\tpopl %%ebp\n\taddl $4, %%esp"
        : "=a"(number) : "0"(number), "b"(a), "c"(b), "d"(c), "S"(d), "D"(e), "g"(f) : "memory", "cc");
    return number;
#elif defined(__aarch64__)
    register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d, x4 __asm__("x4") = e, x5 __asm__("x5") = f;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
    return x0;
#else
    (void)number, (void)a, (void)b, (void)c, (void)d, (void)e, (void)f;
    return -38; /* ENOSYS */
#endif
}
#define NOPOL_SYS(name, a, b, c, d, e, f) \
    nopol_sys(nopol_sys_##name, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

/* Zeroed memory, which uses no physical pages until it is touched; null if there is none. */
NOPOL_RT void *nopol_memory(nopol_size size)
{
    long at = NOPOL_SYS(mmap, 0, size, 3 /* read, write */, 0x4022 /* private, anonymous, not reserved */, -1, 0);
    return at < 0 && at > -4096 ? (void *)0 : (void *)at;
}

NOPOL_RT void nopol_copy(void *to, const void *from, nopol_size size)
{
    __builtin_memcpy(to, from, size);
}

NOPOL_RT nopol_size nopol_length(const char *text)
{
    nopol_size length = 0;
    while (text && text[length])
        length++;
    return length;
}

NOPOL_RT int nopol_getpid(void)
{
    return (int)NOPOL_SYS(getpid, 0, 0, 0, 0, 0, 0);
}

NOPOL_RT void nopol_lock(void)
{
    while (__atomic_exchange_n(&nopol.lock, 1, __ATOMIC_ACQUIRE))
        NOPOL_SYS(sched_yield, 0, 0, 0, 0, 0, 0);
}

NOPOL_RT void nopol_unlock(void)
{
    __atomic_store_n(&nopol.lock, 0, __ATOMIC_RELEASE);
}

/* ---- The environment -------------------------------------------------------------------------- */

NOPOL_RT const char *nopol_getenv(const char *name)
{
    char **at = nopol_c_environ;
    nopol_size i;
    for (; at && *at; at++) {
        for (i = 0; name[i] && (*at)[i] == name[i]; i++)
            ;
        if (!name[i] && (*at)[i] == '=')
            return *at + i + 1;
    }
    return (const char *)0;
}

/* Parses a decimal number and advances past it; 0 if there is none. */
NOPOL_RT int nopol_number(const char **text, nopol_u64 *value)
{
    const char *from = *text;
    for (*value = 0; **text >= '0' && **text <= '9'; ++*text) {
        if (*value > 1844674407370955160u)
            return 0;
        *value = *value * 10 + (nopol_u64)(**text - '0');
    }
    return *text != from;
}

NOPOL_RT nopol_u64 nopol_env_number(const char *name, nopol_u64 otherwise)
{
    const char *text = nopol_getenv(name);
    nopol_u64 value;
    return text && nopol_number(&text, &value) && !*text ? value : otherwise;
}

/* Parses `t`, or with evaluations `t@N`, `t@..N`, `t@N..`. */
NOPOL_RT int nopol_read_force(const char **text, struct nopol_item *item)
{
    nopol_u64 number = 0;
    if (!**text || **text == ',' || **text == '@')
        return 0;
    item->how = (nopol_u8)**text;
    while (**text && **text != ',' && **text != '@')
        ++*text;
    if (**text != '@')
        return 1;
    ++*text;
    item->spanned = 1;
    if ((*text)[0] == '.' && (*text)[1] == '.') {
        *text += 2;
        if (!nopol_number(text, &number))
            return 0;
        item->end = (nopol_u32)number;
        return 1;
    }
    if (!nopol_number(text, &number))
        return 0;
    item->start = (nopol_u32)number;
    item->end = item->start + 1;
    if ((*text)[0] == '.' && (*text)[1] == '.') {
        *text += 2;
        item->end = ~(nopol_u32)0;
    }
    return 1;
}

NOPOL_RT void nopol_read_items(const char *text, nopol_u8 what)
{
    while (text && *text) {
        struct nopol_item item = {0, 0, 0, 0, 0, 0};
        nopol_u64 number = 0;
        int good = nopol_number(&text, &number) && number < NOPOL_MOST_SITES;
        item.site = (nopol_u32)number;
        item.what = what;
        if (good && what != NOPOL_ITEM_CAPTURE) {
            good = *text == '=';
            text += good;
            if (good && what == NOPOL_ITEM_FORCE)
                good = nopol_read_force(&text, &item);
            else if (good && (good = nopol_number(&text, &number)))
                item.start = (nopol_u32)number;
        }
        if (good && (!*text || *text == ',')) {
            nopol.item[nopol.items++] = item;
            nopol.is_spanned |= item.spanned;
            if (item.site >= nopol.top)
                nopol.top = item.site + 1;
        }
        while (*text && *text++ != ',')
            ;
    }
}

/* Maps the trace file of this process. If the name is taken, by the program that this process ran before exec or
 * by a library with a runtime of its own, a number is appended. */
NOPOL_RT void nopol_open_trace(const char *prefix)
{
    char path[4200];
    nopol_size length = nopol_length(prefix), at, digits;
    nopol_u64 size = nopol_env_number("NOPOL_LOG", 0);
    unsigned left;
    long file = -17, base;
    int again;
    nopol.sites = (nopol_u32)nopol_env_number("NOPOL_SITES", 0);
    nopol.start = (NOPOL_COUNTERS + (nopol_u64)nopol.sites * NOPOL_COUNTER + 7) / 8 * 8;
    nopol.end = nopol.start + size;
    if (length > 4096)
        return;
    nopol_copy(path, prefix, length);
    path[length++] = '.';
    for (digits = 1, left = (unsigned)nopol.pid; left >= 10; left /= 10)
        digits++;
    for (at = length + digits, left = (unsigned)nopol.pid; at-- > length; left /= 10)
        path[at] = (char)('0' + left % 10);
    length += digits;
    path[length] = 0;
    for (again = 0; again < 10 && file == -17 /* EEXIST */; again++) {
        if (again) {
            path[length] = '.';
            path[length + 1] = (char)('0' + again);
            path[length + 2] = 0;
        }
        file = NOPOL_SYS(openat, -100, path, 02000302 /* cloexec, excl, creat, rdwr */, 0666, 0, 0);
    }
    if (file < 0)
        return;
    base = NOPOL_SYS(ftruncate, file, nopol.end, 0, 0, 0, 0);
    if (base == 0)
        base = NOPOL_SYS(mmap, 0, nopol.end, 3, 1 /* shared */, file, 0);
    NOPOL_SYS(close, file, 0, 0, 0, 0, 0);
    if (base < 0 && base > -4096)
        return;
    nopol.base = (nopol_u8 *)base;
    *(nopol_u32 *)(nopol.base + NOPOL_SITES) = nopol.sites;
    nopol_copy(nopol.base, "nopol\0\0\2", 8);
}

NOPOL_RT void nopol_read_environment(void)
{
    const char *force = nopol_getenv("NOPOL_FORCE"), *capture = nopol_getenv("NOPOL_CAPTURE");
    const char *select = nopol_getenv("NOPOL_SELECT"), *prefix = nopol_getenv("NOPOL_TRACE");
    nopol_size length = nopol_length(force) + nopol_length(capture) + nopol_length(select), i;
    nopol.pid = nopol_getpid();
    nopol.fuel = nopol_env_number("NOPOL_FUEL", ~(nopol_u64)0);
    nopol.most_rows = nopol_env_number("NOPOL_ROWS", NOPOL_MOST_ROWS);
    /* An item has at least two characters, the last of a list at least one. */
    if (length && (nopol.item = (struct nopol_item *)nopol_memory((length / 2 + 3) * sizeof *nopol.item))) {
        nopol_read_items(force, NOPOL_ITEM_FORCE);
        nopol_read_items(capture, NOPOL_ITEM_CAPTURE);
        nopol_read_items(select, NOPOL_ITEM_SELECT);
    }
    if (nopol.top) {
        nopol.planned = (nopol_u8 *)nopol_memory(nopol.top);
        nopol.rows = (nopol_u32 *)nopol_memory(2 * nopol.top * sizeof *nopol.rows);
        if (!nopol.planned || !nopol.rows)
            nopol.top = nopol.items = 0;
        for (i = 0; i < nopol.items; i++)
            nopol.planned[nopol.item[i].site] |= nopol.item[i].what;
    }
    if (prefix)
        nopol_open_trace(prefix);
}

/* Whether there is a plan; reads the environment at the first call. */
NOPOL_RT int nopol_is_on(void)
{
    int mode = __atomic_load_n(&nopol_mode, __ATOMIC_ACQUIRE);
    if (mode == NOPOL_UNKNOWN && __atomic_compare_exchange_n(&nopol_mode, &mode, NOPOL_STARTING, 0,
                                                            __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
        nopol_u32 i;
        mode = NOPOL_OFF;
        if (NOPOL_HAS_SYSTEM) {
            nopol_read_environment();
            if (nopol.base || nopol.fuel != ~(nopol_u64)0)
                mode = NOPOL_ON;
            for (i = 0; i < nopol.items; i++)
                if (nopol.item[i].what != NOPOL_ITEM_CAPTURE)
                    mode = NOPOL_ON;
        }
        __atomic_store_n(&nopol_mode, mode, __ATOMIC_RELEASE);
    }
    while (mode == NOPOL_STARTING)
        mode = __atomic_load_n(&nopol_mode, __ATOMIC_ACQUIRE);
    return mode == NOPOL_ON;
}

/* ---- The trace file --------------------------------------------------------------------------- */

/* Adds one to a counter of the site: 0 entered, 1 false, 2 true. */
NOPOL_RT void nopol_count(nopol_u32 site, int which)
{
    if (nopol.base && site < nopol.sites)
        __atomic_fetch_add((nopol_u32 *)(nopol.base + NOPOL_COUNTERS + (nopol_size)site * NOPOL_COUNTER) + which, 1,
                           __ATOMIC_RELAXED);
}

NOPOL_RT void nopol_drop(void)
{
    __atomic_fetch_add((nopol_u32 *)(nopol.base + NOPOL_DROPPED), 1, __ATOMIC_RELAXED);
}

/* The hash of a record without the count of a row. */
NOPOL_RT nopol_u64 nopol_hash(const nopol_u8 *record, nopol_size size)
{
    nopol_u64 hash = size;
    nopol_size i = 0;
    while (i < size) {
        nopol_u64 word = 0;
        nopol_size step = size - i < 8 ? size - i : 8;
        if (i == 0 && size > 5)
            step = NOPOL_ROW_COUNT;
        nopol_copy(&word, record + i, step);
        hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
        i += i == 0 && record[0] == NOPOL_ROW ? NOPOL_ROW_COUNT + 4 : step;
    }
    return hash;
}

NOPOL_RT int nopol_same(const nopol_u8 *a, const nopol_u8 *b, nopol_size size)
{
    nopol_size i;
    for (i = 0; i < size; i++)
        if (a[i] != b[i] && !(a[0] == NOPOL_ROW && i >= NOPOL_ROW_COUNT && i < NOPOL_ROW_COUNT + 4))
            return 0;
    return 1;
}

/* The slot of a record, or the free slot for it; null without memory. The caller holds the lock. */
NOPOL_RT struct nopol_slot *nopol_find(const nopol_u8 *record, nopol_size size)
{
    nopol_u64 hash = nopol_hash(record, size), i;
    if (nopol.slots_used * 2 >= nopol.slots) {
        nopol_u32 slots = nopol.slots ? nopol.slots * 2 : 1024, old;
        struct nopol_slot *more = (struct nopol_slot *)nopol_memory(slots * sizeof *more);
        if (!more)
            return (struct nopol_slot *)0;
        for (old = 0; old < nopol.slots; old++) {
            if (!nopol.slot[old].at)
                continue;
            for (i = nopol.slot[old].hash; more[i & (slots - 1)].at; i++)
                ;
            more[i & (slots - 1)] = nopol.slot[old];
        }
        if (nopol.slots)
            NOPOL_SYS(munmap, nopol.slot, nopol.slots * sizeof *more, 0, 0, 0, 0);
        nopol.slot = more;
        nopol.slots = slots;
    }
    for (i = hash;; i++) {
        struct nopol_slot *slot = &nopol.slot[i & (nopol.slots - 1)];
        if (!slot->at)
            slot->hash = hash;
        if (!slot->at || (slot->hash == hash && nopol_same(nopol.base + slot->at, record, size)))
            return slot;
    }
}

/* Appends a record to the log and fills its slot; 0 if there is no space. The caller holds the lock. */
NOPOL_RT int nopol_append(struct nopol_slot *slot, const nopol_u8 *record, nopol_size size)
{
    nopol_u64 at = nopol.start + nopol.used;
    if (!slot || size > nopol.end - at)
        return 0;
    nopol_copy(nopol.base + at, record, size);
    nopol.used += size;
    nopol.slots_used++;
    slot->at = at;
    __atomic_store_n((nopol_address *)(nopol.base + NOPOL_LOG_USED), (nopol_address)nopol.used, __ATOMIC_RELEASE);
    return 1;
}

/* Records the snapshot in `record` as a row, or increments its count if it was recorded before. */
NOPOL_RT void nopol_row(struct nopol_local *local, nopol_u32 site, int flags)
{
    nopol_u8 *record = local->record;
    nopol_u32 length = (nopol_u32)local->used, count = 1;
    nopol_size size = NOPOL_ROW_ENTRIES + local->used;
    struct nopol_slot *slot;
    record[0] = NOPOL_ROW;
    nopol_copy(record + 1, &site, 4);
    record[5] = (nopol_u8)flags;
    nopol_copy(record + NOPOL_ROW_COUNT, &count, 4);
    nopol_copy(record + NOPOL_ROW_COUNT + 4, &length, 4);
    /* A signal handler of the subject must not reenter this code. */
    local->inside = 1;
    nopol_lock();
    slot = nopol_find(record, size);
    if (slot && slot->at) {
        nopol_copy(&count, nopol.base + slot->at + NOPOL_ROW_COUNT, 4);
        count += count != ~(nopol_u32)0;
        nopol_copy(nopol.base + slot->at + NOPOL_ROW_COUNT, &count, 4);
    } else if (++nopol.rows[2 * site + (flags & NOPOL_OUTCOME ? 1 : 0)] > nopol.most_rows || !nopol_append(slot, record, size)) {
        nopol_drop();
    }
    nopol_unlock();
    local->inside = 0;
}

/* ---- Evaluations ------------------------------------------------------------------------------ */

/* The state of this thread; null without memory. */
NOPOL_RT struct nopol_local *nopol_own(void)
{
    if (!nopol_local) {
        nopol_local = (struct nopol_local *)nopol_memory(sizeof(struct nopol_local) + nopol.top * sizeof(struct nopol_at));
        if (nopol_local)
            nopol_local->last = ~(nopol_u32)0;
    }
    return nopol_local;
}

/* Counts work of the subject's code for the current snapshot. */
NOPOL_RT void nopol_work(struct nopol_local *local)
{
    local->work++;
    if (local->armed && ++local->spent > NOPOL_WORK) {
        local->armed = 0;
        nopol_c_longjmp(local->jump, 1);
    }
}

NOPOL_RT int nopol_is_inside(void)
{
    return nopol_local && nopol_local->inside;
}

/* The forced outcome that applies to this evaluation of the site. */
NOPOL_RT const struct nopol_item *nopol_forced(nopol_u32 site)
{
    nopol_u32 i, now = 0, first = 1;
    for (i = 0; i < nopol.items; i++) {
        const struct nopol_item *item = &nopol.item[i];
        if (item->site != site || item->what != NOPOL_ITEM_FORCE)
            continue;
        if (first && item->spanned && nopol_own())
            now = nopol_local->at[site].forced++;
        first = 0;
        if (!item->spanned || (now >= item->start && now < item->end))
            return item;
    }
    return (const struct nopol_item *)0;
}

/* Burns fuel for one step, a loop iteration or an evaluation; ends the process when the fuel is used up. Forked
 * processes share the count, as they do in the run that measures the fuel a test needs. */
NOPOL_RT void nopol_burn(void)
{
    nopol_address steps = __atomic_add_fetch(nopol.base ? (nopol_address *)(nopol.base + NOPOL_STEPS) : &nopol.steps, 1, __ATOMIC_RELAXED);
    if (steps > nopol.fuel) {
        if (nopol.base)
            __atomic_store_n((nopol_u32 *)(nopol.base + NOPOL_ENDED), NOPOL_ENDED_FUEL, __ATOMIC_RELAXED);
        NOPOL_SYS(exit_group, NOPOL_FUEL_EXIT, 0, 0, 0, 0, 0);
    }
}

/* Counts that the site is entered, and notes that none was later. */
NOPOL_RT void nopol_enter(nopol_u32 site)
{
    nopol_count(site, 0);
    nopol_entered = site + 1;
    if (nopol.base)
        __atomic_store_n((nopol_u32 *)(nopol.base + NOPOL_LAST), site + 1, __ATOMIC_RELAXED);
}

/* Whoever gets here ends by itself, so the site that it entered last does not tell where it crashed. A child that crashed
 * may have entered another one: frameworks run each test in a child. */
NOPOL_RT __attribute__((destructor)) void nopol_ends(void)
{
    nopol_u32 *last;
    if (!nopol.base)
        return;
    last = (nopol_u32 *)(nopol.base + NOPOL_LAST);
    if (__atomic_load_n(last, __ATOMIC_RELAXED) == nopol_entered)
        __atomic_store_n(last, nopol_entered | NOPOL_ENDED_BY_ITSELF, __ATOMIC_RELAXED);
}

/* Looks up the plan for one evaluation of the site, and counts it. */
NOPOL_RT int nopol_ask(nopol_u32 site)
{
    int ask = NOPOL_LIVE;
    if (!nopol_is_on())
        return 0;
    if (nopol_is_inside()) {
        nopol_work(nopol_local);
        return 0;
    }
    nopol_burn();
    nopol_enter(site);
    if (site >= nopol.top)
        return ask;
    if ((nopol.planned[site] & NOPOL_ITEM_CAPTURE) && nopol.base)
        ask |= NOPOL_CAPTURE;
    if (nopol.planned[site] & NOPOL_ITEM_FORCE) {
        const struct nopol_item *item = nopol_forced(site);
        if (item && item->how == 'x')
            ask |= NOPOL_NEGATE;
        else if (item)
            ask |= NOPOL_FORCED | ((item->how | 32) == 't' ? NOPOL_FORCED_TRUE : 0);
        if (item && item->how >= 'A' && item->how <= 'Z')
            ask |= NOPOL_BLIND;
    }
    return ask;
}

/* The outcome with which the program continues. `value` is the condition's own value, or -1 if it was not
 * evaluated. */
NOPOL_RT int nopol_settle(nopol_u32 site, int ask, int value)
{
    int outcome = value >= 0 && value != !!(ask & NOPOL_NEGATE);
    if (ask & NOPOL_FORCED)
        outcome = !!(ask & NOPOL_FORCED_TRUE);
    nopol_count(site, 1 + outcome);
    if (ask & NOPOL_SEEN)
        nopol_row(nopol_local, site, (outcome ? NOPOL_OUTCOME : 0) | (value >= 0 ? NOPOL_OLD_KNOWN : 0) |
                                         (value > 0 ? NOPOL_OLD : 0));
    return outcome;
}

NOPOL_RT int nopol_here(nopol_u32 first, nopol_u32 last)
{
    nopol_u32 site;
    if (!nopol_is_on() || nopol_is_inside())
        return 0;
    for (site = first; site <= last && site < nopol.top; site++)
        if (nopol.planned[site])
            return 1;
    nopol_burn();
    nopol_enter(first);
    nopol_count(first, 1);
    return 0;
}

/* The candidate selected at this site; 0 is the original condition. */
NOPOL_RT nopol_u32 nopol_selected(nopol_u32 site)
{
    nopol_u32 i;
    if (nopol_is_on() && site < nopol.top && (nopol.planned[site] & NOPOL_ITEM_SELECT))
        for (i = 0; i < nopol.items; i++)
            if (nopol.item[i].site == site && nopol.item[i].what == NOPOL_ITEM_SELECT)
                return nopol.item[i].start;
    return 0;
}

/* Takes one loop iteration. */
NOPOL_RT void nopol_tick(void)
{
    if (!nopol_is_on())
        return;
    if (nopol_is_inside())
        nopol_work(nopol_local);
    else
        nopol_burn();
}

/* ---- Snapshots -------------------------------------------------------------------------------- */

/* Starts the snapshot of an evaluation, if it is sampled (sample.rs). */
NOPOL_RT int nopol_open(nopol_u32 site)
{
    struct nopol_local *local = nopol_own();
    int is_due;
    if (!local)
        return 0;
    is_due = nopol_getpid() == nopol.pid; /* a forked process must not write to the log */
    if (is_due) {
        struct nopol_at *at = &local->at[site];
        nopol_u64 budget = NOPOL_BUDGET_PER_ROW * nopol.most_rows, halvings;
        nopol_u64 now = at->evaluations++;
        nopol_u32 i;
        budget = budget < NOPOL_LEAST_BUDGET ? NOPOL_LEAST_BUDGET : budget;
        halvings = at->cost / (budget * (nopol.is_spanned ? NOPOL_AMPLE : 1));
        is_due = at->evaluations % ((nopol_u64)1 << (halvings < 32 ? halvings : 32)) == 0;
        for (i = 0; !is_due && nopol.is_spanned && i < nopol.items; i++) {
            const struct nopol_item *item = &nopol.item[i];
            is_due = item->spanned && now >= item->start && now < item->end && now - item->start < NOPOL_SURE;
        }
    }
    if (!is_due) {
        nopol_drop();
        local->last = ~(nopol_u32)0;
        return 0;
    }
    local->kept_errno = *nopol_c_errno();
    local->work = local->used = 0;
    local->inside = 1;
    return 1;
}

/* Adds an entry to the snapshot: the value of the captured expression, or of one step from there. */
NOPOL_RT nopol_u8 *nopol_put(const char *text, int step, int tag, nopol_size size)
{
    struct nopol_local *local = nopol_local;
    nopol_size length = nopol_length(text);
    unsigned short short_length = (unsigned short)length;
    struct nopol_slot *slot;
    nopol_u32 id = 0;
    nopol_u8 *entry = local->record + NOPOL_ROW_ENTRIES + local->used;
    if (3 + 2 + length + 1 > NOPOL_NAME_ROOM)
        return (nopol_u8 *)0;
    nopol_copy(local->name + 3, &short_length, 2);
    nopol_copy(local->name + 5, text, length);
    length += 2;
    if (step)
        local->name[3 + length++] = (nopol_u8)step;
    short_length = (unsigned short)length;
    local->name[0] = NOPOL_NAME;
    nopol_copy(local->name + 1, &short_length, 2);
    if (NOPOL_ROW_ENTRIES + local->used + 5 + size > NOPOL_ROOM)
        return (nopol_u8 *)0;
    nopol_lock();
    slot = nopol_find(local->name, 3 + length);
    if (slot && !slot->at && nopol_append(slot, local->name, 3 + length))
        slot->id = nopol.names++;
    if (!slot || !slot->at)
        entry = (nopol_u8 *)0;
    else
        id = slot->id;
    nopol_unlock();
    if (!entry)
        return entry;
    nopol_copy(entry, &id, 4);
    entry[4] = (nopol_u8)tag;
    local->used += 5 + size;
    return entry + 5;
}

NOPOL_RT void nopol_put_int(const char *text, int step, int tag, nopol_u64 value, int is_negative)
{
    nopol_u8 *entry = nopol_put(text, step, tag, 16);
    nopol_u64 high = is_negative ? ~(nopol_u64)0 : 0;
    int is_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
    if (entry) {
        nopol_copy(entry, is_big ? &high : &value, 8);
        nopol_copy(entry + 8, is_big ? &value : &high, 8);
    }
}

/* Copies memory that may be unreadable; 0 if it is. Uses a system call, because only the kernel knows. */
NOPOL_RT int nopol_read(void *to, const volatile void *from, nopol_size size)
{
    struct { void *base; nopol_size size; } here, there;
    long got;
    int ends[2];
    if ((nopol_address)from < 4096 || (nopol_address)from + size < size)
        return 0;
    if (nopol_c_poisoned && nopol_c_poisoned((void *)from, size))
        return 0;
    here.base = to, there.base = (void *)from;
    here.size = there.size = size;
    got = NOPOL_SYS(process_vm_readv, nopol_getpid(), &here, 1, &there, 1, 0);
    if ((got == -1 /* EPERM */ || got == -38 /* ENOSYS */) && NOPOL_SYS(pipe2, ends, 02004000, 0, 0, 0, 0) == 0) {
        got = NOPOL_SYS(write, ends[1], from, size, 0, 0, 0);
        if (got == (long)size)
            got = NOPOL_SYS(read, ends[0], to, size, 0, 0, 0);
        NOPOL_SYS(close, ends[0], 0, 0, 0, 0, 0);
        NOPOL_SYS(close, ends[1], 0, 0, 0, 0, 0);
    }
    return got == (long)size;
}

/* Whether a whole structure can be read. */
NOPOL_RT int nopol_is_readable(const volatile void *from, nopol_size size)
{
    const volatile char *at = (const volatile char *)from;
    char byte;
    nopol_size i;
    if (nopol_c_poisoned && nopol_c_poisoned((void *)from, size))
        return 0;
    for (i = 0; i < size; i += 4096)
        if (!nopol_read(&byte, at + i, 1))
            return 0;
    return nopol_read(&byte, at + size - 1, 1);
}

/* Records the string at an address: its contents, its length, its first character. */
NOPOL_RT void nopol_see_text(const char *text, const volatile char *from)
{
    nopol_u8 kept[NOPOL_LONGEST_STRING], piece[512];
    nopol_size length = 0, i = 0, size = 0;
    nopol_u8 *entry;
    nopol_u32 short_length;
    char first;
    int plain = 1;
    if (!nopol_read(&first, from, 1))
        return;
    nopol_put_int(text, NOPOL_DEREF, NOPOL_TAG_CHAR, (nopol_u64)first, first < 0);
    for (;; length++, i++) {
        if (i == size) {
            /* A piece does not cross a page boundary, so it is either readable or not. */
            i = 0;
            size = sizeof piece - (nopol_address)(from + length) % sizeof piece;
            if (nopol_c_poisoned) {
                const char *end = (const char *)nopol_c_poisoned((void *)(from + length), size);
                if (end)
                    size = (nopol_size)(end - (const char *)(from + length));
            }
            if (length > NOPOL_LONGEST_LENGTH || !size || !nopol_read(piece, from + length, size))
                return;
        }
        if (!piece[i])
            break;
        plain &= piece[i] < 127 && (piece[i] >= 32 || piece[i] == '\t' || piece[i] == '\n' || piece[i] == '\r');
        if (length < NOPOL_LONGEST_STRING)
            kept[length] = piece[i];
    }
    nopol_put_int(text, NOPOL_STRING_LENGTH, NOPOL_TAG_ULONG, length, 0);
    if (!plain || length > NOPOL_LONGEST_STRING)
        return;
    entry = nopol_put(text, NOPOL_CONTENTS, NOPOL_TAG_STR, 4 + length);
    short_length = (nopol_u32)length;
    if (entry) {
        nopol_copy(entry, &short_length, 4);
        nopol_copy(entry + 4, kept, length);
    }
}

/* Records a value of any kind; integers are widened. */
union nopol_value { long long integer; float f32; double f64; long double wide; const volatile void *pointer; };

NOPOL_RT void nopol_see_value(const char *text, int kind, const union nopol_value *value)
{
    nopol_u64 bits = 0;
    nopol_u32 short_bits;
    nopol_u8 *entry;
    double f64;
    if (kind >= NOPOL_TAG_I8 && kind <= NOPOL_TAG_C_ULONG) {
        int is_signed = kind <= NOPOL_TAG_I64;
        nopol_put_int(text, 0, kind, (nopol_u64)value->integer, is_signed && value->integer < 0);
    } else if (kind == NOPOL_TAG_BOOL || kind == NOPOL_POINTER || kind == NOPOL_TEXT) {
        short_bits = kind == NOPOL_TAG_BOOL ? value->integer != 0 : value->pointer != 0;
        if ((entry = nopol_put(text, kind == NOPOL_TAG_BOOL ? 0 : NOPOL_PRESENCE, NOPOL_TAG_BOOL, 4)))
            nopol_copy(entry, &short_bits, 4);
    } else if (kind == NOPOL_TAG_F32) {
        nopol_copy(&short_bits, &value->f32, 4);
        bits = short_bits;
        if ((entry = nopol_put(text, 0, kind, 8)))
            nopol_copy(entry, &bits, 8);
    } else if (kind == NOPOL_TAG_F64 || kind == NOPOL_LONG_DOUBLE) {
        f64 = kind == NOPOL_TAG_F64 ? value->f64 : (double)value->wide;
        if ((entry = nopol_put(text, 0, NOPOL_TAG_F64, 8)))
            nopol_copy(entry, &f64, 8);
    }
    if (kind == NOPOL_TEXT || kind == NOPOL_CHARS)
        nopol_see_text(text, (const volatile char *)value->pointer);
}

/* Records a value that is passed with the default argument promotions. */
NOPOL_RT void nopol_see(const char *text, int kind, ...)
{
    union nopol_value value;
    __builtin_va_list values;
    nopol_local->armed = 0; /* the expression has been evaluated */
    __builtin_va_start(values, kind);
    switch (kind) {
    case NOPOL_TAG_BOOL: case NOPOL_TAG_I8: case NOPOL_TAG_U8: case NOPOL_TAG_I16: case NOPOL_TAG_U16: case NOPOL_TAG_I32:
        value.integer = __builtin_va_arg(values, int);
        break;
    case NOPOL_TAG_C_UINT:
        value.integer = __builtin_va_arg(values, unsigned);
        break;
    case NOPOL_TAG_I64: case NOPOL_TAG_C_ULONG:
        value.integer = __builtin_va_arg(values, long long);
        break;
    case NOPOL_TAG_F32:
        value.f32 = (float)__builtin_va_arg(values, double);
        break;
    case NOPOL_TAG_F64:
        value.f64 = __builtin_va_arg(values, double);
        break;
    case NOPOL_LONG_DOUBLE:
        value.wide = __builtin_va_arg(values, long double);
        break;
    case NOPOL_POINTER: case NOPOL_TEXT: case NOPOL_CHARS:
        value.pointer = __builtin_va_arg(values, void *);
        break;
    default:
        kind = NOPOL_NOTHING;
    }
    __builtin_va_end(values);
    nopol_see_value(text, kind, &value);
}

/* Records the value at an address that may be unreadable. */
NOPOL_RT void nopol_see_at(const char *text, int kind, const volatile void *from)
{
    union nopol_value value;
    nopol_u8 size = kind == NOPOL_LONG_DOUBLE ? sizeof(long double) : kind == NOPOL_POINTER || kind == NOPOL_TEXT ? sizeof(void *)
        : kind == NOPOL_TAG_BOOL || kind == NOPOL_TAG_I8 || kind == NOPOL_TAG_U8 ? 1
        : kind == NOPOL_TAG_I16 || kind == NOPOL_TAG_U16 ? 2
        : kind == NOPOL_TAG_I32 || kind == NOPOL_TAG_C_UINT || kind == NOPOL_TAG_F32 ? 4 : 8;
    union { signed char i8; unsigned char u8; short i16; unsigned short u16; int i32; unsigned u32; union nopol_value value; } raw;
    if (kind == NOPOL_NOTHING)
        return;
    if (kind == NOPOL_CHARS)
        raw.value.pointer = from;
    else if (!nopol_read(&raw, from, size))
        return;
    value = raw.value;
    switch (kind) {
    case NOPOL_TAG_BOOL: case NOPOL_TAG_U8: value.integer = raw.u8; break;
    case NOPOL_TAG_I8: value.integer = raw.i8; break;
    case NOPOL_TAG_I16: value.integer = raw.i16; break;
    case NOPOL_TAG_U16: value.integer = raw.u16; break;
    case NOPOL_TAG_I32: value.integer = raw.i32; break;
    case NOPOL_TAG_C_UINT: value.integer = raw.u32; break;
    default: break;
    }
    nopol_see_value(text, kind, &value);
}

/* Records an element of an array of `whole` bytes, or behind a pointer if `whole` is 0. */
NOPOL_RT void nopol_see_element(const char *text, int kind, const volatile void *from, nopol_size whole, nopol_size size,
                                int is_array, long long index)
{
    if (!is_array || (index >= 0 && size && (nopol_u64)index < whole / size))
        nopol_see_at(text, kind, (const volatile void *)((nopol_address)from + (nopol_address)index * size));
}

/* ---- Expressions that may fail ---------------------------------------------------------------- */

NOPOL_RT int nopol_signal(int i)
{
    return "\13\7\10\6\4\5"[i]; /* SEGV, BUS, FPE, ABRT, ILL, TRAP */
}

NOPOL_RT void nopol_caught(int signal)
{
    int i;
    if (nopol_local && nopol_local->armed) {
        nopol_local->armed = 0;
        nopol_c_longjmp(nopol_local->jump, 1);
    }
    /* The signal belongs to another thread; raise it again under the subject's own handler. */
    for (i = 0; i < NOPOL_SIGNALS; i++)
        if (nopol_signal(i) == signal)
            nopol_c_sigaction(signal, &nopol.saved[i], (struct nopol_action *)0);
    NOPOL_SYS(tgkill, nopol_getpid(), NOPOL_SYS(gettid, 0, 0, 0, 0, 0, 0), signal, 0, 0, 0);
}

/* Installs our signal handlers, or restores the subject's. */
NOPOL_RT void nopol_handlers(struct nopol_local *local, int install)
{
    struct nopol_action ours = {nopol_caught, {0}, 0x48000000 /* on its own stack, not blocked */, (void (*)(void))0};
    struct nopol_stack stack;
    int i;
    stack.base = local->stack, stack.size = sizeof local->stack, stack.flags = 0;
    if (install)
        NOPOL_SYS(sigaltstack, &stack, &local->old_stack, 0, 0, 0, 0);
    nopol_lock();
    if (install ? nopol.guards++ == 0 : --nopol.guards == 0)
        for (i = 0; i < NOPOL_SIGNALS; i++)
            nopol_c_sigaction(nopol_signal(i), install ? &ours : &nopol.saved[i], install ? &nopol.saved[i] : (struct nopol_action *)0);
    nopol_unlock();
    if (!install)
        NOPOL_SYS(sigaltstack, &local->old_stack, 0, 0, 0, 0, 0);
    local->guarding = install;
}

/* Prepares for evaluating an expression; the handlers stay installed until the snapshot is complete. */
NOPOL_RT void *nopol_guard(void)
{
    struct nopol_local *local = nopol_local;
    if (!local->guarding)
        nopol_handlers(local, 1);
    local->spent = 0;
    return local->jump;
}

NOPOL_RT void nopol_arm(void)
{
    nopol_local->armed = 1;
}

/* Ends the snapshot of a site. */
NOPOL_RT int nopol_close(nopol_u32 site)
{
    struct nopol_local *local = nopol_local;
    local->armed = 0;
    if (local->guarding)
        nopol_handlers(local, 0);
    local->inside = 0;
    local->last = site;
    local->at[site].cost += 1 + local->used / 16 + local->work;
    *nopol_c_errno() = local->kept_errno;
    return NOPOL_SEEN;
}

/* As nopol_settle, for a site without captures. */
NOPOL_RT int nopol_settle_bare(nopol_u32 site, int ask, int value)
{
    if (ask & NOPOL_CAPTURE && nopol_open(site))
        ask |= nopol_close(site);
    return nopol_settle(site, ask, value);
}

/* A site without captures that always has the same value. */
NOPOL_RT int nopol_constant(nopol_u32 site, int value)
{
    int ask = nopol_ask(site);
    return ask ? nopol_settle_bare(site, ask, ask & NOPOL_BLIND ? -1 : value) : value;
}

/* Whether the latest snapshot is that of `leader`, for a site that directly follows it. */
NOPOL_RT int nopol_again(nopol_u32 leader)
{
    return nopol_local && nopol_local->last == leader ? NOPOL_SEEN : 0;
}

#endif /* NOPOL_ASSEMBLED */

/* ---- The macros spliced into the subject ------------------------------------------------------ */

/* A condition site: NOPOL_BEGIN(7) condition NOPOL_THEN(7) captures NOPOL_END(7) has the value of the condition,
 * or the forced one. The snapshot is taken after the condition is evaluated, see cond! in macros.rs. The names
 * contain the site's number, because conditions nest. It consists of several macros, because gcc's JSON output
 * reports an error in a macro argument at the start of the macro call. */
#define NOPOL_BEGIN(id) (__extension__ ({ \
    int nopol_ask##id = NOPOL_IS_OFF ? 0 : nopol_ask(id); \
    int nopol_value##id = nopol_ask##id & NOPOL_BLIND ? -1 : (
#define NOPOL_THEN(id) ) ? 1 : 0; if (nopol_ask##id & NOPOL_CAPTURE && nopol_open(id)) {
#define NOPOL_END(id) nopol_ask##id |= nopol_close(id); } \
    nopol_ask##id ? nopol_settle(id, nopol_ask##id, nopol_value##id) : nopol_value##id; }))
/* In place of NOPOL_THEN and NOPOL_END where there are no captures: gcc -O2 compiles a file with thousands of sites
 * in a fifth of the time. */
#define NOPOL_END_BARE(id) ) ? 1 : 0; \
    nopol_ask##id ? nopol_settle_bare(id, nopol_ask##id, nopol_value##id) : nopol_value##id; }))
#define NOPOL_CONST(id, value) (NOPOL_IS_OFF ? (value) : nopol_constant(id, value))
/* The same as a single macro. */
#define NOPOL_COND(id, captures, ...) NOPOL_BEGIN(id) __VA_ARGS__ NOPOL_THEN(id) captures NOPOL_END(id)

/* The site of an expression that is no condition: (NOPOL_REACH(7), expression) counts the evaluation. */
#define NOPOL_REACH(id) NOPOL_COND(id, , 1)

/* A condition site that directly follows another one, `leader`, and shares its snapshot:
 * NOPOL_BEGIN(8) condition NOPOL_END_AGAIN(8, 7). */
#define NOPOL_END_AGAIN(id, leader) ) ? 1 : 0; \
    if (nopol_ask##id & NOPOL_CAPTURE) nopol_ask##id |= nopol_again(leader); \
    nopol_ask##id ? nopol_settle(id, nopol_ask##id, nopol_value##id) : nopol_value##id; }))
#define NOPOL_AGAIN(id, leader, ...) NOPOL_BEGIN(id) __VA_ARGS__ NOPOL_END_AGAIN(id, leader)

/* Whether the plan names any site in a range, see here! in macros.rs. */
#define NOPOL_HERE(first, last) (NOPOL_IS_OFF ? 0 : nopol_here(first, last))

/* The first statement of every loop body: burns fuel for the iteration. */
#define NOPOL_TICK() do { if (!NOPOL_IS_OFF) nopol_tick(); } while (0)

/* A candidate of a site behind a run-time switch; the expression that follows is used if it is not selected. */
#define NOPOL_PICK(id, n, ...) !NOPOL_IS_OFF && nopol_selected(id) == (n) ? ((__VA_ARGS__) ? 1 : 0) :


/* 5 is a pointer, array or function; 1 to 4 are integers, 8 is a floating-point number. */
#define NOPOL_CLASS(e) __builtin_classify_type(e)
/* The same of an expression that is no condition. One candidate must not change what the others yield, so each is converted to
 * the type of the old expression, unless its own is wider: that preserves all values. A floating-point number in place of an
 * integer does not compile, since a function without a prototype for it would read something else. */
#define NOPOL_TAKE(id, n, old, ...) !NOPOL_IS_OFF && nopol_selected(id) == (n) ? \
    ((void)sizeof(char[NOPOL_CLASS((old) + 0) < 5 && NOPOL_CLASS(__VA_ARGS__) == 8 ? -1 : 1]), \
     __builtin_choose_expr(NOPOL_CLASS(__VA_ARGS__) == NOPOL_CLASS((old) + 0) && sizeof((__VA_ARGS__) + 0) > sizeof((old) + 0), \
                           (__VA_ARGS__), (__typeof__((old) + 0))(__VA_ARGS__))) :

/* The expression itself if it belongs to the class, else a harmless one, because every branch below must compile
 * for every type. Arrays do not decay here. */
#define NOPOL_IF_POINTER(e) __builtin_choose_expr(NOPOL_CLASS(e) == 5, (e), (void *)0)
#define NOPOL_IF_INTEGER(e) __builtin_choose_expr(NOPOL_CLASS(e) < 5, (e), 0LL)
#define NOPOL_IF_SCALAR(e) __builtin_choose_expr(NOPOL_CLASS(e) <= 5 || NOPOL_CLASS(e) == 8, (e), 0)
#define NOPOL_IS_ARRAY(e) (!__builtin_types_compatible_p(__typeof__(NOPOL_IF_POINTER(e)), \
    __typeof__(1 ? NOPOL_IF_POINTER(e) : NOPOL_IF_POINTER(e))))
/* In gcc, a bit-field has a type of its own, which is promoted to int if it is narrow. */
#define NOPOL_KIND(e) __extension__ _Generic((e), _Bool: NOPOL_TAG_BOOL, \
    char: NOPOL_TAG_CHAR, signed char: NOPOL_TAG_I8, unsigned char: NOPOL_TAG_U8, \
    short: NOPOL_TAG_I16, unsigned short: NOPOL_TAG_U16, int: NOPOL_TAG_I32, unsigned: NOPOL_TAG_C_UINT, \
    long: NOPOL_TAG_LONG, unsigned long: NOPOL_TAG_ULONG, long long: NOPOL_TAG_I64, unsigned long long: NOPOL_TAG_C_ULONG, \
    float: NOPOL_TAG_F32, double: NOPOL_TAG_F64, long double: NOPOL_LONG_DOUBLE, \
    char *: NOPOL_TEXT_IF(e), const char *: NOPOL_TEXT_IF(e), \
    volatile char *: NOPOL_TEXT_IF(e), const volatile char *: NOPOL_TEXT_IF(e), \
    default: NOPOL_CLASS(e) == 5 ? NOPOL_IS_ARRAY(e) ? NOPOL_NOTHING : NOPOL_POINTER \
        : NOPOL_CLASS(e) < 5 && sizeof(NOPOL_IF_INTEGER(e) + 0) == sizeof(int) ? NOPOL_TAG_I32 : NOPOL_NOTHING)
#define NOPOL_TEXT_IF(e) (NOPOL_IS_ARRAY(e) ? NOPOL_CHARS : NOPOL_TEXT)

/* A value that can be read safely. */
#define NOPOL_SEE(text, ...) NOPOL_SEE_(text, (__VA_ARGS__))
#define NOPOL_SEE_(text, e) nopol_see(text, NOPOL_KIND(e), NOPOL_IF_SCALAR(e));

/* p->f, even if p is invalid. A bit-field has no address, so the whole structure must be readable. */
#define NOPOL_FIELD(text, p, f) nopol_see_at(text, NOPOL_KIND((p)->f), NOPOL_ADDRESS(p, f));
/* Not __builtin_offsetof, whose error for a bit-field has no location; and not with a null pointer, which
 * sanitizers report. */
#define NOPOL_ADDRESS(p, f) ((const volatile char *)(p) + ((nopol_address)&((__typeof__(&*(p)))4096)->f - 4096))
#define NOPOL_BITS(text, p, f) if (nopol_is_readable((p), sizeof *(p))) NOPOL_SEE(text, (p)->f)

/* a[i], even if it is invalid; for an array only within its bounds. */
#define NOPOL_ELEMENT(text, a, i) nopol_see_element(text, NOPOL_KIND((a)[0]), (const volatile void *)(a), \
    sizeof(a), sizeof((a)[i]), NOPOL_IS_ARRAY(a), 0LL + (i));

/* The pointer p->f, as the pointer of another capture; null if it cannot be read. */
#define NOPOL_GET(p, f) (__extension__ ({ \
    __typeof__(1 ? (p)->f : (p)->f) nopol_got = 0; \
    nopol_read(&nopol_got, NOPOL_ADDRESS(p, f), sizeof nopol_got) ? nopol_got : 0; }))

/* An expression whose evaluation may fail or not terminate; then it has no value. With gcc, a nested function
 * contains the setjmp: a few hundred of them directly in a function of the subject took seconds to compile. */
#define NOPOL_TRY(text, ...) if (!nopol_c_setjmp(nopol_guard(), 0)) { nopol_arm(); NOPOL_SEE(text, __VA_ARGS__) }
#ifdef __clang__
#define NOPOL_VALUE(text, ...) NOPOL_TRY(text, __VA_ARGS__)
#else
#define NOPOL_VALUE(text, ...) { \
    __extension__ __attribute__((no_instrument_function, optimize("O0"))) void nopol_try(void) { NOPOL_TRY(text, __VA_ARGS__) } \
    nopol_try(); }
#endif

#endif
