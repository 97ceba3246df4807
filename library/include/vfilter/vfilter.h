/* vfilter's filters for pictures in memory.
 *
 * A context determines which threads do the work, an operation is a filter or a chain of filters prepared for a format,
 * and vfilter_run filters pictures. The results are those of the program, byte for byte. docs/library.md has complete
 * programs.
 *
 * The library starts no threads except those that a context is asked for. It opens no file, reads no environment
 * variable, handles no signal and prints nothing. Any number of threads may use one context and one operation at once.
 * Whatever is created must be destroyed, in any order. Nothing is thrown.
 *
 * Structures with a struct_size begin with it: the sizeof that the caller was compiled with, so that later versions can
 * add members. VFILTER_..._INIT sets it. Each member documents what 0 means.
 * vfilter_step has no struct_size and will not change. */
/* NOLINTBEGIN: this is C. */
#ifndef VFILTER_VFILTER_H
#define VFILTER_VFILTER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes when compiled programs would no longer work with the library; the file is libvfilter.so.N. */
#define VFILTER_ABI_VERSION 0

#if defined(__GNUC__)
#define VFILTER_API __attribute__((visibility("default")))
#else
#define VFILTER_API
#endif

/* Versions of the loaded library: "0.1.0", and the VFILTER_ABI_VERSION that it was compiled with. */
VFILTER_API const char* vfilter_version(void);
VFILTER_API int vfilter_abi_version(void);

/* Errors. Every function that can fail returns one of these; 0 means no error. */
typedef enum vfilter_status {
    VFILTER_OK = 0,
    VFILTER_ERROR_ARGUMENT = 1,    /* no such filter, or an invalid argument, option or format */
    VFILTER_ERROR_PICTURE = 2,     /* a picture that does not fit the operation or the other picture */
    VFILTER_ERROR_UNSUPPORTED = 3, /* supported by the program, but not by this version of the library */
    VFILTER_ERROR_MEMORY = 4,
    VFILTER_ERROR_INTERNAL = 5,
    VFILTER_ERROR_DEVICE = 6,   /* there is no such GPU, no driver, or one of them has failed */
    VFILTER_ERROR_CANCELLED = 7 /* requested by vfilter_run_options.cancelled */
} vfilter_status;

/* One sentence about this thread's last failed call, in UTF-8; "" if none has failed. Valid until the next failed
 * call. */
VFILTER_API const char* vfilter_error_text(void);

/* ---- Who does the work ---- */

/* The caller's threads. `run` calls task(argument, i) once for every i below count, which is 1 or more, from any
 * threads and in any order, and returns when all calls have returned. Several threads may call it at once. */
typedef struct vfilter_executor {
    size_t struct_size;
    int threads; /* how many work at once, at least 1: pictures are cut into parts for that many */
    void* data;  /* passed to run */
    void (*run)(void* data, void (*task)(void* argument, size_t index), void* argument, size_t count);
} vfilter_executor;
#define VFILTER_EXECUTOR_INIT \
    { sizeof(vfilter_executor), 0, NULL, NULL }

typedef struct vfilter_context vfilter_context;

/* threads: 1 works in the calling thread; N starts N - 1 more, which sleep between calls and end with the context; 0
 * means one for each processor that the calling thread may run on. To use an executor, which is copied, pass 0 for
 * threads. */
VFILTER_API vfilter_status vfilter_context_create(int threads, const vfilter_executor* executor,
                                                  vfilter_context** context);
/* NULL is a no-op. Operations created with the context keep what they need of it. */
VFILTER_API void vfilter_context_destroy(vfilter_context* context);

/* ---- Operations ---- */

/* What a channel is: some filters treat chroma and alpha differently (chroma=, alpha=), and colours depend on it. */
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

/* The samples of pictures, or of planes of them. */
typedef struct vfilter_format {
    size_t struct_size;
    int depth;    /* bits of a sample: 8 in uint8_t; 9 to 16 in uint16_t, in the machine's byte order */
    int channels; /* 1 to 4 */
    vfilter_component components[VFILTER_MAX_CHANNELS];
    int shift;         /* position of a sample's lowest bit: 0, or 16 - depth as in P010 */
    int subsampling_x; /* log2, for a chroma plane: 1 and 1 for 4:2:0; see vfilter_picture.luma_width */
    int subsampling_y;
    vfilter_matrix matrix; /* of luma and chroma, for the colour of `fill` */
    int full_range;        /* luma and chroma use all values; 0: limited range (16 to 235, 16 to 240 and the like) */
} vfilter_format;
#define VFILTER_FORMAT_INIT \
    { sizeof(vfilter_format), 0, 0, {VFILTER_LUMA}, 0, 0, 0, VFILTER_BT709, 0 }

