#pragma once
// One slot of the engine's ring: a stream, the images of one picture on the device, and the copies to and from them.

#include <cuda_runtime_api.h>

#include <memory>
#include <type_traits>
#include <vector>

#include "kernels/cuda/blend/blender.h"
#include "kernels/cuda/check.h"
#include "pipeline/engine/image_layout.h"
#include "pipeline/frame.h"

namespace vfilter {

struct CudaDelete {
    void operator()(cudaStream_t stream) const { cudaStreamDestroy(stream); }
    void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
    void operator()(void* memory) const { cudaFree(memory); }
};
using CudaStream = std::unique_ptr<std::remove_pointer_t<cudaStream_t>, CudaDelete>;
using CudaEvent = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, CudaDelete>;
using DeviceMemory = std::unique_ptr<void, CudaDelete>;

/// What CUDA says while pictures are on the device: throws Error(device) where there was no memory left, as other
/// programs and decoders take it, and Error(device_lost) of all else.
[[noreturn]] void fail_while_running(const CudaError& error);
/// The same if `result` is an error.
void run_check(cudaError_t result, const char* call, const char* file = __builtin_FILE(), int line = __builtin_LINE());

/// What an event is for. Each is for what is said of those before it, too, and costs more.
enum class EventUse {
    order,  ///< streams wait for it
    time,   ///< its time is asked for
    sleep   ///< a thread waits for it, asleep
};
/// Throws Error(device).
CudaEvent make_event(EventUse use);

/// Where a plane's rows lie on the device.
struct PlaneAt {
    std::uint8_t* data = nullptr;
    std::ptrdiff_t pitch = 0;
};

struct CudaSlot {
    /// On the current device, for a chain of which so many steps look at other pictures. `traced`: all of its events
    /// are timed. Throws Error(device), and CudaError where there is no memory left.
    CudaSlot(std::size_t image_bytes, std::size_t windows, bool traced);

    /// How many images there are. Without windows one is filtered into the other. Each window keeps one more, and one
    /// holds what was uploaded, as it lay on the host, where others are not laid out so.
    [[nodiscard]] static constexpr std::size_t image_count(std::size_t windows) {
        return windows == 0 ? 2 : 3 + windows;
    }

    /// A plane of the active ones.
    struct Plane {
        PlaneAt at;         ///< as far as it has been filtered
        int image = 0;      ///< in which that is
        unsigned kept = 0;  ///< the images that windows look at, a bit for each
        bool fresh = true;  ///< it is as it was uploaded
    };
    /// The image into which a plane may be filtered.
    [[nodiscard]] int free_image(const Plane& plane) const;
    [[nodiscard]] std::uint8_t* image(int number) const {
        return static_cast<std::uint8_t*>(images[static_cast<std::size_t>(number)].get());
    }

    /// Where the planes lie before anything is done to them.
    void begin_at(std::uint8_t* memory, const ImageLayout& layout);
    /// Queue copies of a picture's planes, to where they lie, from the host, from the device or from another one to
    /// this one; and from where each plane has ended. Throw Error(device_lost).
    void upload(const AVFrame& from, const ImageLayout& layout, const std::vector<PlaneLayout>& layouts);
    void copy(const AVFrame& from, const std::vector<PlaneLayout>& layouts);
    void copy_across(const AVFrame& from, int other, int own, const std::vector<PlaneLayout>& layouts);
    void download(AVFrame& result, const std::vector<PlaneLayout>& layouts);
    /// Queues a copy of active plane n, which no step has touched, to where results are.
    void pass_on(std::size_t n, const PlaneLayout& layout);
    void record(const CudaEvent& event) const;

    CudaStream stream;
    CudaEvent begun;
    CudaEvent uploaded;
    CudaEvent computed;
    CudaEvent done;
    std::vector<CudaEvent> ready;                ///< of each window: the picture is there
    std::vector<std::vector<PlaneAt>> windowed;  ///< of each window: what it sees of the picture
    std::vector<DeviceMemory> images;
    std::vector<Plane> planes;
    ImageLayout to;                    ///< of results
    PictureTime time;                  ///< of the picture
    int fields = 1;                    ///< that are filtered apart
    std::vector<CudaWeights> weights;  ///< of each step's region in the picture, if it moves
    FramePtr source;                   ///< null once its upload has ended
    bool computes = false;             ///< the picture is on the device; else its frame has it as it came
    Frame frame;                       ///< the result, its samples still on their way
};

}  // namespace vfilter
