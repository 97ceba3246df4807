// A microphone for machines that have none: preloaded, it answers as ALSA does for the device "fake", 48 kHz, 16 bits.
// It hears a click of 2 ms whenever the system's monotonic clock passes half a second.
// FAKE_MICROPHONE_SPEED=1.001: its clock runs so much faster than the system's.
// FAKE_MICROPHONE_LOST=MS: it is unplugged so long after it was opened, and FAKE_MICROPHONE_AWAY=MS: for so long, or
// for ever. FAKE_MICROPHONE_CHANNELS=1: it refuses two.

#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { period = 480 };

static unsigned rate = 48000, channels = 2;
static double opened_at = -1, began_at = -1, lost_at = -1;
static long long heard;  // samples that were read
static char handle;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double setting(const char* name, double usual) {
    const char* const text = getenv(name);
    return text != NULL ? atof(text) : usual;
}

static double speed(void) {
    return (double)rate * setting("FAKE_MICROPHONE_SPEED", 1);
}

int snd_pcm_open(void** pcm, const char* name, int stream, int mode) {
    (void)stream;
    (void)mode;
    const double away = setting("FAKE_MICROPHONE_AWAY", -1);
    if (strcmp(name, "fake") != 0 || (lost_at >= 0 && (away < 0 || now() - lost_at < away / 1000))) {
        return -ENODEV;
    }
    *pcm = &handle;
    opened_at = now();
    began_at = -1;
    heard = 0;
    return 0;
}

int snd_pcm_hw_params_set_rate_near(void* pcm, void* parameters, unsigned* value, int* direction) {
    (void)pcm;
    (void)parameters;
    (void)direction;
    rate = *value;
    return 0;
}

int snd_pcm_hw_params_set_channels(void* pcm, void* parameters, unsigned value) {
    (void)pcm;
    (void)parameters;
    channels = value;
    return setting("FAKE_MICROPHONE_CHANNELS", value) == value ? 0 : -EINVAL;
}

int snd_pcm_hw_params_get_buffer_size_max(const void* parameters, unsigned long* value) {
    (void)parameters;
    *value = 48000;
    return 0;
}

int snd_pcm_hw_params_get_period_size_min(const void* parameters, unsigned long* value, int* direction) {
    (void)parameters;
    (void)direction;
    *value = period;
    return 0;
}

// Blocks until all of them were heard.
long snd_pcm_readi(void* pcm, void* buffer, unsigned long frames) {
    (void)pcm;
    int16_t* const samples = buffer;
    const double lost = setting("FAKE_MICROPHONE_LOST", -1);
    began_at = began_at < 0 ? now() : began_at;
    const double ready = began_at + (double)(heard + (long long)frames) / speed();
    if (lost_at < 0 && lost >= 0 && ready > opened_at + lost / 1000) {
        lost_at = now();
        return -ENODEV;
    }
    const struct timespec until = {(time_t)ready, (long)(fmod(ready, 1) * 1e9)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {
    }
    for (unsigned long i = 0; i < frames; ++i) {
        const double time = began_at + (double)(heard + (long long)i) / speed();
        for (unsigned channel = 0; channel < channels; ++channel) {
            samples[i * channels + channel] = fmod(time, 0.5) < 0.002 ? 20000 : 0;
        }
    }
    heard += (long long)frames;
    return (long)frames;
}

int snd_pcm_delay(void* pcm, long* frames) {
    (void)pcm;
    const double delay = began_at < 0 ? 0 : (now() - began_at) * speed() - (double)heard;
    *frames = delay > 0 ? (long)delay : 0;
    return 0;
}

int snd_pcm_hw_params_malloc(void** parameters) {
    *parameters = &handle;
    return 0;
}
void snd_pcm_hw_params_free(void* parameters) {
    (void)parameters;
}
int snd_pcm_hw_params_any(void) {
    return 0;
}
int snd_pcm_hw_params_set_access(void) {
    return 0;
}
int snd_pcm_hw_params_set_format(void) {
    return 0;
}
int snd_pcm_hw_params_set_buffer_size_near(void) {
    return 0;
}
int snd_pcm_hw_params_set_period_size_near(void) {
    return 0;
}
int snd_pcm_hw_params(void) {
    return 0;
}
int snd_pcm_prepare(void) {
    return 0;
}
int snd_pcm_nonblock(void) {
    return 0;
}
int snd_pcm_drain(void) {
    return 0;
}
int snd_pcm_stream(void) {
    return 1;
}
int snd_pcm_close(void) {
    return 0;
}