/* A filter and its arguments, written as on the program's command line: "gaussian" and "9:sigma=2:border=wrap". */
typedef struct vfilter_step {
    const char* filter;
    const char* arguments; /* NULL or "": none */
} vfilter_step;

typedef struct vfilter_operation vfilter_operation;

/* A chain of filters, each of which gets the result of the one before. Arguments that name files or times (file=,
 * mask=, region=@FILE, pad=, enable=) fail with VFILTER_ERROR_UNSUPPORTED; vfilter_run takes a mask in memory. */
VFILTER_API vfilter_status vfilter_chain_create(vfilter_context* context, const vfilter_step* steps, size_t count,
                                                const vfilter_format* format, vfilter_operation** operation);
/* A chain of one filter. */
VFILTER_API vfilter_status vfilter_operation_create(vfilter_context* context, const char* filter, const char* arguments,
                                                    const vfilter_format* format, vfilter_operation** operation);
/* NULL is a no-op. Must not be called while the operation runs or has GPU work pending. */
VFILTER_API void vfilter_operation_destroy(vfilter_operation* operation);
/* How many pictures before and after a picture its result depends on, for all filters of the chain together: 0 and 0
 * except for tmedian, taverage and frames=. */
VFILTER_API vfilter_status vfilter_operation_reach(const vfilter_operation* operation, int* before, int* after);

/* ---- Pictures ---- */

typedef enum vfilter_memory {
    VFILTER_HOST = 0,
    VFILTER_CUDA = 1 /* of an NVIDIA GPU; VFILTER_ERROR_UNSUPPORTED if the library was built without CUDA */
} vfilter_memory;

/* Pictures of one size that the caller owns: the sample of channel c at (x, y) of picture n is at
 * data + n * picture_pitch + c * channel_pitch + y * row_pitch + x * pixel_pitch, in bytes. The samples of a row are
 * adjacent: pixel_pitch is the size of a sample or, where channels are interleaved, of a pixel, in which the channels
 * are adjacent in ascending or descending order (a negative channel_pitch). Other pitches may have either sign, and are
 * multiples of a sample's size. */
typedef struct vfilter_picture {
    size_t struct_size;
    void* data;      /* aligned like its samples */
    int width;       /* pixels, 1 to 1048576 */
    int height;      /* pixels, 1 to 1048576 */
    int channels;    /* the format's */
    ptrdiff_t count; /* of pictures: a batch, 1 or more */
    ptrdiff_t pixel_pitch;
    ptrdiff_t row_pitch;
    ptrdiff_t channel_pitch; /* any value if there is one channel */
    ptrdiff_t picture_pitch; /* any value if there is one picture */
    vfilter_memory memory;
    int device; /* for device memory: the CUDA runtime's number of the device */
    /* NULL or, in host memory, the address of each picture: `count` addresses, which are read during the call. `data`
     * and picture_pitch are ignored then. No two pictures of a result may share a byte; their rows may alternate, as
     * those of the fields of a frame do. */
    void* const* places;
    /* For a source with subsampling: the size, in pixels, of the picture that these planes belong to; region= uses its
     * coordinates. 0 means the size of the planes times 2 to the power of the subsampling, which differs from the
     * picture's by a pixel or more if the picture's sides are not multiples of that power, as with 101x65 in 4:2:0. */
    int luma_width;
    int luma_height;
} vfilter_picture;
#define VFILTER_PICTURE_INIT \
    { sizeof(vfilter_picture), NULL, 0, 0, 0, 1, 0, 0, 0, 0, VFILTER_HOST, 0, NULL, 0, 0 }

