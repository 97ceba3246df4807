// A camera for machines that have none: preloaded, it answers for the device file /dev/video77 as a driver of
// Video4Linux does. YUYV pictures of one grey each, the number of the picture, with timestamps of its own clock.
// FAKE_CAMERA_FRAMES=N: after N pictures it is unplugged, for FAKE_CAMERA_AWAY milliseconds or for ever.
// FAKE_CAMERA_SILENT=N: after N pictures no more come.
// FAKE_CAMERA_CLOCK=monotonic: its clock is the system's, and the grey its hundredths of a second, modulo 200.
//
// And a virtual camera, /dev/video78: what is written to it goes to the file FAKE_OUTPUT, a picture in each write.
// FAKE_OUTPUT_BUSY=1: another program writes to it. FAKE_OUTPUT_FIXED=1: it is set to 64x48 YUYV for good.
// FAKE_OUTPUT_LOST=N: after N pictures it is gone.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { max_buffers = 16, max_opened = 4 };

static const char camera_path[] = "/dev/video77";
static const char output_path[] = "/dev/video78";
static int output = -1;
static unsigned output_size;                                          // bytes of a picture
static long written;                                                  // pictures
static const unsigned sizes[][3] = {{160, 120, 30}, {320, 240, 10}};  // width, height, pictures per second
static int cameras[max_opened] = {-1, -1, -1, -1};
static unsigned width = 160, height = 120, rate = 30;
static unsigned buffer_count;
static unsigned char* memory[max_buffers];
static unsigned queue[max_buffers], queued;
static unsigned pictures;  // since it was plugged in
static unsigned all_pictures;
static double unplugged_at = -1;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static long setting(const char* name, long usual) {
    const char* const text = getenv(name);
    return text != NULL ? atol(text) : usual;
}

static int is_camera(int descriptor) {
    for (int i = 0; i < max_opened; ++i) {
        if (descriptor >= 0 && cameras[i] == descriptor) {
            return 1;
        }
    }
    return 0;
}

static int is_away(void) {
    const long away = setting("FAKE_CAMERA_AWAY", -1);
    if (unplugged_at >= 0 && away >= 0 && now() - unplugged_at > (double)away / 1000) {
        unplugged_at = -1;
        pictures = 0;
    }
    return unplugged_at >= 0;
}

static int fail(int error) {
    errno = error;
    return -1;
}

static int open_camera(void) {
    if (is_away()) {
        return fail(ENOENT);
    }
    for (int i = 0; i < max_opened; ++i) {
        if (cameras[i] < 0) {
            queued = 0;
            return cameras[i] = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
        }
    }
    return fail(EBUSY);
}

