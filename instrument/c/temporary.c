/* tmpfile in the directory that TMPDIR names. glibc's always takes /tmp, where the sandbox lets no test write. This library is
 * preloaded. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

FILE *tmpfile(void)
{
    const char *dir = getenv("TMPDIR");
    int file = open(dir && *dir ? dir : "/tmp", O_TMPFILE | O_RDWR | O_EXCL, 0600);
    FILE *stream = file < 0 ? NULL : fdopen(file, "w+");
    if (file >= 0 && !stream)
        close(file);
    return stream;
}

FILE *tmpfile64(void)
{
    return tmpfile();
}
