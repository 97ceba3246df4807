/* vfilter's filters for pictures in memory.
 *
 * A context says who does the work, an operation is a filter or a chain of them made ready for a format, and
 * vfilter_run makes pictures of pictures. The results are those of the program, byte for byte. docs/library.md has
 * whole programs.
 *
 * The library starts no thread but those that a context is asked for, and opens no file, reads no environment, handles
 * no signal and prints nothing. Any number of threads may use one context and one operation at once; what is created
 * has to be destroyed, in any order. Nothing is thrown.
 *
 * Structures that have a struct_size begin with it, sizeof of what the caller was compiled with, so that later versions
 * can add members; VFILTER_..._INIT sets it. Each member documents what 0 means.
 * vfilter_step has none and stays as it is. */
/* NOLINTBEGIN: this is C. */
#ifndef VFILTER_VFILTER_H
#define VFILTER_VFILTER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes where a compiled program would no longer work with the library; the file is libvfilter.so.N. */
#define VFILTER_ABI_VERSION 0

#if defined(__GNUC__)
#define VFILTER_API __attribute__((visibility("default")))
#else
#define VFILTER_API
#endif

/* Of the library that is loaded: "0.1.0", and VFILTER_ABI_VERSION when it was compiled. */
VFILTER_API const char* vfilter_version(void);
VFILTER_API int vfilter_abi_version(void);

/* Errors. Every function that can fail returns one of these; 0 is none. */
typedef enum vfilter_status {
    VFILTER_OK = 0,
    VFILTER_ERROR_ARGUMENT = 1,    /* no such filter, or an argument, option or format that is not as it should be */
    VFILTER_ERROR_PICTURE = 2,     /* a picture that does not fit the operation or the other picture */
    VFILTER_ERROR_UNSUPPORTED = 3, /* what the program can do, and this version of the library cannot */
    VFILTER_ERROR_MEMORY = 4,
    VFILTER_ERROR_INTERNAL = 5,
    VFILTER_ERROR_DEVICE = 6,   /* there is no such GPU, no driver, or one of them has failed */
    VFILTER_ERROR_CANCELLED = 7 /* vfilter_run_options.cancelled said so */
} vfilter_status;

/* One sentence about the last call of this thread that failed, in UTF-8; "" if none has. Valid up to the next that
 * fails. */
VFILTER_API const char* vfilter_error_text(void);

/* ---- Who does the work ---- */

/* The caller's threads. `run` calls task(argument, i) once for every i below count, which is 1 or more, from any
 * threads and in any order, and returns when all calls have. It may be called by several threads at once. */
typedef struct vfilter_executor {
    size_t struct_size;
    int threads; /* that work at once, at least 1: pictures are cut for so many */
    void* data;  /* for run */
    void (*run)(void* data, void (*task)(void* argument, size_t index), void* argument, size_t count);
} vfilter_executor;
#define VFILTER_EXECUTOR_INIT \
    { sizeof(vfilter_executor), 0, NULL, NULL }

typedef struct vfilter_context vfilter_context;

/* threads: 1 works in the thread that calls; N starts N - 1 more, which sleep between calls and end with the context; 0
 * is one for each processor that the calling thread may run on. Or an executor, which is copied, and threads is 0. */
VFILTER_API vfilter_status vfilter_context_create(int threads, const vfilter_executor* executor,
                                                  vfilter_context** context);
/* NULL is a no-op. Operations that were made with it keep what they need. */
VFILTER_API void vfilter_context_destroy(vfilter_context* context);

/* ---- Operations ---- */

/* What a channel is: some filters treat chroma and transparency otherwise (chroma=, alpha=), and colours differ. */
typedef enum vfilter_component {
    VFILTER_LUMA = 0, /* or gray */
    VFILTER_CB = 1,
    VFILTER_CR = 2,
    VFILTER_RED = 3,
    VFILTER_GREEN = 4,
    VFILTER_BLUE = 5,
    VFILTER_ALPHA = 6
} vfilter_component;

typedef enum vfilter_matrix {
    VFILTER_BT709 = 0,
    VFILTER_BT601 = 1,
    VFILTER_BT2020 = 2,
    VFILTER_SMPTE240M = 3,
    VFILTER_FCC = 4
} vfilter_matrix;

#define VFILTER_MAX_CHANNELS 4

