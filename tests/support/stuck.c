// A stage that hangs, for programs that use FFmpeg: preloaded, one function never comes back.
// STUCK=NAME:N: the function of that name sleeps for ever when it is called for the N-th time.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void hang_if_it_is_time(const char* name, atomic_long* calls) {
    const char* const text = getenv("STUCK");
    const size_t length = strlen(name);
    if (text == NULL || strncmp(text, name, length) != 0 || text[length] != ':') {
        return;
    }
    if (atomic_fetch_add(calls, 1) + 1 == atol(text + length + 1)) {
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