int open(const char* path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    const int mode = va_arg(more, int);
    va_end(more);
    if (strcmp(path, camera_path) == 0) {
        return open_camera();
    }
    const int is_output = strcmp(path, output_path) == 0 && getenv("FAKE_OUTPUT") != NULL;
    int (*const real)(const char*, int, ...) = (int (*)(const char*, int, ...))dlsym(RTLD_NEXT, "open");
    if (is_output) {
        return output = real(getenv("FAKE_OUTPUT"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    }
    return real(path, flags, mode);
}
int open64(const char* path, int flags, ...) __attribute__((alias("open")));

int close(int descriptor) {
    for (int i = 0; i < max_opened; ++i) {
        if (descriptor >= 0 && cameras[i] == descriptor) {
            cameras[i] = -1;
        }
    }
    output = descriptor == output ? -1 : output;
    int (*const real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "close");
    return real(descriptor);
}

ssize_t write(int descriptor, const void* bytes, size_t size) {
    if (descriptor >= 0 && descriptor == output) {
        const long last = setting("FAKE_OUTPUT_LOST", -1);
        if (size != output_size) {
            return fail(EINVAL);
        }
        if (last >= 0 && written++ >= last) {
            return fail(ENODEV);
        }
    }
    ssize_t (*const real)(int, const void*, size_t) = (ssize_t(*)(int, const void*, size_t))dlsym(RTLD_NEXT, "write");
    return real(descriptor, bytes, size);
}

static int answer_output(unsigned long request, void* argument) {
    switch (request) {
        case VIDIOC_QUERYCAP: {
            struct v4l2_capability* const told = argument;
            memset(told, 0, sizeof(*told));
            strcpy((char*)told->card, "Fake output");
            told->capabilities = told->device_caps = V4L2_CAP_VIDEO_OUTPUT | V4L2_CAP_DEVICE_CAPS;
            return 0;
        }
        case VIDIOC_S_FMT: {
            struct v4l2_pix_format* const format = &((struct v4l2_format*)argument)->fmt.pix;
            if (setting("FAKE_OUTPUT_BUSY", 0) != 0) {
                return fail(EBUSY);
            }
            if (setting("FAKE_OUTPUT_FIXED", 0) != 0) {
                format->width = 64;
                format->height = 48;
                format->pixelformat = V4L2_PIX_FMT_YUYV;
                format->bytesperline = 128;
                format->sizeimage = 128 * 48;
            }
            output_size = format->sizeimage;
            return 0;
        }
        default:
            return fail(request == VIDIOC_S_PARM ? ENOTTY : EINVAL);
    }
}

static void describe(struct stat* status) {
    memset(status, 0, sizeof(*status));
    status->st_mode = S_IFCHR | 0660;
    status->st_rdev = makedev(81, 77);
}

int stat(const char* path, struct stat* status) {
    if (strcmp(path, camera_path) == 0) {
        if (is_away()) {
            return fail(ENOENT);
        }
        describe(status);
        return 0;
    }
    int (*const real)(const char*, struct stat*) = (int (*)(const char*, struct stat*))dlsym(RTLD_NEXT, "stat");
    return real(path, status);
}

int fstat(int descriptor, struct stat* status) {
    if (is_camera(descriptor)) {
        describe(status);
        return 0;
    }
    int (*const real)(int, struct stat*) = (int (*)(int, struct stat*))dlsym(RTLD_NEXT, "fstat");
    return real(descriptor, status);
}

void* mmap(void* address, size_t length, int protection, int flags, int descriptor, off_t offset) {
    void* (*const real)(void*, size_t, int, int, int, off_t) =
        (void* (*)(void*, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, "mmap");
    if (!is_camera(descriptor)) {
        return real(address, length, protection, flags, descriptor, offset);
    }
    void* const place = real(address, length, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memory[(size_t)offset / 4096 % max_buffers] = place;
    return place;
}
void* mmap64(void* address, size_t length, int protection, int flags, int descriptor, off_t offset)
    __attribute__((alias("mmap")));

static int start(int descriptor, int on) {
    const long interval = on ? 1000000000L / (long)rate : 0;
    const struct itimerspec timer = {{0, interval}, {0, interval}};
    return timerfd_settime(descriptor, 0, &timer, NULL);
}

static int take(int descriptor, struct v4l2_buffer* buffer) {
    const long last = setting("FAKE_CAMERA_FRAMES", -1);
    const long silent = setting("FAKE_CAMERA_SILENT", -1);
    uint64_t expired = 0;
    if (is_away()) {
        return fail(ENODEV);
    }
    if (read(descriptor, &expired, sizeof(expired)) < 0 || queued == 0) {
        return fail(EAGAIN);
    }
    if (silent >= 0 && all_pictures >= (unsigned long)silent) {
        start(descriptor, 0);
        return fail(EAGAIN);
    }
    if (last >= 0 && pictures >= (unsigned long)last) {
        unplugged_at = now();
        const struct itimerspec always = {{0, 1000000}, {0, 1}};
        timerfd_settime(descriptor, 0, &always, NULL);
        return fail(ENODEV);
    }
    buffer->index = queue[0];
    memmove(queue, queue + 1, --queued * sizeof(queue[0]));
    buffer->bytesused = width * height * 2;
    // A clock that runs unevenly, and began long ago.
    uint64_t micros = UINT64_C(1000000000) + (uint64_t)all_pictures * 40000 + all_pictures % 3 * 1000;
    uint64_t grey = all_pictures;
    if (getenv("FAKE_CAMERA_CLOCK") != NULL) {
        micros = (uint64_t)(now() * 1e6);
        grey = micros / 10000;
    }
    memset(memory[buffer->index], (int)(16 + grey % 200), buffer->bytesused);
    buffer->timestamp.tv_sec = (time_t)(micros / 1000000);
    buffer->timestamp.tv_usec = (suseconds_t)(micros % 1000000);
    ++pictures;
    ++all_pictures;
    return 0;
}

static int answer(int descriptor, unsigned long request, void* argument) {
    switch (request) {
        case VIDIOC_QUERYCAP: {
            struct v4l2_capability* const told = argument;
            memset(told, 0, sizeof(*told));
            strcpy((char*)told->card, "Fake camera");
            told->capabilities = told->device_caps = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING;
            told->capabilities |= V4L2_CAP_DEVICE_CAPS;
            return 0;
        }
        case VIDIOC_ENUM_FMT: {
            struct v4l2_fmtdesc* const entry = argument;
            entry->pixelformat = V4L2_PIX_FMT_YUYV;
            return entry->index == 0 ? 0 : fail(EINVAL);
        }
        case VIDIOC_ENUM_FRAMESIZES: {
            struct v4l2_frmsizeenum* const entry = argument;
            if (entry->index >= sizeof(sizes) / sizeof(sizes[0])) {
                return fail(EINVAL);
            }
            entry->type = V4L2_FRMSIZE_TYPE_DISCRETE;
            entry->discrete.width = sizes[entry->index][0];
            entry->discrete.height = sizes[entry->index][1];
            return 0;
        }
        case VIDIOC_ENUM_FRAMEINTERVALS: {
            struct v4l2_frmivalenum* const entry = argument;
            entry->type = V4L2_FRMIVAL_TYPE_DISCRETE;
            entry->discrete.numerator = 1;
            entry->discrete.denominator = entry->width == sizes[0][0] ? sizes[0][2] : sizes[1][2];
            return entry->index == 0 ? 0 : fail(EINVAL);
        }
        case VIDIOC_G_INPUT:
            *(int*)argument = 0;
            return 0;
        case VIDIOC_ENUMINPUT:
            return 0;
        case VIDIOC_S_FMT: {
            struct v4l2_format* const format = argument;
            if (format->fmt.pix.pixelformat != V4L2_PIX_FMT_YUYV) {
                return fail(EINVAL);
            }
            width = format->fmt.pix.width;
            height = format->fmt.pix.height;
            format->fmt.pix.field = V4L2_FIELD_NONE;
            return 0;
        }
        case VIDIOC_G_PARM: {
            struct v4l2_streamparm* const told = argument;
            told->parm.capture.capability = V4L2_CAP_TIMEPERFRAME;
            told->parm.capture.timeperframe = (struct v4l2_fract){1, rate};
            return 0;
        }
        case VIDIOC_S_PARM: {
            const struct v4l2_streamparm* const wanted = argument;
            rate = wanted->parm.capture.timeperframe.denominator / wanted->parm.capture.timeperframe.numerator;
            return 0;
        }
        case VIDIOC_REQBUFS: {
            struct v4l2_requestbuffers* const wanted = argument;
            buffer_count = wanted->count = max_buffers;
            return 0;
        }
        case VIDIOC_QUERYBUF: {
            struct v4l2_buffer* const buffer = argument;
            buffer->length = width * height * 2;
            buffer->m.offset = buffer->index * 4096;
            return 0;
        }
        case VIDIOC_QBUF:
            queue[queued++] = ((const struct v4l2_buffer*)argument)->index;
            return 0;
        case VIDIOC_DQBUF:
            return take(descriptor, argument);
        case VIDIOC_STREAMON:
            return start(descriptor, 1);
        case VIDIOC_STREAMOFF:
            return start(descriptor, 0);
        default:
            return fail(request == VIDIOC_G_STD ? ENOTTY : EINVAL);
    }
}

int ioctl(int descriptor, unsigned long request, ...) {
    va_list more;
    va_start(more, request);
    void* const argument = va_arg(more, void*);
    va_end(more);
    if (is_camera(descriptor)) {
        return answer(descriptor, request, argument);
    }
    if (descriptor >= 0 && descriptor == output) {
        return answer_output(request, argument);
    }
    int (*const real)(int, unsigned long, ...) = (int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
    return real(descriptor, request, argument);
}