/* What pictures, or planes of them, hold. */
typedef struct vfilter_format {
    size_t struct_size;
    int depth;    /* bits of a sample: 8 in uint8_t; 9 to 16 in uint16_t of the machine's byte order */
    int channels; /* 1 to 4 */
    vfilter_component components[VFILTER_MAX_CHANNELS];
    int shift;         /* of a sample's lowest bit: 0, or 16 - depth as in P010 */
    int subsampling_x; /* log2, of a plane of chroma: 1 and 1 for 4:2:0; see vfilter_picture.luma_width */
    int subsampling_y;
    vfilter_matrix matrix; /* of luma and chroma, for the colour of `fill` */
    int full_range;        /* luma and chroma have all values; 0: 16 to 235, 16 to 240 and the like */
} vfilter_format;
#define VFILTER_FORMAT_INIT \
    { sizeof(vfilter_format), 0, 0, {VFILTER_LUMA}, 0, 0, 0, VFILTER_BT709, 0 }

/* A filter and its arguments, as the program's command line has them: "gaussian" and "9:sigma=2:border=wrap". */
typedef struct vfilter_step {
    const char* filter;
    const char* arguments; /* NULL or "": none */
} vfilter_step;

typedef struct vfilter_operation vfilter_operation;

/* A chain of filters, each of which gets what the one before made. The arguments that name files or moments (file=,
 * mask=, region=@FILE, pad=, enable=) are VFILTER_ERROR_UNSUPPORTED; vfilter_run takes a mask in memory. */
VFILTER_API vfilter_status vfilter_chain_create(vfilter_context* context, const vfilter_step* steps, size_t count,
                                                const vfilter_format* format, vfilter_operation** operation);
/* A chain of one. */
VFILTER_API vfilter_status vfilter_operation_create(vfilter_context* context, const char* filter, const char* arguments,
                                                    const vfilter_format* format, vfilter_operation** operation);
/* NULL is a no-op. Must not be called while the operation runs or has GPU work pending. */
VFILTER_API void vfilter_operation_destroy(vfilter_operation* operation);
/* Pictures before and after one that decide its result, of all filters of the chain together: 0 and 0 but for tmedian,
 * taverage and frames=. */
VFILTER_API vfilter_status vfilter_operation_reach(const vfilter_operation* operation, int* before, int* after);

/* ---- Pictures ---- */

typedef enum vfilter_memory {
    VFILTER_HOST = 0,
    VFILTER_CUDA = 1 /* an NVIDIA GPU's; VFILTER_ERROR_UNSUPPORTED where the library was built without CUDA */
} vfilter_memory;

/* Pictures of one size that the caller owns: a sample of channel c at (x, y) of picture n is at
 * data + n * picture_pitch + c * channel_pitch + y * row_pitch + x * pixel_pitch, in bytes. In a row, samples lie side
 * by side: pixel_pitch is a sample's size, or, where channels are interleaved, a pixel's, in which they follow each
 * other, upwards or downwards (a negative channel_pitch). Other pitches have any sign, and are multiples of a sample's
 * size. */
typedef struct vfilter_picture {
    size_t struct_size;
    void* data;      /* aligned as its samples */
    int width;       /* pixels, 1 to 1048576 */
    int height;      /* pixels, 1 to 1048576 */
    int channels;    /* the format's */
    ptrdiff_t count; /* of pictures: a batch, 1 or more */
    ptrdiff_t pixel_pitch;
    ptrdiff_t row_pitch;
    ptrdiff_t channel_pitch; /* of any value if there is one channel */
    ptrdiff_t picture_pitch; /* of any value if there is one picture */
    vfilter_memory memory;
    int device; /* of device memory, its number as CUDA's runtime counts */
    /* NULL, or, in host memory, where each picture begins: `count` addresses, which are read during the call. `data`
     * and picture_pitch are not looked at then. Of a result no two have a byte in common; rows of one may lie between
     * another's, as those of the fields of a frame. */
    void* const* places;
    /* Of a source with subsampling: the pixels of the picture that these are planes of, which region= counts in. 0 is
     * as many as the planes have, times 2 to the power of the subsampling: that differs by a pixel or more where the
     * picture's sides are no multiples of it, 101x65 in 4:2:0. */
    int luma_width;
    int luma_height;
} vfilter_picture;
#define VFILTER_PICTURE_INIT \
    { sizeof(vfilter_picture), NULL, 0, 0, 0, 1, 0, 0, 0, 0, VFILTER_HOST, 0, NULL, 0, 0 }

typedef struct vfilter_run_options {
    size_t struct_size;
    /* NULL, or samples of 8 bits, one channel, one picture or as many as there are: what 255 covers is the result, what
     * 0 covers stays as it was, and between them both are blended. */
    const vfilter_picture* mask;
    void* stream; /* a cudaStream_t of the pictures' device, or NULL, its default stream; NULL for host memory */
    /* Where the operation looks at several pictures: `result` is made of pictures first, first + 1... of `source`, as
     * many as it has; the others are looked at. 0 otherwise. */
    ptrdiff_t first;
    /* NULL, or asked about every 50 ms between parts of the work, which are pictures or rows of them, or of the weights
     * that a region has, and take at most about a second, but for two rows of hundreds of thousands of samples: other
     * than 0 is VFILTER_ERROR_CANCELLED, with a part of `result` made. In the thread that called vfilter_run, or with
     * an executor in one of its threads, one at a time. With device memory nothing is asked. */
    int (*cancelled)(void* data);
    void* cancelled_data;
} vfilter_run_options;
#define VFILTER_RUN_OPTIONS_INIT \
    { sizeof(vfilter_run_options), NULL, NULL, 0, NULL, NULL }

