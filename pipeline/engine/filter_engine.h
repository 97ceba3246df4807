#pragma once
// Pictures in, filtered pictures out: the common interface of the CPU and the GPU.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "filters/filters.h"
#include "filters/orientation.h"
#include "io/codec/decode_device.h"
#include "io/formats/frame_pool.h"
#include "pipeline/frame.h"
#include "pipeline/report/audit.h"
#include "pipeline/report/trace.h"

namespace vfilter {

/// How to interpret the times of pictures: where in the input a picture is.
struct PictureClock {
    AVRational time_base{0, 1};
    double first = 0;          ///< seconds at which the input begins
    double first_picture = 0;  ///< and its first picture
    double rate = 0;           ///< average number of pictures per second
    std::int64_t before = 0;   ///< number of pictures in the input before the run's first one
    bool cut = false;          ///< an unknown number was cut off: picture numbers are computed from times

    bool operator==(const PictureClock& other) const {
        return av_cmp_q(time_base, other.time_base) == 0 && first == other.first &&
               first_picture == other.first_picture && rate == other.rate && before == other.before && cut == other.cut;
    }
};

/// What all pictures of a run have in common.
struct PictureFormat {
    AVPixelFormat format = AV_PIX_FMT_NONE;  ///< one of io/formats/formats.h's native ones
    int width = 0;
    int height = 0;
    bool full_range = false;  ///< black is 0 even in YUV
    ColourMatrix matrix = ColourMatrix::bt709;
    Orientation orientation{};  ///< regions and masks refer to the displayed picture
    PictureClock clock{};
    AVColorSpace unknown_matrix = AVCOL_SPC_UNSPECIFIED;  ///< the pictures' matrix, if it is none of `matrix`'s

    bool operator==(const PictureFormat&) const = default;
};

/// What one of several devices did.
struct DeviceShare {
    std::string name;
    std::int64_t pictures = 0;
};

/// What an engine did with memory; everything except `launches` and `shares` is constant once it is warm.
struct EngineCounters {
    std::int64_t device_bytes = 0;
    std::int64_t device_allocations = 0;
    std::int64_t pageable_pictures = 0;  ///< uploaded from memory that is not page-locked: one extra copy each
    std::int64_t launches = 0;           ///< of kernels
    std::vector<DeviceShare> shares{};   ///< if there are several devices
    std::int64_t uploads = 0;            ///< pictures copied to the device
    std::int64_t downloads = 0;          ///< pictures copied from it: results, and others that are needed
    std::int64_t resident = 0;           ///< pictures that were already on it, or on another device
    std::int64_t crossings = 0;          ///< of these, copied from another device
};

/// To how many pictures a filter was applied.
struct StepCount {
    std::int64_t pictures = 0;  ///< that the step has changed, even if only in part
    std::vector<RegionCount> regions{};
    std::vector<std::int64_t> spans{};  ///< pictures in each of the spans for which the filter is enabled

    /// Adds what the same filter with the same regions did to other pictures.
    StepCount& operator+=(const StepCount& other);
};
/// The same for all steps of a chain.
void add(std::vector<StepCount>& sum, const std::vector<StepCount>& other);

/// Whether there are filters that read pictures before and after.
bool look_in_time(const std::vector<FilterSpec>& filters);
/// The pictures on which a result of such a chain depends: the sum of what its filters read.
TimeReach time_reach(const std::vector<FilterSpec>& filters);

/// Filters pictures of one format, in order. One thread drives it. It holds up to slots() pictures; it may work on them
/// while submit() and take() are not running.
class FilterEngine {
public:
    virtual ~FilterEngine() = default;

    /// Takes a picture. Not to be called while in_flight() == slots(). The picture's buffers are released as soon as
    /// they are not needed, which may be before the result is taken.
    virtual void submit(Frame frame) = 0;
    /// No more pictures follow: those that wait for later ones are completed without them. submit() is not called any
    /// more.
    virtual void finish() {}
    /// The result of the oldest picture inside; waits for it. Must not be called when nothing is inside and, before
    /// finish(), only while there are more than delay().
    virtual Frame take() = 0;
    /// Number of pictures that have to follow one before its result can be taken.
    [[nodiscard]] virtual std::size_t delay() const { return 0; }
    [[nodiscard]] virtual std::size_t in_flight() const = 0;
    [[nodiscard]] virtual std::size_t slots() const = 0;
    /// The GPUs in whose memory pictures for submit() may be (is_on_device); results are always on the host.
    [[nodiscard]] virtual std::vector<int> gpus() const { return {}; }
    /// Whether pictures may be on any other GPU as well, from which they are copied.
    [[nodiscard]] virtual bool takes_from_others() const { return false; }
    /// A picture before it is submitted, for later reading on the host: a reference, or a copy if it is not on the
    /// host.
    [[nodiscard]] virtual FramePtr on_host(const AVFrame& picture) { return FramePtr(av_frame_clone(&picture)); }
    /// For display: "cpu (AVX3_DL, 2 threads)".
    [[nodiscard]] virtual std::string name() const = 0;
    /// What runs each filter of the chain, for display: "tensor chain, radius 16". Empty if name() says everything.
    [[nodiscard]] virtual std::vector<std::string> kernels() const { return {}; }
    [[nodiscard]] virtual EngineCounters counters() const { return {}; }
    /// For each filter of the chain.
    [[nodiscard]] virtual std::vector<StepCount> step_counts() const { return {}; }
};

/// A kind of engine before the format is known: it determines how pictures are allocated, then builds the engine.
class FilterDevice {
public:
    virtual ~FilterDevice() = default;
    [[nodiscard]] virtual PictureAllocator allocator() const = 0;
    /// `pool`, and `trace` if there is one, must outlive the engine. Throws Error if a filter cannot be represented in
    /// this format.
    [[nodiscard]] virtual std::unique_ptr<FilterEngine> make_engine(const std::vector<FilterSpec>& filters,
                                                                    const PictureFormat& format, FramePool& pool,
                                                                    Trace* trace) const = 0;
    /// The numbers of the GPUs; none for the CPU.
    [[nodiscard]] virtual std::vector<int> gpus() const { return {}; }
    /// What the user should be told about the choice of this device; empty if nothing.
    [[nodiscard]] virtual std::string note() const { return {}; }
};

/// The device that --device names: auto, cpu, cuda, cuda:N, several of these GPUs separated by commas, or all that
/// work. `threads` is for the CPU, 0 for one per core; `streams` for each GPU, 0 for the default. Throws Error(device)
/// if a device that was named does not exist, or if there is none at all; auto falls back and says why.
std::unique_ptr<FilterDevice> choose_device(const std::string& name, int threads, int streams = 0);
/// The same for a chain. If filters read several pictures, one device needs all of them, so the first of several
/// devices is used, and its note() says so.
std::unique_ptr<FilterDevice> choose_device_for(const std::vector<FilterSpec>& filters, const std::string& name,
                                                int threads, int streams);
/// The decoders of that GPU. Throws Error(device) if there are none.
std::unique_ptr<DecodeDevice> make_decode_device(int gpu);
/// For --list devices.
std::string device_list();

}  // namespace vfilter
