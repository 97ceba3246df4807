#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <stdexcept>

#include "kernels/arithmetic/arithmetic.h"
#include "kernels/cuda/check.h"
#include "kernels/cuda/samples/kernel.cuh"
#include "kernels/cuda/samples/samples.h"

namespace vfilter {

namespace {

using cuda::samples::Access;
using cuda::samples::Blend;
using cuda::samples::Copy;
using cuda::samples::CopyChannel;
using cuda::samples::threads;
using cuda::samples::unit_bytes;
using cuda::samples::Units;

Access access_of(const DeviceSamples& samples, const PictureShape& shape, int sample_bytes) {
    const auto whole = [](std::ptrdiff_t pitch, std::ptrdiff_t count) { return count == 1 || pitch % unit_bytes == 0; };
    if (reinterpret_cast<std::uintptr_t>(samples.data) % unit_bytes != 0 || !whole(samples.row_pitch, shape.height) ||
        !whole(samples.picture_pitch, shape.count)) {
        return Access::single;
    }
    if (samples.pixel_pitch == sample_bytes) {
        return whole(samples.channel_pitch, shape.channels) ? Access::planes : Access::single;
    }
    return samples.pixel_pitch == std::ptrdiff_t{shape.channels} * sample_bytes && samples.channel_pitch == sample_bytes
               ? Access::pixels
               : Access::single;
}

// Launches of as many pictures as one can have. `launch(first, pictures, units)`.
void for_all(const PictureShape& shape, int pixels, const auto& launch) {
    const std::int64_t of_row = ceil_div(shape.width, pixels);
    const std::int64_t all = of_row * shape.height;
    const std::int64_t blocks = ceil_div<std::int64_t>(all, threads);
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    if (blocks > most || all + threads > most) {
        throw std::invalid_argument("a picture is too large for the GPU's kernels");
    }
    const Units units{static_cast<unsigned>(blocks), static_cast<unsigned>(of_row), static_cast<unsigned>(all),
                      shape.width, shape.channels};
    for (std::ptrdiff_t first = 0; first < shape.count;) {
        const std::ptrdiff_t pictures = std::min<std::ptrdiff_t>(shape.count - first, most / blocks);
        launch(first, static_cast<unsigned>(pictures * blocks), units);
        first += pictures;
    }
}

DeviceSamples from_picture(DeviceSamples samples, std::ptrdiff_t picture) {
    samples.data = static_cast<unsigned char*>(samples.data) + samples.picture_pitch * picture;
    return samples;
}

// Interleaved ones in the same order are rows of samples.
bool interleaved_alike(const DeviceSamples& from, const DeviceSamples& to, const PictureShape& shape, int bytes) {
    const auto dense = [&](const DeviceSamples& samples) {
        return samples.pixel_pitch == std::ptrdiff_t{shape.channels} * bytes &&
               std::abs(samples.channel_pitch) == bytes;
    };
    return shape.channels > 1 && dense(from) && dense(to) && from.channel_pitch == to.channel_pitch;
}

// Of interleaved ones, in the order in which they lie.
DeviceSamples first_sample(DeviceSamples samples, const PictureShape& shape) {
    if (samples.channel_pitch < 0) {
        samples.data = static_cast<unsigned char*>(samples.data) + samples.channel_pitch * (shape.channels - 1);
        samples.channel_pitch = -samples.channel_pitch;
    }
    return samples;
}

template <class T, int channels>
void launch_copy(const Copy& copy, unsigned blocks, cudaStream_t stream) {
    void* arguments[] = {const_cast<Copy*>(&copy)};
    cuda_check(
        cudaLaunchKernel(cuda::samples::copy_units<T, channels>, dim3(blocks), dim3(threads), arguments, 0, stream),
        "cudaLaunchKernel");
}

template <class T>
constexpr decltype(&launch_copy<T, 1>) copies[] = {launch_copy<T, 1>, launch_copy<T, 2>, launch_copy<T, 3>,
                                                   launch_copy<T, 4>};

}  // namespace

void copy_samples(const DeviceSamples& from, const DeviceSamples& to, const PictureShape& shape, int sample_bytes,
                  cudaStream_t stream) {
    if (interleaved_alike(from, to, shape, sample_bytes)) {
        DeviceSamples sides[] = {first_sample(from, shape), first_sample(to, shape)};
        for (DeviceSamples& side : sides) {
            side.pixel_pitch = sample_bytes;
            side.channel_pitch = 0;
        }
        copy_samples(sides[0], sides[1], {shape.width * shape.channels, shape.height, 1, shape.count}, sample_bytes,
                     stream);
        return;
    }
    Copy copy{{}, {}, {}, access_of(from, shape, sample_bytes), access_of(to, shape, sample_bytes)};
    for_all(shape, unit_bytes / sample_bytes, [&](std::ptrdiff_t first, unsigned blocks, const Units& units) {
        copy.units = units;
        copy.from = from_picture(from, first);
        copy.to = from_picture(to, first);
        const int channels = shape.channels - 1;
        (sample_bytes == 1 ? copies<std::uint8_t>[channels] : copies<std::uint16_t>[channels])(copy, blocks, stream);
    });
}

void copy_channel(const DeviceSamples& from, const DeviceSamples& to, const PictureShape& shape, int channel,
                  int sample_bytes, cudaStream_t stream) {
    const int pixel_bytes = shape.channels * sample_bytes;
    if (unit_bytes % pixel_bytes != 0 || !interleaved_alike(from, to, shape, sample_bytes) ||
        access_of(first_sample(from, shape), shape, sample_bytes) != Access::pixels ||
        access_of(first_sample(to, shape), shape, sample_bytes) != Access::pixels) {
        const auto own = [&](DeviceSamples samples) {
            samples.data = static_cast<unsigned char*>(samples.data) + samples.channel_pitch * channel;
            return samples;
        };
        copy_samples(own(from), own(to), {shape.width, shape.height, 1, shape.count}, sample_bytes, stream);
        return;
    }
    const int place = (from.channel_pitch < 0 ? shape.channels - 1 - channel : channel) * sample_bytes;
    std::uint64_t mask = 0;
    for (int byte = 0; byte < unit_bytes; ++byte) {
        const int of_pixel = byte % pixel_bytes - place;
        mask |= of_pixel >= 0 && of_pixel < sample_bytes ? std::uint64_t{0xff} << 8 * byte : 0;
    }
    CopyChannel copy{{}, {}, {}, mask, shape.width * pixel_bytes};
    for_all(shape, unit_bytes / pixel_bytes, [&](std::ptrdiff_t first, unsigned blocks, const Units& units) {
        copy.units = units;
        copy.from = from_picture(first_sample(from, shape), first);
        copy.to = from_picture(first_sample(to, shape), first);
        void* arguments[] = {&copy};
        cuda_check(cudaLaunchKernel(cuda::samples::copy_masked, dim3(blocks), dim3(threads), arguments, 0, stream),
                   "cudaLaunchKernel");
    });
}

void blend_samples(const DeviceSamples& weights, const DeviceSamples& from, const DeviceSamples& made,
                   const PictureShape& shape, int sample_bytes, int lsb, cudaStream_t stream) {
    for_all(shape, 1, [&](std::ptrdiff_t first, unsigned blocks, const Units& units) {
        Blend blend{units, from_picture(weights, first), from_picture(from, first), from_picture(made, first), lsb};
        void* arguments[] = {&blend};
        const auto launch = [&](auto* kernel) {
            cuda_check(cudaLaunchKernel(kernel, dim3(blocks), dim3(threads), arguments, 0, stream), "cudaLaunchKernel");
        };
        sample_bytes == 1 ? launch(cuda::samples::blend_pixels<std::uint8_t>)
                          : launch(cuda::samples::blend_pixels<std::uint16_t>);
    });
}

}  // namespace vfilter