typedef struct vfilter_run_options {
    size_t struct_size;
    /* NULL, or samples of 8 bits, one channel, one picture or as many as there are: where the mask is 255, the filtered
     * picture is written, where it is 0, the source's; values in between blend both. */
    const vfilter_picture* mask;
    void* stream; /* a cudaStream_t of the pictures' device, or NULL for its default stream; NULL for host memory */
    /* If the operation looks at several pictures: `result` holds the results for pictures first, first + 1... of
     * `source`, as many as it has; the other pictures are only read. 0 otherwise. */
    ptrdiff_t first;
    /* NULL, or a function that is called about every 50 ms between parts of the work. A part is pictures, rows of a
     * picture or rows of a region's weights, and takes at most about a second, except for two rows of hundreds of
     * thousands of samples. If the function returns a value other than 0, vfilter_run returns VFILTER_ERROR_CANCELLED
     * with `result` partly written. It is called in the thread that called vfilter_run or, with an executor, in one of
     * the executor's threads, one call at a time. It is not called for device memory. */
    int (*cancelled)(void* data);
    void* cancelled_data;
} vfilter_run_options;
#define VFILTER_RUN_OPTIONS_INIT \
    { sizeof(vfilter_run_options), NULL, NULL, 0, NULL, NULL }

/* Filters the pictures of `source` into those of `result`. Both have the same width and height and the same number of
 * pictures, except that `result` may have fewer if the operation looks at several (see `first`). They may have
 * different layouts, and must not share memory. Only samples are read and written. `options` may be NULL.
 *
 * If the operation looks at several pictures (vfilter_operation_reach), those of `source` are successive frames of a
 * video. At its ends windows are mirrored as at the ends of a video. A part of a video therefore gets the same result
 * as within the whole video if it is preceded and followed by as many pictures as the operation reaches (`first`),
 * except for those that the video does not have.
 *
 * In host memory: returns when all pictures are done. In device memory, where source, result and mask must be on one
 * device: queues the work on the stream and returns; pictures, mask and operation must stay valid until the stream has
 * finished the work. Memory between the steps of a chain belongs to the context, is stream-ordered, and is kept. The
 * first call for a device, for an order of channels and, with region=, for a size prepares kernels, and may wait for
 * the device: see vfilter_operation_prepare. The calling thread's current device is the same before and after the
 * call. */
VFILTER_API vfilter_status vfilter_run(const vfilter_operation* operation, const vfilter_picture* source,
                                       const vfilter_picture* result, const vfilter_run_options* options);

/* Prepares what the first vfilter_run for pictures like this one would prepare; the picture's data is ignored. With
 * device memory, later calls for such pictures neither wait for the device nor take memory outside a stream's order. */
VFILTER_API vfilter_status vfilter_operation_prepare(const vfilter_operation* operation, const vfilter_picture* like);

/* ---- Device memory, for callers that do not use CUDA themselves ---- */

/* The device whose memory `data` is in; -1 means the host's memory, or memory that CUDA does not know. */
VFILTER_API vfilter_status vfilter_device_of(const void* data, int* device);
/* Memory from the context's pool, aligned to 256 bytes, allocated and freed in the order of that stream. */
VFILTER_API vfilter_status vfilter_device_allocate(vfilter_context* context, int device, void* stream, size_t bytes,
                                                   void** data);
VFILTER_API vfilter_status vfilter_device_free(vfilter_context* context, void* data);
/* Work queued on `stream` from now on begins after all work that is queued on `earlier` now has finished. */
VFILTER_API vfilter_status vfilter_stream_follow(int device, void* stream, void* earlier);
/* Returns when all work queued on the stream has finished. */
VFILTER_API vfilter_status vfilter_stream_wait(int device, void* stream);

/* ---- The available filters ---- */

typedef enum vfilter_kind {
    VFILTER_NUMBER = 0,
    VFILTER_WHOLE_NUMBER = 1,
    VFILTER_ODD_NUMBER = 2,
    VFILTER_WORD = 3,   /* one of `words` */
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
    double fallback; /* the default, for a word its index; NaN if there is none or it depends on others */
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
    size_t parameter_count; /* its own parameters, of which the first needs no name, and those that all filters take */
    size_t own_count;       /* its own parameters, which come first */
} vfilter_filter;

/* The filters in the order of the program's help. The structures live as long as the library. */
VFILTER_API size_t vfilter_filter_count(void);
/* NULL if index is vfilter_filter_count() or more. */
VFILTER_API const vfilter_filter* vfilter_filter_at(size_t index);
/* NULL if there is no such filter. */
VFILTER_API const vfilter_filter* vfilter_filter_named(const char* name);
/* The parameter with that index, or NULL. */
VFILTER_API const vfilter_parameter* vfilter_parameter_at(const vfilter_filter* filter, size_t index);

#ifdef __cplusplus
}
#endif

#endif
/* NOLINTEND */
