/* A fork server: a process of the program under test, stopped before its own constructors and main, forks a child for
 * each run. The start of a process (exec, the loader, relocations) costs as much as a short test, and is paid once.
 *
 * This library is preloaded. It takes the place of __libc_start_main, which calls the constructors of the program
 * and then main. Standard input is a socket: a request names the arguments, the files for the
 * streams, the working directory and the variables of the run (layout.rs, mod serve); the child takes them and goes
 * on, and the answer says how it ended. Nothing here allocates from the heap, so that the children's heaps are what
 * they would be without a server.
 *
 * What one request cannot do without trace is not done: a child that leaves processes behind ends the server, and
 * whoever started it kills them.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    HELLO = 'n', TIMED_OUT = 1, SPENT = 2, FLOODED = 4, CANNOT = 87,
    MOST_OUTPUT = 16 << 20, /* bytes that a run may write to its streams */
    CHECK = 100,  /* milliseconds between two looks at what it has written */
    OWN_FD = 200, /* the lowest number for the server's own descriptors, so that the children's are as usual */
    GRACE = 300   /* milliseconds between SIGTERM and SIGKILL */
};

struct request { uint32_t size, milliseconds, arguments; };
struct answer { int32_t status; uint32_t flags; uint64_t nanoseconds; };

typedef int (*entry)(int, char **, char **);
typedef int (*starter)(entry, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

static uint64_t now(void)
{
    struct timespec time = {0, 0};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Fresh memory of that many bytes; ends the process if there is none. */
static void *memory(size_t size)
{
    void *at = mmap(NULL, size ? size : 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        _exit(CANNOT);
    return at;
}

/* Reads exactly that many bytes. */
static int receive(int socket, void *into, size_t size)
{
    size_t got = 0;
    while (got < size) {
        ssize_t some = read(socket, (char *)into + got, size - got);
        if (some > 0)
            got += (size_t)some;
        else if (some == 0 || errno != EINTR)
            return 0;
    }
    return 1;
}

/* Whether this process has one thread: libraries may start some before anything of the program runs. */
static int is_single_threaded(void)
{
    char text[1024], *word;
    int file = open("/proc/self/stat", O_RDONLY), number;
    ssize_t size = read(file, text, sizeof text - 1);
    close(file);
    text[size > 0 ? size : 0] = 0;
    /* The process's name in parentheses may contain anything. The number of threads is the 18th word after it. */
    word = strrchr(text, ')');
    for (number = 0; word && number < 18; number++)
        word = strchr(word + 1, ' ');
    return word && strncmp(word, " 1 ", 3) == 0;
}

/* Whether the process behind a descriptor ends within that time. */
static int is_over(int process, int64_t milliseconds)
{
    uint64_t start = now();
    int64_t left = milliseconds;
    for (;;) {
        struct pollfd fd = {process, POLLIN, 0};
        int found = poll(&fd, 1, left > INT32_MAX ? INT32_MAX : (int)left);
        if (found >= 0)
            return found > 0;
        left = milliseconds - (int64_t)((now() - start) / 1000000);
        left = left < 0 ? 0 : left;
    }
}

/* Whether more was written than a run may write. The second and the third string are the files of the streams. */
static int is_flooded(const char *strings)
{
    const char *out = strings + strlen(strings) + 1, *err = out + strlen(out) + 1;
    struct stat file;
    int64_t written = 0;
    if (stat(out, &file) == 0)
        written += file.st_size;
    if (stat(err, &file) == 0)
        written += file.st_size;
    return written > MOST_OUTPUT;
}

/* Waits for the child and ends it when its time is up, or when it writes too much. */
static struct answer watch(pid_t child, uint32_t milliseconds, const char *strings)
{
    struct answer answer = {0, 0, 0};
    uint64_t start = now();
    int64_t left = milliseconds;
    int end = (int)syscall(SYS_pidfd_open, child, 0), attempts, found;
    setpgid(child, child); /* as the child does, so that the group exists whoever comes first */
    if (end < 0)
        _exit(CANNOT);
    while (!is_over(end, left < CHECK ? left : CHECK)) {
        left = (int64_t)milliseconds - (int64_t)((now() - start) / 1000000);
        if (is_flooded(strings)) {
            answer.flags |= FLOODED;
            break;
        }
        if (left <= 0) {
            answer.flags |= TIMED_OUT;
            kill(-child, SIGTERM);
            kill(child, SIGTERM); /* it may have left its group */
            is_over(end, GRACE);
            break;
        }
    }
    kill(-child, SIGKILL);
    kill(child, SIGKILL);
    while (waitpid(child, &answer.status, 0) < 0)
        if (errno != EINTR)
            _exit(CANNOT);
    close(end);
    /* What the child left behind is now this process's: it is gone, if it was in the group, or about to be. */
    for (attempts = 0; (found = waitpid(-1, NULL, WNOHANG)) >= 0;) {
        if (found > 0)
            continue;
        if (attempts++ == 20) {
            answer.flags |= SPENT;
            break;
        }
        poll(NULL, 0, 1);
    }
    return answer;
}

/* Opens a file as a stream. */
static void redirect(const char *path, int stream, int flags)
{
    int file = open(path, flags, 0666);
    if (file < 0 || (file != stream && dup2(file, stream) < 0))
        _exit(CANNOT);
    if (file != stream)
        close(file);
}

/* Whether a variable is only for the server. */
static int is_own(const char *variable)
{
    return !strncmp(variable, "NOPOL_SERVE=", 12) || !strncmp(variable, "LD_PRELOAD=", 11);
}

/* Makes this process what a new one with that request's arguments, streams and variables would be. */
static void become(struct request request, char *text, int *argc, char ***argv)
{
    size_t known = 0, strings = 0, at, number, next = 0;
    char **variables;
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (environ[known])
        known++;
    for (at = 0; at < request.size; at++)
        strings += !text[at];
    *argv = memory((request.arguments + 1) * sizeof **argv);
    *argc = (int)request.arguments;
    variables = memory((known + strings + 1) * sizeof *variables);
    for (at = 0; at < known; at++)
        if (!is_own(environ[at]))
            variables[next++] = environ[at];
    for (at = 0, number = 0; at < request.size; at += strlen(text + at) + 1, number++) {
        char *string = text + at;
        if (number == 0)
            redirect(string, 0, O_RDONLY);
        else if (number < 3)
            redirect(string, (int)number, O_WRONLY | O_CREAT | O_TRUNC);
        else if (number == 3 && chdir(string) != 0)
            _exit(CANNOT);
        else if (number > 3 && number < 4 + request.arguments)
            (*argv)[number - 4] = string;
        else if (number > 3)
            variables[next++] = string;
    }
    environ = variables;
}

/* Answers requests until the socket is closed. Returns in the children only. */
static void serve(int *argc, char ***argv)
{
    int socket = fcntl(0, F_DUPFD_CLOEXEC, OWN_FD), end;
    char hello = HELLO;
    /* Descriptors of processes are needed to wait for them; a child has only the thread that forked it. */
    end = (int)syscall(SYS_pidfd_open, getpid(), 0);
    if (socket < 0 || end < 0 || !is_single_threaded())
        _exit(CANNOT);
    close(end);
    redirect("/dev/null", 0, O_RDONLY);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (send(socket, &hello, 1, MSG_NOSIGNAL) != 1)
        _exit(CANNOT);
    for (;;) {
        struct request request;
        struct answer answer;
        uint64_t start;
        char *text;
        pid_t child;
        if (!receive(socket, &request, sizeof request))
            _exit(0);
        text = memory(request.size);
        if (!receive(socket, text, request.size))
            _exit(CANNOT);
        start = now();
        child = fork();
        if (child == 0) {
            become(request, text, argc, argv);
            close(socket);
            return;
        }
        if (child < 0)
            _exit(CANNOT);
        answer = watch(child, request.milliseconds, text);
        answer.nanoseconds = now() - start;
        munmap(text, request.size ? request.size : 1);
        if (send(socket, &answer, sizeof answer, MSG_NOSIGNAL) != (ssize_t)sizeof answer || answer.flags & SPENT)
            _exit(0);
    }
}

/* Whether the program, or a library of it, could take part in what the server does: it has functions of its own by
 * these names, or a library's constructor has run instrumented code and found no plan. */
static int is_disturbed(void)
{
    static const char *const names[] = {
        "open", "close", "read", "send", "poll", "kill", "fork", "waitpid", "getpid", "setpgid", "prctl", "dup2", "fcntl",
        "chdir", "mmap", "munmap", "syscall", "clock_gettime", "strlen", "strchr", "strrchr", "strncmp", "_exit", "stat",
        "__errno_location"
    };
    const int *mode = dlsym(RTLD_DEFAULT, "nopol_mode");
    size_t i;
    for (i = 0; i < sizeof names / sizeof *names; i++)
        if (dlsym(RTLD_DEFAULT, names[i]) != dlsym(RTLD_NEXT, names[i]))
            return 1;
    return mode && *mode;
}

int __libc_start_main(entry main, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*loader_fini)(void), void *stack_end)
{
    starter next = (starter)dlsym(RTLD_NEXT, "__libc_start_main");
    if (!next || is_disturbed())
        _exit(CANNOT);
    serve(&argc, &argv);
    return next(main, argc, argv, init, fini, loader_fini, stack_end);
}
