#pragma once
// Samples of pictures that lie in device memory in any order: copied from one order to another, and blended.

#include <cuda_runtime_api.h>

#include <cstddef>

namespace vfilter {

/// Pictures of one size. A sample of channel c at (x, y) of picture n is at data + n * picture_pitch + c *
/// channel_pitch + y * row_pitch + x * pixel_pitch, in bytes; pitches have any sign.
struct DeviceSamples {
    void* data = nullptr;
    std::ptrdiff_t pixel_pitch = 0;
    std::ptrdiff_t row_pitch = 0;
    std::ptrdiff_t channel_pitch = 0;
    std::ptrdiff_t picture_pitch = 0;
};

struct PictureShape {
    int width = 0;
    int height = 0;
    int channels = 0;  ///< 1 to 4
    std::ptrdiff_t count = 0;
};

/// Queues a copy of samples of 1 or 2 bytes on a stream of the current device. Nothing else is read or written. Throws
/// CudaError.
void copy_samples(const DeviceSamples& from, const DeviceSamples& to, const PictureShape& shape, int sample_bytes,
                  cudaStream_t stream);

/// The same of one channel alone. Samples of the others that lie between its own may be written, too, with what they
/// are.
void copy_channel(const DeviceSamples& from, const DeviceSamples& to, const PictureShape& shape, int channel,
                  int sample_bytes, cudaStream_t stream);

/// Queues what makes `made` the blend of itself and `from` by weights of 8 bits for every pixel, which have one channel
/// and a picture_pitch of 0 if all pictures have the same: see blend_row. Throws CudaError.
void blend_samples(const DeviceSamples& weights, const DeviceSamples& from, const DeviceSamples& made,
                   const PictureShape& shape, int sample_bytes, int lsb, cudaStream_t stream);

}  // namespace vfilter
