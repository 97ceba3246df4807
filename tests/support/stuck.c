// A stage that hangs or takes its time, for programs that use FFmpeg, preloaded into them.
// STUCK=NAME:N      the function of that name sleeps for ever when it is called for the N-th time
// STUCK_NOTE=FILE   which is made then
// SLOW=NAME:N       the function of that name takes N milliseconds longer, each time

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// The number that a variable of the environment has for a function; 0 without one.
static long number_for(const char* variable, const char* name) {
    const char* const text = getenv(variable);
    const size_t length = strlen(name);
    return text != NULL && strncmp(text, name, length) == 0 && text[length] == ':' ? atol(text + length + 1) : 0;
}

static void hang_if_it_is_time(const char* name, atomic_long* calls) {
    const long slow = number_for("SLOW", name);
    if (slow > 0) {
        const struct timespec time = {.tv_sec = slow / 1000, .tv_nsec = slow % 1000 * 1000000};
        nanosleep(&time, NULL);
    }
    const long stuck = number_for("STUCK", name);
    if (stuck > 0 && atomic_fetch_add(calls, 1) + 1 == stuck) {
        const char* const note = getenv("STUCK_NOTE");
        if (note != NULL) {
            close(open(note, O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
        }
        for (;;) {
            pause();
        }
    }
}

#define STUCK(name)                                                                       \
    int name(void* first, void* second) {                                                 \
        static atomic_long calls;                                                         \
        hang_if_it_is_time(#name, &calls);                                                \
        int (*const real)(void*, void*) = (int (*)(void*, void*))dlsym(RTLD_NEXT, #name); \
        return real(first, second);                                                       \
    }

STUCK(av_read_frame)
STUCK(avcodec_send_packet)
STUCK(avcodec_send_frame)
STUCK(av_interleaved_write_frame)
STUCK(av_write_frame)

// Of encoders alone.
int avcodec_open2(void* context, const void* codec, void* options) {
    static atomic_long calls;
    int (*const is_encoder)(const void*) = (int (*)(const void*))dlsym(RTLD_NEXT, "av_codec_is_encoder");
    if (codec != NULL && is_encoder(codec)) {
        hang_if_it_is_time("avcodec_open2", &calls);
    }
    int (*const real)(void*, const void*, void*) =
        (int (*)(void*, const void*, void*))dlsym(RTLD_NEXT, "avcodec_open2");
    return real(context, codec, options);
}
