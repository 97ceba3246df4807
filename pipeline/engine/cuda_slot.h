#pragma once
// One slot of the engine's ring: a stream, the images of one picture on the device, and the copies to and from them.

#include <cuda_runtime_api.h>

#include <memory>
#include <type_traits>
#include <vector>

#include "kernels/cuda/blend/blender.h"
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

/// For calls while pictures are on the device: throws Error(device_lost) if `result` is an error.
void run_check(cudaError_t result, const char* call, const char* file = __builtin_FILE(), int line = __builtin_LINE());

/// Its waiter sleeps. `timed`: its time can be asked for. Throws Error(device).
CudaEvent make_event(bool timed);

struct CudaSlot {
    static constexpr std::size_t image_count = 2;  ///< one is filtered into the other

    /// On the current device. `traced`: all of its events are timed. Throws Error(device), and CudaError where there is
    /// no memory left.
    CudaSlot(std::size_t image_bytes, bool traced);

    /// Where the planes lie before anything is done to them.
    void begin_at(void* memory, const ImageLayout& layout);
    /// Queue copies of a picture's planes, to the first image or from the image that each plane ended in. Throw
    /// Error(device_lost).
    void upload(const AVFrame& from, const ImageLayout& layout, const std::vector<PlaneLayout>& planes);
    void download(AVFrame& to, const ImageLayout& layout, const std::vector<PlaneLayout>& planes,
                  const std::vector<int>& ends);
    /// Queues a copy of a plane that no step has touched, to the second image.
    void pass_on(const PlaneLayout& plane, const std::uint8_t* from, std::ptrdiff_t from_pitch,
                 std::ptrdiff_t to_offset, std::ptrdiff_t to_pitch) const;
    void record(const CudaEvent& event) const;

    CudaStream stream;
    CudaEvent begun;
    CudaEvent uploaded;
    CudaEvent computed;
    CudaEvent done;
    DeviceMemory images[image_count];
    std::vector<std::uint8_t*> begins;  ///< of planes; see begin_at()
    std::vector<CudaWeights> weights;   ///< of each step's region in the picture, if it moves
    FramePtr source;                    ///< null once its upload has ended
    bool computes = false;              ///< the picture is on the device; else its frame has it as it came
    Frame frame;                        ///< the result, its samples still on their way
};

}  // namespace vfilter
