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

/// Memory of pictures of one kind on a device, which is kept and lent again. A picture goes home by itself when its
/// last reference goes, also after the pool's end: nothing may read it then, but what fills it may still be at work, as
/// pictures that nobody wants are dropped before they are there. Thread-safe.
class CudaPictures : public std::enable_shared_from_this<CudaPictures> {
public:
    CudaPictures(int device, const PictureKind& kind);
    ~CudaPictures();
    CudaPictures(const CudaPictures&) = delete;
    CudaPictures& operator=(const CudaPictures&) = delete;

    /// A picture without contents or properties: planes as its format has them, rows at multiples of 256 bytes. What
    /// `writer` does from here on comes after all that was written to that memory before. Throws Error(device) where
    /// there is no memory for it, Error(device_lost).
    [[nodiscard]] FramePtr lend(cudaStream_t writer);
    [[nodiscard]] const std::vector<PlaneLayout>& planes() const { return planes_; }

    /// The event after which a picture of any of these pools is there; whoever fills it records it.
    static cudaEvent_t ready(const AVFrame& picture);
    /// In whose memory it is.
    static int device(const AVFrame& picture);
    /// Copies all planes of a picture to one on the host, and waits for that. Throws Error(device_lost).
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
    std::vector<DeviceMemory> memory_;  ///< of several pictures each; by growing_
    std::mutex mutex_;                  ///< nothing that takes time is done under it
    std::vector<std::unique_ptr<Place>> free_;
    std::mutex downloading_;
    CudaStream downloads_;  ///< null before the first one; by downloading_
};

/// Queues a copy of one plane of a picture on a device into one on the host. Throws Error(device_lost).
void download_plane(AVFrame& to, const AVFrame& from, const PlaneLayout& plane, cudaStream_t stream);

}  // namespace vfilter
