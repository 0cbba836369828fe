/* What a file system can do to a process: LD_PRELOAD of the tests in faults.rs.
   FAULT=write:N    the Nth write to a file fails with EIO, and those behind it
   FAULT=sync:N     the Nth fsync or fdatasync of a file fails with EIO, and those behind it
   FAULT=short:N    a write to a file takes N bytes at the most
   SHADOW=DIR       after each fsync DIR has what is on disk: the file as it was then, under its last name */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_file(int fd) {
    struct stat about;
    return fd > 2 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
}

static long wanted(const char *kind) {
    const char *fault = getenv("FAULT");
    size_t length = strlen(kind);
    return fault && !strncmp(fault, kind, length) && fault[length] == ':' ? atol(fault + length + 1) : 0;
}

static int fails(const char *kind) {
    static long writes, syncs;
    long *count = *kind == 'w' ? &writes : &syncs, at = wanted(kind);
    return at && __sync_add_and_fetch(count, 1) >= at;
}

ssize_t write(int fd, const void *bytes, size_t length) {
    static ssize_t (*real)(int, const void *, size_t);
    if (!real) real = dlsym(RTLD_NEXT, "write");
    if (is_file(fd)) {
        long most = wanted("short");
        if (fails("write")) { errno = EIO; return -1; }
        if (most && length > (size_t)most) length = most;
    }
    return real(fd, bytes, length);
}

static const char *name_in_shadow(const char *path, char *into) {
    const char *shadow = getenv("SHADOW");
    const char *name = strrchr(path, '/');
    snprintf(into, 4096, "%s/%s", shadow, name ? name + 1 : path);
    return into;
}

static int rename_really(const char *old, const char *new) {
    int (*real)(const char *, const char *) = dlsym(RTLD_NEXT, "rename");
    return real(old, new);
}

/* Under another name first: a process that is killed meanwhile leaves what was on disk before, as a disk does. */
static void copy(int fd) {
    char link[64], path[4096], to[4096], begun[4200], bytes[65536];
    ssize_t length;
    off_t at = 0;
    struct stat about;
    if (!getenv("SHADOW") || fstat(fd, &about) || !S_ISREG(about.st_mode)) return;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    length = readlink(link, path, sizeof path - 1);
    if (length < 0) return;
    path[length] = 0;
    snprintf(begun, sizeof begun, "%s.begun.%d", name_in_shadow(path, to), gettid());
    int from = open(path, O_RDONLY), into = open(begun, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (from >= 0 && into >= 0)
        while ((length = pread(from, bytes, sizeof bytes, at)) > 0) { if (pwrite(into, bytes, length, at) < 0) break; at += length; }
    if (from >= 0) close(from);
    if (into >= 0) close(into);
    if (from >= 0 && into >= 0) rename_really(begun, to);
}

static int sync_with(const char *name, int fd) {
    int (*real)(int) = dlsym(RTLD_NEXT, name);
    if (is_file(fd) && fails("sync")) { errno = EIO; return -1; }
    int done = real(fd);
    if (!done) copy(fd);
    return done;
}

int fsync(int fd) { return sync_with("fsync", fd); }
int fdatasync(int fd) { return sync_with("fdatasync", fd); }

int rename(const char *old, const char *new) {
    char from[4096], to[4096];
    int done = rename_really(old, new);
    if (!done && getenv("SHADOW")) rename_really(name_in_shadow(old, from), name_in_shadow(new, to));
    return done;
}