/* Makes the pictures of `result` from those of `source`. Both have the same width and height and the same number of
 * pictures, except that `result` may have fewer where the operation looks at several (see `first`). They may be laid
 * out differently, and share no memory. Only samples are read and written. `options` may be NULL.
 *
 * Where the operation looks at several pictures (vfilter_operation_reach), those of `source` are successive ones of a
 * video. At its ends windows are mirrored as at a video's; so a part of one is made as in the whole if as many pictures
 * as the operation reaches stand before and after it (`first`), but for those that the video does not have.
 *
 * In host memory: returns when all are made. In device memory, where source, result and mask are on one device: queues
 * the work on the stream and returns; all of it has to stay until the stream has come so far, the operation, too. What
 * lies between the steps of a chain is memory of the context's, in the order of the stream, and is kept. The first call
 * for a device, for an order of channels, and, with region=, for a size makes kernels ready, and may wait for the
 * device: see vfilter_operation_prepare. The calling thread's current device is afterwards what it was. */
VFILTER_API vfilter_status vfilter_run(const vfilter_operation* operation, const vfilter_picture* source,
                                       const vfilter_picture* result, const vfilter_run_options* options);

/* Makes ready what the first vfilter_run for pictures like this one, whose data is not looked at, would: with device
 * memory no call for such pictures waits for the device then, nor takes memory that is not in a stream's order. */
VFILTER_API vfilter_status vfilter_operation_prepare(const vfilter_operation* operation, const vfilter_picture* like);

/* ---- Device memory, for those who have no CUDA of their own at hand ---- */

/* In whose memory that is; -1 is the host's, or none that CUDA knows of. */
VFILTER_API vfilter_status vfilter_device_of(const void* data, int* device);
/* Memory at a multiple of 256 from what the context keeps. It is there, and goes, in the order of that stream. */
VFILTER_API vfilter_status vfilter_device_allocate(vfilter_context* context, int device, void* stream, size_t bytes,
                                                   void** data);
VFILTER_API vfilter_status vfilter_device_free(vfilter_context* context, void* data);
/* What is queued on `stream` from now on begins when all that is queued on `earlier` now has ended. */
VFILTER_API vfilter_status vfilter_stream_follow(int device, void* stream, void* earlier);
/* Returns when all that is queued on it has ended. */
VFILTER_API vfilter_status vfilter_stream_wait(int device, void* stream);

/* ---- What filters there are ---- */

typedef enum vfilter_kind {
    VFILTER_NUMBER = 0,
    VFILTER_WHOLE_NUMBER = 1,
    VFILTER_ODD_NUMBER = 2,
    VFILTER_WORD = 3,   /* one of words */
    VFILTER_COLOUR = 4, /* "black", "#rrggbb" or "#rrggbbaa" */
    VFILTER_TEXT = 5
} vfilter_kind;

typedef struct vfilter_parameter {
    size_t struct_size;
    const char* name;
    vfilter_kind kind;
    const char* unit; /* "" if it has none */
    const char* help;
    double minimum; /* of numbers */
    double maximum;
    double fallback; /* the default, of a word its place; NaN where there is none or it depends on others */
    const char* const* words;
    size_t word_count;
} vfilter_parameter;

typedef struct vfilter_filter {
    size_t struct_size;
    const char* name;
    const char* help; /* one line */
    const char* formula;
    const char* source;     /* of the formula; "" if there is none */
    const char* example;    /* arguments */
    int needs_arguments;    /* its name alone is not enough */
    size_t parameter_count; /* of its own, of which the first may stand without its name, and of those that all take */
    size_t own_count;       /* its own, which come first */
} vfilter_filter;

/* In the order of the program's help. They live as long as the library. */
VFILTER_API size_t vfilter_filter_count(void);
/* NULL from vfilter_filter_count() on. */
VFILTER_API const vfilter_filter* vfilter_filter_at(size_t index);
/* NULL if there is none. */
VFILTER_API const vfilter_filter* vfilter_filter_named(const char* name);
/* Its parameter of that number, or NULL. */
VFILTER_API const vfilter_parameter* vfilter_parameter_at(const vfilter_filter* filter, size_t index);

#ifdef __cplusplus
}
#endif

#endif
/* NOLINTEND */
