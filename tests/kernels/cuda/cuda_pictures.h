#pragma once
// Planes in device memory amid guard bytes, and CUDA's kernels on them compared with the scalar code.

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "kernels/cuda/filter.h"
#include "tests/kernels/cases.h"

namespace vfilter::test {

/// What users get: decimated where that is worth it.
inline Operation operation_at(const Kernel& kernel, int depth) {
    return make_operation(filter_kernel_of(kernel.filter, kernel.arguments, kernel.pitch_x, kernel.pitch_y), depth);
}

using DeviceMemory = std::shared_ptr<void>;

inline DeviceMemory allocate(std::size_t bytes) {
    void* memory = nullptr;
    cuda_check(cudaMalloc(&memory, bytes), "cudaMalloc");
    return {memory, [](void* allocated) { cudaFree(allocated); }};
}

class Stream {
public:
    Stream() { cuda_check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags"); }
    ~Stream() { cudaStreamDestroy(stream_); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    operator cudaStream_t() const { return stream_; }
    void wait() const { cuda_check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

private:
    cudaStream_t stream_ = nullptr;
};

// A plane in device memory amid guard bytes, with the host's copy of all of it.
class DevicePicture {
public:
    static constexpr std::size_t guard = 256;

    // In memory of its own, or where there is room for size_of(picture) bytes.
    DevicePicture(const Case& picture, unsigned salt, DeviceMemory memory = nullptr)
        : bytes_(bytes_of(picture)),
          row_(bytes_ * static_cast<std::size_t>(picture.samples())),
          pitch_(pitch_of(picture)),
          picture_(picture),
          host_(size_of(picture)),
          device_(memory != nullptr ? std::move(memory) : allocate(host_.size())) {
        for (std::size_t i = 0; i < host_.size(); ++i) {
            host_[i] = expected_guard(i, salt);
        }
        salt_ = salt;
    }

    [[nodiscard]] static std::size_t pitch_of(const Case& picture) {
        const std::size_t row = bytes_of(picture) * static_cast<std::size_t>(picture.samples());
        return (row + 8 + static_cast<std::size_t>(picture.gap) + 15) / 16 * 16;
    }
    [[nodiscard]] static std::size_t size_of(const Case& picture) {
        return 2 * guard + pitch_of(picture) * static_cast<std::size_t>(picture.height);
    }
    [[nodiscard]] DevicePlane plane() const {
        const auto rows = static_cast<std::size_t>(picture_.height);
        const auto pitch = static_cast<std::ptrdiff_t>(pitch_);
        auto* const top =
            static_cast<unsigned char*>(device_.get()) + guard + (picture_.upside_down ? pitch_ * (rows - 1) : 0);
        return {top,           picture_.width, picture_.height, picture_.upside_down ? -pitch : pitch,
                picture_.step, picture_.lsb};
    }
    void write(const Samples& samples) {
        std::mt19937 random(picture_.seed + 1);
        const auto field = static_cast<unsigned>(picture_.max_value()) << picture_.lsb;
        for_each([&](std::size_t at, std::size_t index) {
            const unsigned garbage = static_cast<unsigned>(random()) & ~field;
            const unsigned value = (static_cast<unsigned>(samples[index]) << picture_.lsb) | garbage;
            host_[at] = static_cast<unsigned char>(value);
            if (bytes_ == 2) {
                host_[at + 1] = static_cast<unsigned char>(value >> 8);
            }
        });
    }
    void upload(cudaStream_t stream) const {
        cuda_check(cudaMemcpyAsync(device_.get(), host_.data(), host_.size(), cudaMemcpyHostToDevice, stream),
                   "cudaMemcpyAsync");
    }
    void download(cudaStream_t stream) {
        cuda_check(cudaMemcpyAsync(host_.data(), device_.get(), host_.size(), cudaMemcpyDeviceToHost, stream),
                   "cudaMemcpyAsync");
    }
    // The samples, each with the other bits of its storage.
    Samples stored() const {
        Samples samples(static_cast<std::size_t>(picture_.samples()) * static_cast<std::size_t>(picture_.height));
        for_each([&](std::size_t at, std::size_t index) {
            samples[index] = static_cast<std::uint16_t>(host_[at] | (bytes_ == 2 ? host_[at + 1] << 8 : 0));
        });
        return samples;
    }
    Samples read() const {
        Samples samples = stored();
        for (std::uint16_t& sample : samples) {
            EXPECT_EQ(sample & ((1 << picture_.lsb) - 1), 0) << "bits below the sample: " << picture_;
            sample = static_cast<std::uint16_t>(sample >> picture_.lsb);
        }
        return samples;
    }
    // Up to 7 bytes after a row may have been written.
    void expect_guards() const {
        std::size_t next = 0;
        for (int y = 0; y <= picture_.height; ++y) {
            const std::size_t end = y == picture_.height ? host_.size() : guard + pitch_ * static_cast<std::size_t>(y);
            for (; next < end; ++next) {
                ASSERT_EQ(host_[next], expected_guard(next, salt_)) << "byte " << next << ": " << picture_;
            }
            next = end + row_ + 7;
        }
    }

private:
    static std::size_t bytes_of(const Case& picture) { return picture.depth == 8 ? 1 : 2; }
    static unsigned char expected_guard(std::size_t at, unsigned salt) {
        return static_cast<unsigned char>((at + salt) * 167 + 13);
    }
    void for_each(const auto& visit) const {
        std::size_t index = 0;
        for (int y = 0; y < picture_.height; ++y) {
            const auto row = static_cast<std::size_t>(picture_.upside_down ? picture_.height - 1 - y : y);
            for (std::size_t x = 0; x < row_; x += bytes_) {
                visit(guard + pitch_ * row + x, index++);
            }
        }
    }

    std::size_t bytes_;
    std::size_t row_;
    std::size_t pitch_;
    Case picture_;
    std::vector<unsigned char> host_;
    DeviceMemory device_;
    unsigned salt_ = 0;
};

class Cuda : public ::testing::Test {
protected:
    void SetUp() override {
        int devices = 0;
        const cudaError_t found = cudaGetDeviceCount(&devices);
        // On a machine that is there to run them, a test that does not run has failed.
        if (std::getenv("VFILTER_TEST_NEEDS_GPU") != nullptr) {
            ASSERT_EQ(found, cudaSuccess) << cudaGetErrorString(found);
            ASSERT_GT(devices, 0);
        } else if (found != cudaSuccess || devices == 0) {
            GTEST_SKIP() << "no GPU: " << cudaGetErrorString(found);
        }
        stream_ = std::make_unique<Stream>();
    }

    void expect_equals_scalar(const Operation& made, const Case& picture) {
        expect_equals_scalar(made, Window{picture, {make_samples(picture)}});
    }
    /// Neighbours lie as they like: each in rows of its own pitch.
    void expect_equals_scalar(const Operation& made, const Window& window) {
        const Case& picture = window.picture;
        std::vector<DevicePicture> seen;
        std::vector<NeighbourPlane> neighbours;
        for (std::size_t n = 0; n < window.samples.size(); ++n) {
            Case own = picture;
            own.gap += 32 * static_cast<int>(n % 2);
            own.seed += static_cast<unsigned>(n);
            seen.emplace_back(own, static_cast<unsigned>(n + 3)).write(window.samples[n]);
            if (n > 0) {
                seen.back().upload(*stream_);
                neighbours.push_back({seen.back().plane().data, seen.back().plane().pitch});
            }
        }
        const Samples expected = filter(made, window, "scalar");
        const int step = picture.step > 2 ? picture.step : 1;
        for (const KernelChoice choice : {KernelChoice::cuda_cores, KernelChoice::tensor_cores}) {
            ASSERT_NO_FATAL_FAILURE(expect_equals(CudaFilter({made}, picture.border, choice, step), seen[0], picture,
                                                  expected, kernels_of(made), neighbours));
        }
    }

    /// How many kernels it takes.
    static int kernels_of(const Operation& made) {
        if (const auto* const dithered = std::get_if<Dithered>(&made)) {
            const int widened = ceil_div(time_reach(made).pictures(), CudaFilter::max_planes);
            return widened + 1 + kernels_of(dithered->inner->operation);
        }
        return std::holds_alternative<DecimatedFilter>(made) ? 3 : std::holds_alternative<Guided>(made) ? 2 : 1;
    }

    /// What the filter makes of `src` with its first filter.
    void expect_equals(const CudaFilter& cuda_filter, const DevicePicture& src, const Case& picture,
                       const Samples& expected, int kernels = 1, std::span<const NeighbourPlane> neighbours = {}) {
        DevicePicture dst(picture, 2);
        const PlaneJob job{src.plane(), dst.plane(), 0, picture.black(), neighbours};
        src.upload(*stream_);
        dst.upload(*stream_);
        ASSERT_EQ(cuda_filter.launch({&job, 1}, *stream_), kernels);
        dst.download(*stream_);
        stream_->wait();
        dst.expect_guards();
        const Samples result = dst.read();
        const auto differs = std::ranges::mismatch(expected, result);
        ASSERT_TRUE(differs.in1 == expected.end())
            << cuda_filter.name() << " differs from scalar at " << (differs.in1 - expected.begin()) % picture.samples()
            << ',' << (differs.in1 - expected.begin()) / picture.samples() << ": " << *differs.in2 << ", not "
            << *differs.in1 << "; " << picture;
    }

    std::unique_ptr<Stream> stream_;
};

// An emulated thread takes a thousand times as long.
#ifdef VFILTER_CUDA_EMULATOR
inline constexpr int max_width_of_planes = 160;
inline constexpr int max_height_of_planes = 80;
inline constexpr int most_planes = cuda::usual_planes + 2;
#else
inline constexpr int max_width_of_planes = 400;
inline constexpr int max_height_of_planes = 200;
inline constexpr int most_planes = CudaFilter::max_planes;
#endif

/// Planes that differ in size, step, pitch and filter, filtered together on a stream of their own.
class PlanesOfOneLaunch {
public:
    PlanesOfOneLaunch(const std::vector<Operation>& filters, Storage storage, Border border, Variety& variety,
                      KernelChoice choice)
        : cuda_filter_(filters, border, choice) {
        const int count = variety.below(3) == 0 ? most_planes : cuda::usual_planes;
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
            Case picture = variety.picture(1 + variety.below(max_width_of_planes),
                                           1 + variety.below(max_height_of_planes), storage, border);
            picture.pattern = Pattern::random;
            const Samples samples = make_samples(picture);
            const std::size_t own = i % filters.size();
            planes_.push_back({picture, static_cast<int>(own), filter(filters[own], picture, samples, "scalar"),
                               DevicePicture(picture, 1), DevicePicture(picture, 2)});
            planes_.back().src.write(samples);
        }
    }
    /// Returns the number of kernels.
    int launch() {
        std::vector<PlaneJob> jobs;
        for (Plane& plane : planes_) {
            plane.src.upload(stream_);
            plane.dst.upload(stream_);
            jobs.push_back({plane.src.plane(), plane.dst.plane(), plane.filter, plane.picture.black()});
        }
        return cuda_filter_.launch(jobs, stream_);
    }
    void expect_equals_scalar() {
        stream_.wait();
        for (Plane& plane : planes_) {
            plane.dst.download(stream_);
            stream_.wait();
            plane.dst.expect_guards();
            EXPECT_EQ(plane.dst.read(), plane.expected) << cuda_filter_.name() << ' ' << plane.picture;
        }
    }

private:
    struct Plane {
        Case picture;
        int filter;
        Samples expected;
        DevicePicture src;
        DevicePicture dst;
    };
    CudaFilter cuda_filter_;
    Stream stream_;
    std::vector<Plane> planes_;
};

}  // namespace vfilter::test
