/* A disk that fails when it is told to. Loaded before the C library (LD_PRELOAD), it counts the calls that change what
 * lies below one directory and has one of them fail: writes, truncations, flushes, renames, new files and directories,
 * removals, changes of mode. Rust's standard library and SQLite both go through the C library for these.
 *
 * PRICEBOOK_DISK        the directory, absolute and without symbolic links.
 * PRICEBOOK_DISK_FAULT  "call:errno:mode", the call counted from 1. Mode 1: it fails. 2: it and all after it fail.
 *                       3: as 1, but a write writes half first. 4: the process ends there, as by SIGKILL.
 *
 * Opening DISK/.fault/call:errno:mode sets it anew and counts from 0. Opening DISK/.fault/count sets nothing; both fail
 * with ENOENT, and DISK.count then holds the number of calls so far and how many of them failed.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { ONCE = 1, FROM_THEN_ON = 2, HALF = 3, KILLED = 4 };

static char disk[4096];
static size_t disk_len;
static atomic_int calls, failed;
static int fail_at, fail_errno, fail_mode;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void set_fault(const char *fault) {
    fail_at = 0;
    if (sscanf(fault, "%d:%d:%d", &fail_at, &fail_errno, &fail_mode) != 3) fail_at = 0;
    atomic_store(&calls, 0);
    atomic_store(&failed, 0);
}

__attribute__((constructor)) static void begin(void) {
    const char *dir = getenv("PRICEBOOK_DISK"), *fault = getenv("PRICEBOOK_DISK_FAULT");
    if (dir) {
        snprintf(disk, sizeof disk, "%s", dir);
        disk_len = strlen(disk);
    }
    if (fault) set_fault(fault);
}

static int is_on_disk(const char *path) {
    return disk_len && path && !strncmp(path, disk, disk_len) && (path[disk_len] == '/' || !path[disk_len]);
}

static int is_file_on_disk(int fd) {
    char link[64], path[4096];
    if (!disk_len) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return is_on_disk(path);
}

/* Whether this call is to fail; the errno is set then. */
static int fails(void) {
    int call = atomic_fetch_add(&calls, 1) + 1;
    if (!fail_at || !(fail_mode == FROM_THEN_ON ? call >= fail_at : call == fail_at)) return 0;
    if (fail_mode == KILLED) kill(getpid(), SIGKILL);
    atomic_fetch_add(&failed, 1);
    errno = fail_errno;
    return 1;
}

/* What is asked of this library and not of the disk. */
static int is_order(const char *path) {
    const char *order = is_on_disk(path) ? path + disk_len : "";
    if (strncmp(order, "/.fault/", 8)) return 0;
    char name[4200], text[64];
    snprintf(name, sizeof name, "%s.count", disk);
    int length = snprintf(text, sizeof text, "%d %d\n", atomic_load(&calls), atomic_load(&failed));
    int fd = REAL(open)(name, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    if (fd >= 0) {
        if (REAL(write)(fd, text, length) != length) abort();
        close(fd);
    }
    if (strcmp(order, "/.fault/count")) set_fault(order + 8);
    errno = ENOENT;
    return 1;
}

#define FILE_CALL(type, name, parameters, arguments) \
    type name parameters { return is_file_on_disk(fd) && fails() ? -1 : REAL(name) arguments; }
#define PATH_CALL(name, parameters, arguments) \
    int name parameters { return is_on_disk(path) && fails() ? -1 : REAL(name) arguments; }

ssize_t write(int fd, const void *bytes, size_t count) {
    if (!is_file_on_disk(fd) || !fails()) return REAL(write)(fd, bytes, count);
    if (fail_mode == HALF && count > 1) REAL(write)(fd, bytes, count / 2), errno = fail_errno;
    return -1;
}

static ssize_t half_at(int fd, const void *bytes, size_t count, off64_t at) {
    if (fail_mode == HALF && count > 1) REAL(pwrite64)(fd, bytes, count / 2, at), errno = fail_errno;
    return -1;
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) {
    if (!is_file_on_disk(fd) || !fails()) return REAL(pwrite64)(fd, bytes, count, at);
    return half_at(fd, bytes, count, at);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) {
    if (!is_file_on_disk(fd) || !fails()) return REAL(pwrite)(fd, bytes, count, at);
    return half_at(fd, bytes, count, at);
}

FILE_CALL(ssize_t, writev, (int fd, const struct iovec *parts, int count), (fd, parts, count))
FILE_CALL(int, fsync, (int fd), (fd))
FILE_CALL(int, fdatasync, (int fd), (fd))
FILE_CALL(int, ftruncate, (int fd, off_t length), (fd, length))
FILE_CALL(int, ftruncate64, (int fd, off64_t length), (fd, length))
FILE_CALL(int, fchmod, (int fd, mode_t mode), (fd, mode))
PATH_CALL(chmod, (const char *path, mode_t mode), (path, mode))
PATH_CALL(mkdir, (const char *path, mode_t mode), (path, mode))
PATH_CALL(rmdir, (const char *path), (path))
PATH_CALL(unlink, (const char *path), (path))
PATH_CALL(rename, (const char *path, const char *to), (path, to))

int unlinkat(int fd, const char *path, int flags) {
    int on_disk = path[0] == '/' ? is_on_disk(path) : is_file_on_disk(fd);
    return on_disk && fails() ? -1 : REAL(unlinkat)(fd, path, flags);
}

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
        va_end(rest); \
        if (is_order(path)) return -1; \
        int changes = flags & (O_CREAT | O_TRUNC); \
        if (changes && is_on_disk(path) && fails()) return -1; \
        return REAL(name)(path, flags, mode); \
    }

OPEN(open)
OPEN(open64)
