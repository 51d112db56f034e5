//! Functions of C's library, in C. They are translated if a program calls them and does not define them.

/// The text. Functions whose names begin with `library_` stand for others of the library.
pub(super) const TEXT: &str = r"
int abs(int x) { return x < 0 ? -x : x; }
long labs(long x) { return x < 0 ? -x : x; }
long llabs(long x) { return x < 0 ? -x : x; }

int isdigit(int c) { library_character(c); return c >= 48 && c <= 57; }
int isupper(int c) { library_character(c); return c >= 65 && c <= 90; }
int islower(int c) { library_character(c); return c >= 97 && c <= 122; }
int isalpha(int c) { library_character(c); return isupper(c) || islower(c); }
int isalnum(int c) { library_character(c); return isalpha(c) || isdigit(c); }
int isspace(int c) { library_character(c); return c == 32 || c >= 9 && c <= 13; }
int isblank(int c) { library_character(c); return c == 32 || c == 9; }
int isprint(int c) { library_character(c); return c >= 32 && c <= 126; }
int isgraph(int c) { library_character(c); return c >= 33 && c <= 126; }
int ispunct(int c) { library_character(c); return isgraph(c) && !isalnum(c); }
int iscntrl(int c) { library_character(c); return c >= 0 && c < 32 || c == 127; }
int isxdigit(int c) { library_character(c); return isdigit(c) || c >= 65 && c <= 70 || c >= 97 && c <= 102; }
long __builtin_expect(long value, long usual) { return value; }
int toupper(int c) { return islower(c) ? c - 32 : c; }
int tolower(int c) { return isupper(c) ? c + 32 : c; }

size_t strlen(const char *s) {
    size_t n = 0;
    while (s[n] != 0) n++;
    return n;
}

int strcmp(const char *a, const char *b) {
    size_t i = 0;
    while (a[i] != 0 && a[i] == b[i]) i++;
    return (unsigned char)a[i] - (unsigned char)b[i];
}

int strncmp(const char *a, const char *b, size_t n) {
    library_present(a);
    library_present(b);
    for (size_t i = 0; i < n; i++) {
        if (a[i] != b[i]) return (unsigned char)a[i] - (unsigned char)b[i];
        if (a[i] == 0) return 0;
    }
    return 0;
}

int memcmp(const char *a, const char *b, size_t n) {
    library_present(a);
    library_present(b);
    if (n > 0) {
        char last = a[n - 1];
        last = b[n - 1];
    }
    for (size_t i = 0; i < n; i++) {
        if (a[i] != b[i]) return (unsigned char)a[i] - (unsigned char)b[i];
    }
    return 0;
}

char *strcpy(char *to, const char *from) {
    size_t i = 0;
    while (from[i] != 0) {
        to[i] = from[i];
        i++;
    }
    to[i] = 0;
    library_apart(to, i + 1, from, i + 1);
    return to;
}

char *strncpy(char *to, const char *from, size_t n) {
    library_present(to);
    library_present(from);
    size_t i = 0;
    while (i < n && from[i] != 0) {
        to[i] = from[i];
        i++;
    }
    library_apart(to, n, from, i < n ? i + 1 : n);
    while (i < n) {
        to[i] = 0;
        i++;
    }
    return to;
}

char *strcat(char *to, const char *from) {
    size_t end = strlen(to);
    size_t i = 0;
    while (from[i] != 0) {
        to[end + i] = from[i];
        i++;
    }
    to[end + i] = 0;
    library_apart(to, end + i + 1, from, i + 1);
    return to;
}

char *strncat(char *to, const char *from, size_t n) {
    library_present(to);
    library_present(from);
    size_t end = strlen(to);
    size_t i = 0;
    while (i < n && from[i] != 0) {
        to[end + i] = from[i];
        i++;
    }
    to[end + i] = 0;
    library_apart(to, end + i + 1, from, i < n ? i + 1 : n);
    return to;
}

char *strchr(const char *s, int c) {
    while (*s != 0 && *s != (char)c) s++;
    return *s == (char)c ? s : 0;
}

char *strrchr(const char *s, int c) {
    const char *found = 0;
    while (*s != 0) {
        if (*s == (char)c) found = s;
        s++;
    }
    return *s == (char)c ? s : found;
}

char *strstr(const char *s, const char *part) {
    size_t n = strlen(part);
    while (strncmp(s, part, n) != 0) {
        if (*s == 0) return 0;
        s++;
    }
    return s;
}

char *gets(char *s) {
    size_t n = 0;
    int c = getchar();
    if (c == -1) return 0;
    while (c != -1 && c != 10) {
        s[n] = c;
        n++;
        c = getchar();
    }
    s[n] = 0;
    return s;
}

size_t library_fread(char *to, size_t size, size_t count) {
    size_t n = 0;
    while (n < size * count) {
        int c = getchar();
        if (c == -1) return n / size;
        to[n] = c;
        n++;
    }
    return size == 0 ? 0 : count;
}

long library_strtol(const char *s, char **end) {
    size_t i = 0;
    unsigned long n = 0;
    unsigned long most = 9223372036854775807;
    bool is_negative = 0;
    bool is_too_large = 0;
    while (isspace(s[i])) i++;
    if (s[i] == 45 || s[i] == 43) {
        is_negative = s[i] == 45;
        i++;
    }
    if (is_negative) most++;
    *end = s;
    while (isdigit(s[i])) {
        unsigned long digit = s[i] - 48;
        if (n > (most - digit) / 10) is_too_large = 1;
        n = n * 10 + digit;
        i++;
        *end = s + i;
    }
    if (is_too_large) n = most;
    return is_negative ? 0 - n : n;
}
";
