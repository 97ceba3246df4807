#pragma once
// Pictures in device memory: AVFrames of AV_PIX_FMT_CUDA whose planes kernels can read.

#include <cuda_runtime_api.h>

#include <memory>
#include <mutex>
#include <vector>

#include "io/codec/decode_device.h"
#include "io/codec/frame_source.h"
#include "pipeline/engine/cuda_slot.h"
#include "pipeline/engine/image_layout.h"
#include "pipeline/engine/planes.h"

namespace vfilter {

/// A pool of memory for pictures of one kind on a device. A picture returns by itself when its last reference goes,
/// even after the pool has ended. Nothing may be reading it then, but whatever fills it may still be at work, because
/// unwanted pictures are dropped before they are complete. Thread-safe.
class CudaPictures : public std::enable_shared_from_this<CudaPictures> {
public:
    CudaPictures(int device, const PictureKind& kind);
    ~CudaPictures();
    CudaPictures(const CudaPictures&) = delete;
    CudaPictures& operator=(const CudaPictures&) = delete;

    /// A picture without contents or properties: planes according to its format, rows at multiples of 256 bytes. What
    /// `writer` does from here on happens after everything that was written to that memory before. Throws Error(device)
    /// if there is no memory for it, Error(device_lost).
    [[nodiscard]] FramePtr lend(cudaStream_t writer);
    [[nodiscard]] const std::vector<PlaneLayout>& planes() const { return planes_; }

    /// The event after which a picture of any of these pools is complete; whoever fills the picture records it.
    static cudaEvent_t ready(const AVFrame& picture);
    /// The device whose memory it is in.
    static int device(const AVFrame& picture);
    /// Copies all planes of a picture to a picture on the host, and waits for completion. Throws Error(device_lost).
    static void download(AVFrame& to, const AVFrame& from);

private:
    struct Place {
        std::uint8_t* memory = nullptr;
        CudaEvent ready;
        std::shared_ptr<CudaPictures> home;  ///< while it is lent
    };

    void grow();
    std::unique_ptr<Place> free_place();
    static const Place& place_of(const AVFrame& picture);

    int device_;
    PictureKind kind_;
    std::vector<PlaneLayout> planes_;
    std::vector<std::ptrdiff_t> pitches_;
    std::size_t bytes_ = 0;
    std::mutex growing_;
    std::vector<DeviceMemory> memory_;  ///< for several pictures each; guarded by growing_
    std::mutex mutex_;                  ///< not held during anything that takes time
    std::vector<std::unique_ptr<Place>> free_;
    std::mutex downloading_;
    CudaStream downloads_;  ///< null until first used; guarded by downloading_
};

/// Queues a copy of one plane of a device picture into a picture on the host. Throws Error(device_lost).
void download_plane(AVFrame& to, const AVFrame& from, const PlaneLayout& plane, cudaStream_t stream);

}  // namespace vfilter
