/* What a client sends to the server of a program: see server.c. */
#ifndef VFILTER_TESTS_WITNESS_PROTOCOL_H
#define VFILTER_TESTS_WITNESS_PROTOCOL_H

#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

enum { witness_descriptors = 4 }; /* stdin, stdout, stderr, the folder */

/* Followed by `bytes` of text: the arguments, then the environment, each string with its zero. */
struct witness_request {
    uint32_t arguments;
    uint32_t variables;
    uint32_t bytes;
    mode_t umask;
    struct rlimit limits[RLIM_NLIMITS];
};

/* First with the run's number, then with how it ended. */
struct witness_reply {
    pid_t process;
    int status; /* as waitpid gives it */
};

#endif
