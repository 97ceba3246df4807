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

/// Converts a CUDA error that occurs while pictures are on the device: throws Error(device) if there was no memory
/// left, as other programs and decoders use it too, and Error(device_lost) for anything else.
[[noreturn]] void fail_while_running(const CudaError& error);
/// The same if `result` is an error.
void run_check(cudaError_t result, const char* call, const char* file = __builtin_FILE(), int line = __builtin_LINE());

/// What an event is used for. Each value includes the uses before it, and costs more.
enum class EventUse {
    order,  ///< streams wait for it
    time,   ///< its time is read
    sleep   ///< a thread sleeps until it is reached
};
/// Throws Error(device).
CudaEvent make_event(EventUse use);

/// Where a plane's rows are on the device.
struct PlaneAt {
    std::uint8_t* data = nullptr;
    std::ptrdiff_t pitch = 0;
};

struct CudaSlot {
    /// On the current device, for a chain in which that many steps read other pictures. `traced`: all of its events are
    /// timed. Throws Error(device), and CudaError if there is no memory left.
    CudaSlot(std::size_t image_bytes, std::size_t windows, bool traced);

    /// How many images there are. Without windows, pictures are filtered from one image into the other. Each window
    /// keeps one more, and one holds the upload in the host's layout if the others are laid out differently.
    [[nodiscard]] static constexpr std::size_t image_count(std::size_t windows) {
        return windows == 0 ? 2 : 3 + windows;
    }

    /// One of the active planes.
    struct Plane {
        PlaneAt at;         ///< as filtered so far
        int image = 0;      ///< the image that contains it
        unsigned kept = 0;  ///< a bit for each image that windows read
        bool fresh = true;  ///< it has not changed since the upload
    };
    /// The image into which a plane may be filtered.
    [[nodiscard]] int free_image(const Plane& plane) const;
    [[nodiscard]] std::uint8_t* image(int number) const {
        return static_cast<std::uint8_t*>(images[static_cast<std::size_t>(number)].get());
    }

    /// Where the planes are before anything is done to them.
    void begin_at(std::uint8_t* memory, const ImageLayout& layout);
    /// Queue copies of a picture's planes: to their places, from the host, from this device or from another one; and
    /// from where each plane ended up. Throw Error(device_lost).
    void upload(const AVFrame& from, const ImageLayout& layout, const std::vector<PlaneLayout>& layouts);
    void copy(const AVFrame& from, const std::vector<PlaneLayout>& layouts);
    void copy_across(const AVFrame& from, int other, int own, const std::vector<PlaneLayout>& layouts);
    void download(AVFrame& result, const std::vector<PlaneLayout>& layouts);
    /// Queues a copy of active plane n, which no step has changed, to the place for results.
    void pass_on(std::size_t n, const PlaneLayout& layout);
    void record(const CudaEvent& event) const;

    CudaStream stream;
    CudaEvent begun;
    CudaEvent uploaded;
    CudaEvent computed;
    CudaEvent done;
    std::vector<CudaEvent> ready;                ///< for each window: the picture is complete
    std::vector<std::vector<PlaneAt>> windowed;  ///< for each window: what it reads of the picture
    std::vector<DeviceMemory> images;
    std::vector<Plane> planes;
    ImageLayout to;                    ///< for the results
    PictureTime time;                  ///< of the picture
    int fields = 1;                    ///< that are filtered separately
    std::vector<CudaWeights> weights;  ///< for each step's region in the picture, if it moves
    FramePtr source;                   ///< null once its upload has ended
    bool computes = false;             ///< the picture is on the device; otherwise its frame holds it unchanged
    Frame frame;                       ///< the result, whose samples are still being transferred
};

}  // namespace vfilter
