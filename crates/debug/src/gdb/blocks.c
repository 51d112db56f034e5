/* Loaded into a program by the debugger: keeps a table of the blocks that the program allocates and frees. It passes each call
   on to the allocator of glibc, and changes neither addresses nor contents. Threads may call it at the same time. */

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* blocks.rs has the same number and the same layout. */
enum { MOST = 1 << 16, SLOTS = 2 * MOST };

struct block {
    uint64_t address;
    uint64_t size;
    /* How often the block was allocated and freed: an odd number while it is allocated. */
    uint64_t state;
};

struct {
    uint64_t count;
    struct block blocks[MOST];
} nopol_blocks;

/* Numbers of blocks, counted from 1, by a hash of their addresses. */
static uint32_t slots[SLOTS];

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

/* The block at an address; none if it was never allocated here, or there are too many. */
static struct block *block_at(uint64_t address, int is_new)
{
    uint64_t at = ((address >> 4) * 0x9E3779B97F4A7C15u >> 32) % SLOTS;
    for (;;) {
        uint32_t number = __atomic_load_n(&slots[at], __ATOMIC_ACQUIRE);
        if (number != 0) {
            struct block *block = &nopol_blocks.blocks[number - 1];
            if (block->address == address)
                return block;
            at = (at + 1) % SLOTS;
            continue;
        }
        if (!is_new)
            return NULL;
        uint64_t fresh = __atomic_fetch_add(&nopol_blocks.count, 1, __ATOMIC_RELAXED);
        if (fresh >= MOST)
            return NULL;
        struct block *block = &nopol_blocks.blocks[fresh];
        block->address = address;
        uint32_t empty = 0;
        if (__atomic_compare_exchange_n(&slots[at], &empty, (uint32_t)fresh + 1, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
            return block;
        /* Another thread took the slot. */
        block->address = 0;
    }
}

static void *allocated(void *pointer, size_t size)
{
    struct block *block = pointer ? block_at((uint64_t)(uintptr_t)pointer, 1) : NULL;
    if (block) {
        block->size = size ? size : 1;
        block->state = (block->state + 1) | 1;
    }
    return pointer;
}

static void freed(void *pointer)
{
    struct block *block = pointer ? block_at((uint64_t)(uintptr_t)pointer, 0) : NULL;
    if (block)
        block->state = (block->state + 1) & ~(uint64_t)1;
}

void *malloc(size_t size)
{
    return allocated(__libc_malloc(size), size);
}

void *calloc(size_t count, size_t size)
{
    return allocated(__libc_calloc(count, size), count * size);
}

void *realloc(void *pointer, size_t size)
{
    void *moved = __libc_realloc(pointer, size);
    if (moved != pointer) {
        if (moved || !size)
            freed(pointer);
        return allocated(moved, size);
    }
    struct block *block = pointer ? block_at((uint64_t)(uintptr_t)pointer, 0) : NULL;
    if (block)
        block->size = size;
    return moved;
}

void *memalign(size_t alignment, size_t size)
{
    return allocated(__libc_memalign(alignment, size), size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

int posix_memalign(void **place, size_t alignment, size_t size)
{
    if (alignment % sizeof(void *) || alignment == 0 || (alignment & (alignment - 1)))
        return EINVAL;
    int before = errno;
    void *pointer = memalign(alignment, size);
    errno = before;
    if (!pointer)
        return ENOMEM;
    *place = pointer;
    return 0;
}

void free(void *pointer)
{
    freed(pointer);
    __libc_free(pointer);
}

/* Neither the program nor what it starts sees that this was loaded. */
__attribute__((constructor)) static void hide(void)
{
    char *all = getenv("LD_PRELOAD");
    char *others = all ? strchr(all, ':') : NULL;
    if (others)
        memmove(all, others + 1, strlen(others));
    else
        unsetenv("LD_PRELOAD");
}
