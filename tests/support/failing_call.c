// A system that refuses one call, or interrupts it, of whoever this is preloaded into.
// FAILING_CALL=CALL:N:ERROR[:TEXT]  the N-th such call fails with that number, of those on files whose name holds TEXT;
//                                   with 0 it does a single byte of what was asked for. N+ are all from the N-th on.
// CALL is read, pread, write, pwrite, sendto, fstat, stat, close, rename, readdir, pthread_create, malloc, realloc or
// posix_memalign (FFmpeg's). Of the last three those before the first stat of FAILING_CALL_BEGIN are left alone, as the
// loader is not to fail, and TEXT is of the thread's name. memory:1+:0 is all three, which work, but leave an errno of ENOMEM
// as glibc does where it has no room for a thread's arena and takes pages of their own.
// FAILING_CALL_LOG=FILE             gets a line for each call that was struck.

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_long calls;

static void* next(const char* name) {
    return dlsym(RTLD_NEXT, name);
}

static const char* name_of(int descriptor, char* name, size_t size) {
    char link[64];
    snprintf(link, sizeof(link), "/proc/self/fd/%d", descriptor);
    const ssize_t length = readlink(link, name, size - 1);
    name[length > 0 ? length : 0] = '\0';
    return name;
}

// By the system itself: open, write and close may be what fails.
static void note(const char* call) {
    const char* const name = getenv("FAILING_CALL_LOG");
    const int before = errno;
    if (name != NULL) {
        const long log = syscall(SYS_openat, AT_FDCWD, name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
        syscall(SYS_write, log, call, strlen(call));
        syscall(SYS_write, log, "\n", 1);
        syscall(SYS_close, log);
    }
    errno = before;
}

// The error of this call, or -1 where it is to work.
static int fate(const char* call, const char* path) {
    const char* const text = getenv("FAILING_CALL");
    const size_t length = strlen(call);
    if (text == NULL || strncmp(text, call, length) != 0 || text[length] != ':') {
        return -1;
    }
    char* rest = NULL;
    const long number = strtol(text + length + 1, &rest, 10);
    const int all = *rest == '+';
    const long error = strtol(rest + 1 + all, &rest, 10);
    if (*rest == ':' && (path == NULL || strstr(path, rest + 1) == NULL)) {
        return -1;
    }
    const long now = ++calls;
    if (now != number && !(all && now > number)) {
        return -1;
    }
    note(call);
    return (int)error;
}

static int fate_of(const char* call, int descriptor) {
    char name[4096];
    return fate(call, name_of(descriptor, name, sizeof(name)));
}

// A call that fails, or does less than it might.
#define TRANSFER(NAME, CALL, BYTES, PARAMETERS, ARGUMENTS)                                                  \
    ssize_t NAME(int descriptor, BYTES, size_t size PARAMETERS) {                                           \
        const int error = fate_of(CALL, descriptor);                                                        \
        if (error > 0) {                                                                                    \
            errno = error;                                                                                  \
            return -1;                                                                                      \
        }                                                                                                   \
        size = error == 0 && size > 1 ? 1 : size;                                                           \
        return ((ssize_t(*)(int, BYTES, size_t PARAMETERS))next(#NAME))(descriptor, bytes, size ARGUMENTS); \
    }
#define WITH_OFFSET , off_t offset
#define OFFSET , offset
#define NOTHING

TRANSFER(read, "read", void* bytes, NOTHING, NOTHING)
TRANSFER(write, "write", const void* bytes, NOTHING, NOTHING)
TRANSFER(pread, "pread", void* bytes, WITH_OFFSET, OFFSET)
TRANSFER(pread64, "pread", void* bytes, WITH_OFFSET, OFFSET)
TRANSFER(pwrite, "pwrite", const void* bytes, WITH_OFFSET, OFFSET)
TRANSFER(pwrite64, "pwrite", const void* bytes, WITH_OFFSET, OFFSET)

ssize_t sendto(int socket, const void* bytes, size_t size, int flags, const struct sockaddr* to, socklen_t length) {
    const int error = fate_of("sendto", socket);
    errno = error > 0 ? error : errno;
    return error > 0 ? -1
                     : ((ssize_t(*)(int, const void*, size_t, int, const struct sockaddr*, socklen_t))next("sendto"))(
                           socket, bytes, size, flags, to, length);
}

int fstat(int descriptor, struct stat* status) {
    const int error = fate_of("fstat", descriptor);
    errno = error > 0 ? error : errno;
    return error > 0 ? -1 : ((int (*)(int, struct stat*))next("fstat"))(descriptor, status);
}

static atomic_int begun;

int stat(const char* path, struct stat* status) {
    const char* const begin = getenv("FAILING_CALL_BEGIN");
    begun |= begin != NULL && strcmp(path, begin) == 0;
    const int error = fate("stat", path);
    errno = error > 0 ? error : errno;
    return error > 0 ? -1 : ((int (*)(const char*, struct stat*))next("stat"))(path, status);
}

int close(int descriptor) {
    const int error = fate_of("close", descriptor);
    const int result = ((int (*)(int))next("close"))(descriptor);
    errno = error > 0 ? error : errno;
    return error > 0 ? -1 : result;
}

int rename(const char* from, const char* to) {
    const int error = fate("rename", from);
    errno = error > 0 ? error : errno;
    return error > 0 ? -1 : ((int (*)(const char*, const char*))next("rename"))(from, to);
}

struct dirent* readdir(DIR* folder) {
    const int error = fate_of("readdir", dirfd(folder));
    errno = error > 0 ? error : errno;
    return error > 0 ? NULL : ((struct dirent * (*)(DIR*)) next("readdir"))(folder);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*begin)(void*), void* argument) {
    const int error = fate("pthread_create", NULL);
    return error > 0 ? error
                     : ((int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*))next("pthread_create"))(
                           thread, attributes, begin, argument);
}

void* __libc_malloc(size_t size);

void* __libc_realloc(void* old, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

static int fate_of_memory(const char* call) {
    char thread[16] = "";
    prctl(PR_GET_NAME, thread);
    return fate(call, thread);
}

// The errno of memory that was had.
static int errno_behind(void) {
    return begun && fate_of_memory("memory") == 0 ? ENOMEM : errno;
}

void* malloc(size_t size) {
    const int error = begun ? fate_of_memory("malloc") : -1;
    errno = error > 0 ? error : errno_behind();
    return error > 0 ? NULL : __libc_malloc(size);
}

void* realloc(void* old, size_t size) {
    const int error = begun ? fate_of_memory("realloc") : -1;
    errno = error > 0 ? error : errno_behind();
    return error > 0 ? NULL : __libc_realloc(old, size);
}

int posix_memalign(void** memory, size_t alignment, size_t size) {
    const int error = begun ? fate_of_memory("posix_memalign") : -1;
    *memory = error > 0 ? NULL : __libc_memalign(alignment, size);
    errno = error > 0 ? error : errno_behind();
    return error > 0 ? error : *memory == NULL ? ENOMEM : 0;
}
