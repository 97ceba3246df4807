/*
 * Tests call vfilter, ffmpeg and ffprobe thousands of times, and each time the system's loader needs some 50 ms for the
 * symbols of 150 libraries. As a preloaded module this stops a program before its main(), when all of that is done: it
 * listens at the socket $VFILTER_WITNESS, and forks for each client.c that asks, with the arguments, environment, folder, limits
 * and descriptors of that one. What runs is the program itself. It ends when its socket is gone or nobody has asked for
 * ten minutes; a run ends when its client does.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "protocol.h"

enum { most_runs = 64, patience_ms = 10 * 60 * 1000, most_text = 1 << 22 };

struct run {
    pid_t process;
    int client;
    int ended; /* a descriptor that can be read when it has */
};

typedef int (*main_function)(int, char**, char**);
typedef int (*start_function)(main_function, int, char**, void (*)(void), void (*)(void), void (*)(void), void*);

extern char** environ;
static main_function own_main;
static char** own_arguments;
static int own_count;

static int run_main(int argc, char** argv, char** variables) {
    (void)argc;
    (void)argv;
    (void)variables;
    return own_main(own_count, own_arguments, environ);
}

static int read_all(int from, char* data, size_t size) {
    while (size > 0) {
        const ssize_t got = read(from, data, size);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return 0;
        }
        data += got;
        size -= (size_t)got;
    }
    return 1;
}

static int receive(int client, struct witness_request* request, int descriptors[witness_descriptors]) {
    union {
        char bytes[CMSG_SPACE(sizeof(int) * witness_descriptors)];
        struct cmsghdr header;
    } control;
    struct iovec part = {request, sizeof(*request)};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof(control.bytes)};
    if (recvmsg(client, &message, MSG_CMSG_CLOEXEC | MSG_WAITALL) != (ssize_t)sizeof(*request)) {
        return 0;
    }
    const struct cmsghdr* const header = CMSG_FIRSTHDR(&message);
    if (header == NULL || header->cmsg_len != CMSG_LEN(sizeof(int) * witness_descriptors)) {
        return 0;
    }
    memcpy(descriptors, CMSG_DATA(header), sizeof(int) * witness_descriptors);
    return request->bytes <= most_text;
}

static char** strings_of(char* text, uint32_t count, char** rest) {
    char** const strings = calloc(count + 1, sizeof(char*));
    for (uint32_t i = 0; strings != NULL && i < count; ++i) {
        strings[i] = text;
        text += strlen(text) + 1;
    }
    *rest = text;
    return strings;
}

/* Whether the program's file is another one by now: one that was built since. */
static int replaced(void) {
    static const char mark[] = " (deleted)";
    char path[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
    const ssize_t end = (ssize_t)sizeof(mark) - 1;
    path[length > 0 ? length : 0] = '\0';
    return length < end || strcmp(path + length - end, mark) == 0;
}

/* In the fork: all that the client had. */
static void take_over(const struct witness_request* request, char* text, const int descriptors[witness_descriptors]) {
    own_arguments = strings_of(text, request->arguments, &text);
    environ = strings_of(text, request->variables, &text);
    own_count = (int)request->arguments;
    if (own_arguments == NULL || environ == NULL || fchdir(descriptors[3]) != 0) {
        _exit(126);
    }
    for (int i = 0; i < 3; ++i) {
        dup2(descriptors[i], i);
    }
    syscall(SYS_close_range, 3U, ~0U, 0U);
    for (int i = 0; i < RLIM_NLIMITS; ++i) {
        setrlimit((__rlimit_resource_t)i, &request->limits[i]);
    }
    umask(request->umask);
    signal(SIGPIPE, SIG_DFL);
    setpgid(0, 0);
}

/* Returns in a fork, which is to go on with main(); the server itself never does. */
static void serve(int listener, const char* path) {
    static struct run runs[most_runs];
    int count = 0;
    for (;;) {
        struct pollfd events[1 + 2 * most_runs];
        events[0] = (struct pollfd){.fd = count < most_runs ? listener : -1, .events = POLLIN};
        for (int i = 0; i < count; ++i) {
            events[1 + 2 * i] = (struct pollfd){.fd = runs[i].ended, .events = POLLIN};
            events[2 + 2 * i] = (struct pollfd){.fd = runs[i].client, .events = 0};
        }
        const int ready = poll(events, (nfds_t)(1 + 2 * count), patience_ms);
        if ((ready == 0 && count == 0) || access(path, F_OK) != 0) {
            _exit(0);
        }
        for (int i = count - 1; i >= 0; --i) {
            struct run* const run = &runs[i];
            if (events[1 + 2 * i].revents != 0) {
                struct witness_reply reply = {.process = run->process};
                waitpid(run->process, &reply.status, 0);
                send(run->client, &reply, sizeof(reply), MSG_NOSIGNAL);
                close(run->client);
                close(run->ended);
                *run = runs[--count];
            } else if ((events[2 + 2 * i].revents & (POLLHUP | POLLERR)) != 0) {
                kill(-run->process, SIGKILL);
                kill(run->process, SIGKILL);
            }
        }
        if (events[0].revents == 0) {
            continue;
        }
        const int client = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        struct witness_request request;
        int descriptors[witness_descriptors];
        if (client < 0 || replaced() || !receive(client, &request, descriptors)) {
            close(client);
            continue;
        }
        char* const text = malloc(request.bytes);
        struct run run = {.client = client};
        run.process = text != NULL && read_all(client, text, request.bytes) ? fork() : -1;
        if (run.process == 0) {
            take_over(&request, text, descriptors);
            return;
        }
        free(text);
        for (int i = 0; i < witness_descriptors; ++i) {
            close(descriptors[i]);
        }
        run.ended = run.process > 0 ? (int)syscall(SYS_pidfd_open, run.process, 0U) : -1;
        const struct witness_reply begun = {.process = run.process};
        if (run.ended < 0 || send(client, &begun, sizeof(begun), MSG_NOSIGNAL) != (ssize_t)sizeof(begun)) {
            if (run.process > 0) {
                kill(run.process, SIGKILL);
                waitpid(run.process, NULL, 0);
            }
            close(client);
            continue;
        }
        runs[count++] = run;
    }
}

/* Called by what a program begins with, when its libraries are there. */
int __libc_start_main(main_function main, int argc, char** argv, void (*init)(void), void (*fini)(void),
                      void (*loader_fini)(void), void* stack_end) {
    const start_function start = (start_function)dlsym(RTLD_NEXT, "__libc_start_main");
    const char* const path = getenv("VFILTER_WITNESS");
    if (path == NULL) {
        return start(main, argc, argv, init, fini, loader_fini, stack_end);
    }
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (strlen(path) >= sizeof(address.sun_path)) {
        _exit(1);
    }
    strcpy(address.sun_path, path);
    if (listener < 0 || bind(listener, (struct sockaddr*)&address, sizeof(address)) != 0 || listen(listener, 64) != 0) {
        _exit(1);
    }
    own_main = main;
    serve(listener, path);
    return start(run_main, argc, argv, init, fini, loader_fini, stack_end);
}
