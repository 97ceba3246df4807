// A disk that loses what it was given, for the unfinished outputs (.part) of whoever it is preloaded into.
// LOSSY_DISK=drop:N   the N-th write is not made, and said to have been made
// LOSSY_DISK=zero:N   zeroes are written instead of it
// LOSSY_DISK=flip:N   one bit of it is another
// LOSSY_DISK_LOG=FILE what was done in which order, a line each: write, sync, rename, sync folder

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static long writes;

static void* next(const char* name) {
    return dlsym(RTLD_NEXT, name);
}

static void note(const char* what) {
    const char* const name = getenv("LOSSY_DISK_LOG");
    if (name != NULL) {
        const int log = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
        dprintf(log, "%s\n", what);
        close(log);
    }
}

static int is_part(int descriptor) {
    char link[64];
    char name[4096];
    snprintf(link, sizeof(link), "/proc/self/fd/%d", descriptor);
    const ssize_t length = readlink(link, name, sizeof(name) - 1);
    return length > 5 && memcmp(name + length - 5, ".part", 5) == 0;
}

static int is_folder(int descriptor) {
    struct stat status;
    return fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode);
}

// What is to become of this write: 'd'rop, 'z'ero, 'f'lip or 0.
static char fate(void) {
    const char* const text = getenv("LOSSY_DISK");
    ++writes;
    return text != NULL && strchr(text, ':') != NULL && atol(strchr(text, ':') + 1) == writes ? text[0] : 0;
}

typedef ssize_t (*Put)(int, const void*, size_t, off_t);

static ssize_t put(int descriptor, const void* bytes, size_t size, off_t offset, Put real) {
    if (!is_part(descriptor)) {
        return real(descriptor, bytes, size, offset);
    }
    note("write");
    const char what = fate();
    if (what == 'd') {
        return (ssize_t)size;
    }
    if (what == 0) {
        return real(descriptor, bytes, size, offset);
    }
    char* const other = malloc(size + 1);
    memcpy(other, bytes, size);
    if (what == 'z') {
        memset(other, 0, size);
    } else {
        other[size / 2] ^= 4;
    }
    const ssize_t result = real(descriptor, other, size, offset);
    free(other);
    return result;
}

ssize_t pwrite(int descriptor, const void* bytes, size_t size, off_t offset) {
    return put(descriptor, bytes, size, offset, (Put)next("pwrite"));
}
ssize_t pwrite64(int descriptor, const void* bytes, size_t size, off_t offset) __attribute__((alias("pwrite")));

static ssize_t put_here(int descriptor, const void* bytes, size_t size, off_t offset) {
    (void)offset;
    return ((ssize_t(*)(int, const void*, size_t))next("write"))(descriptor, bytes, size);
}

ssize_t write(int descriptor, const void* bytes, size_t size) {
    return put(descriptor, bytes, size, 0, put_here);
}

static int sync_with(int descriptor, const char* name) {
    const int result = ((int (*)(int))next(name))(descriptor);
    if (is_part(descriptor)) {
        note("sync");
    } else if (is_folder(descriptor)) {
        note("sync folder");
    }
    return result;
}

int fsync(int descriptor) {
    return sync_with(descriptor, "fsync");
}

int fdatasync(int descriptor) {
    return sync_with(descriptor, "fdatasync");
}

int rename(const char* from, const char* to) {
    note("rename");
    return ((int (*)(const char*, const char*))next("rename"))(from, to);
}
