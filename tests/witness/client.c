/*
 * vfilter, ffmpeg or ffprobe, for tests: by the name that it is called by. It has the server of that program run it,
 * or, where none answers, becomes the program itself. See server.c.
 *
 * Built with WITNESS_SOCKETS it stands before a program's path: `kept PROGRAM ARGUMENTS`.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "protocol.h"

static volatile sig_atomic_t process;

static void pass_on(int number) {
    if (process > 0) {
        kill(process, number);
    }
}

/* $VFILTER, or the next program of that name after this one's folder in PATH. */
static void become(const char* name, char** argv) {
#ifdef WITNESS_SOCKETS
    execv(argv[0], argv);
#endif
    const char* const vfilter = strcmp(name, "vfilter") == 0 ? getenv("VFILTER") : NULL;
    if (vfilter != NULL) {
        execv(vfilter, argv);
    }
    char own[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);
    own[length > 0 ? length : 0] = '\0';
    const char* rest = getenv("PATH");
    while (rest != NULL && *rest != '\0') {
        const size_t size = strcspn(rest, ":");
        char path[PATH_MAX];
        char real[PATH_MAX];
        if (snprintf(path, sizeof(path), "%.*s/%s", (int)size, rest, name) < (int)sizeof(path) &&
            realpath(path, real) != NULL && strcmp(real, own) != 0) {
            execv(path, argv);
        }
        rest += size + (rest[size] == ':');
    }
    fprintf(stderr, "%s: not found\n", name);
    _exit(127);
}

static int write_all(int to, const char* data, size_t size) {
    while (size > 0) {
        const ssize_t written = write(to, data, size);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return 0;
        }
        data += written;
        size -= (size_t)written;
    }
    return 1;
}

static int read_reply(int from, struct witness_reply* reply) {
    size_t got = 0;
    while (got < sizeof(*reply)) {
        const ssize_t size = read(from, (char*)reply + got, sizeof(*reply) - got);
        if (size < 0 && errno == EINTR) {
            continue;
        }
        if (size <= 0) {
            return 0;
        }
        got += (size_t)size;
    }
    return 1;
}

static uint32_t add_strings(char** strings, char** text, size_t* bytes) {
    uint32_t count = 0;
    for (; strings[count] != NULL; ++count) {
        const size_t size = strlen(strings[count]) + 1;
        *text = realloc(*text, *bytes + size);
        if (*text == NULL) {
            _exit(126);
        }
        memcpy(*text + *bytes, strings[count], size);
        *bytes += size;
    }
    return count;
}

extern char** environ;

int main(int argc, char** argv) {
#ifdef WITNESS_SOCKETS
    const char* const folder = WITNESS_SOCKETS;
    --argc;
    ++argv;
#else
    const char* const folder = getenv("VFILTER_WITNESSES");
#endif
    const char* const slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    const char* const name = slash != NULL ? slash + 1 : argc > 0 ? argv[0] : "";
    /* What is loaded before its libraries has to be there when it starts. */
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int length = snprintf(address.sun_path, sizeof(address.sun_path), "%s/%s", folder != NULL ? folder : "", name);
    const int place = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    const int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (folder == NULL || getenv("LD_PRELOAD") != NULL || length >= (int)sizeof(address.sun_path) || place < 0 ||
        server < 0 || connect(server, (struct sockaddr*)&address, sizeof(address)) != 0) {
        become(name, argv);
    }

    struct witness_request request = {0};
    char* text = NULL;
    size_t bytes = 0;
    request.arguments = add_strings(argv, &text, &bytes);
    request.variables = add_strings(environ, &text, &bytes);
    request.bytes = (uint32_t)bytes;
    request.umask = umask(0);
    umask(request.umask);
    for (int i = 0; i < RLIM_NLIMITS; ++i) {
        getrlimit((__rlimit_resource_t)i, &request.limits[i]);
    }
    const int descriptors[witness_descriptors] = {0, 1, 2, place};
    for (int i = 0; i < 3; ++i) {
        if (fcntl(i, F_GETFD) < 0) {
            become(name, argv); /* one that is closed cannot be handed over */
        }
    }
    union {
        char bytes[CMSG_SPACE(sizeof(descriptors))];
        struct cmsghdr header;
    } control = {0};
    struct iovec part = {&request, sizeof(request)};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof(control.bytes)};
    struct cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(descriptors));
    memcpy(CMSG_DATA(header), descriptors, sizeof(descriptors));

    struct witness_reply reply;
    if (sendmsg(server, &message, MSG_NOSIGNAL) != (ssize_t)sizeof(request) || !write_all(server, text, bytes) ||
        !read_reply(server, &reply)) {
        become(name, argv);
    }
    process = reply.process;
    struct sigaction action = {.sa_handler = pass_on};
    const int passed[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCONT};
    for (size_t i = 0; i < sizeof(passed) / sizeof(*passed); ++i) {
        sigaction(passed[i], &action, NULL);
    }
    /* The run's own: nobody else is to hold a pipe's end open. */
    for (int i = 0; i < 3; ++i) {
        close(i);
    }
    close(place);
    if (!read_reply(server, &reply)) {
        _exit(125);
    }
    if (WIFSIGNALED(reply.status)) {
        const struct rlimit no_core = {0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        signal(WTERMSIG(reply.status), SIG_DFL);
        raise(WTERMSIG(reply.status));
    }
    _exit(WIFSIGNALED(reply.status) ? 128 + WTERMSIG(reply.status) : WEXITSTATUS(reply.status));
}
