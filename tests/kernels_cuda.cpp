// The CUDA kernels, byte for byte the same as the scalar code. Without a GPU every test says that it was skipped.

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "kernels/cuda/convolver.h"
#include "kernels_cases.h"

namespace vfilter::test {

namespace {

struct DeviceFree {
    void operator()(void* memory) const { cudaFree(memory); }
};
using DeviceMemory = std::unique_ptr<void, DeviceFree>;

DeviceMemory allocate(std::size_t bytes) {
    void* memory = nullptr;
    cuda_check(cudaMalloc(&memory, bytes), "cudaMalloc");
    return DeviceMemory(memory);
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

    DevicePicture(const Case& picture, unsigned salt)
        : bytes_(picture.depth == 8 ? 1 : 2),
          row_(bytes_ * static_cast<std::size_t>(picture.samples())),
          pitch_((row_ + 8 + static_cast<std::size_t>(picture.gap) + 15) / 16 * 16),
          picture_(picture),
          host_(2 * guard + pitch_ * static_cast<std::size_t>(picture.height)),
          device_(allocate(host_.size())) {
        for (std::size_t i = 0; i < host_.size(); ++i) {
            host_[i] = expected_guard(i, salt);
        }
        salt_ = salt;
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
    Samples read() const {
        Samples samples(static_cast<std::size_t>(picture_.samples()) * static_cast<std::size_t>(picture_.height));
        for_each([&](std::size_t at, std::size_t index) {
            const int stored = host_[at] | (bytes_ == 2 ? host_[at + 1] << 8 : 0);
            EXPECT_EQ(stored & ((1 << picture_.lsb) - 1), 0) << "bits below the sample: " << picture_;
            samples[index] = static_cast<std::uint16_t>(stored >> picture_.lsb);
        });
        return samples;
    }
    // Up to 7 bytes behind a row may have been written.
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

    void expect_equals_scalar(const Convolution& convolution, const Case& picture) {
        const Samples samples = make_samples(picture);
        const Samples expected = filter(convolution, picture, samples, "scalar");
        DevicePicture src(picture, 1);
        DevicePicture dst(picture, 2);
        src.write(samples);
        const CudaConvolver convolver({convolution}, picture.border);
        const PlaneJob job{src.plane(), dst.plane(), 0, picture.black()};
        src.upload(*stream_);
        dst.upload(*stream_);
        convolver.launch({&job, 1}, *stream_);
        dst.download(*stream_);
        stream_->wait();
        dst.expect_guards();
        const Samples result = dst.read();
        const auto differs = std::ranges::mismatch(expected, result);
        ASSERT_TRUE(differs.in1 == expected.end())
            << convolver.name() << " differs from scalar at " << (differs.in1 - expected.begin()) % picture.samples()
            << ',' << (differs.in1 - expected.begin()) / picture.samples() << ": " << *differs.in2 << ", not "
            << *differs.in1 << "; " << convolution.rows.taps.size() << 'x' << convolution.columns.taps.size()
            << " taps, " << picture;
    }

    std::unique_ptr<Stream> stream_;
};

// Radii with a kernel of their own, and their neighbours.
constexpr const char* all_sizes[] = {"1",  "3",  "5",  "7",  "9",  "11", "13",  "15", "17", "19",
                                     "21", "23", "25", "27", "31", "33", "39",  "41", "47", "49",
                                     "61", "63", "65", "67", "95", "97", "127", "129"};

TEST_F(Cuda, EverySizeDepthAndBorder) {
    Variety variety(21);
    for (const char* const size : all_sizes) {
        for (const Storage storage : storages) {
            for (const BorderName& border : border_names) {
                const Case picture =
                    variety.picture(1 + variety.below(300), 1 + variety.below(90), storage, border.border);
                ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(Kernel{"gaussian", size}.at(storage.depth), picture));
            }
        }
    }
}

TEST_F(Cuda, EveryWidthAndHeight) {
    Variety variety(22);
    for (int n = 1; n <= 67; ++n) {
        const int height = n * 29 % 67 + 1;  // 67 is prime: every height comes once
        for (const BorderName& border : border_names) {
            const Kernel& kernel = variety.any(small_kernels);
            const Case picture = variety.picture(n, height, variety.any(storages), border.border);
            ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(kernel.at(picture.depth), picture));
        }
    }
}

TEST_F(Cuda, KernelsMuchLargerThanThePicture) {
    Variety variety(23);
    for (const Kernel& kernel : large_kernels) {
        for (const int depth : {8, 10, 13, 16}) {
            for (const BorderName& border : border_names) {
                const Case picture =
                    variety.picture(1 + variety.below(9), 1 + variety.below(5), {depth, 0}, border.border);
                ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(kernel.at(depth), picture));
            }
        }
    }
}

TEST_F(Cuda, LargePictures) {
    Variety variety(24);
    for (const Kernel& kernel : {Kernel{"gaussian", "3"}, Kernel{"gaussian", "5"}, Kernel{"gaussian", "15"},
                                 Kernel{"gaussian", "63"}, Kernel{"box", "5"}, Kernel{"gaussian", "sigma=21"}}) {
        for (const Storage storage : {Storage{8, 0}, Storage{10, 6}, Storage{16, 0}}) {
            const Case picture = variety.picture(1000 + variety.below(200), 500 + variety.below(200), storage,
                                                 variety.any(border_names).border);
            ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(kernel.at(storage.depth), picture));
        }
    }
}

// The planes of a picture differ in size, taps, step and pitch: one launch filters them all. Streams with other taps
// run beside it.
TEST_F(Cuda, PlanesOfOneLaunchOnSeveralStreams) {
    struct Plane {
        Case picture;
        int convolution;
        Samples expected;
        DevicePicture src;
        DevicePicture dst;
    };
    const Kernel luma_kernels[] = {{"gaussian", "5"}, {"gaussian", "15"}, {"box", "9"}, {"gaussian", "75"}};
    std::vector<std::vector<Plane>> pictures;
    std::vector<CudaConvolver> convolvers;
    std::vector<std::unique_ptr<Stream>> streams;
    Variety variety(25);
    for (const Kernel& luma : luma_kernels) {
        const Convolution convolutions[] = {luma.at(8), Kernel{luma.filter, luma.arguments, 2, 2}.at(8)};
        std::vector<Plane>& planes = pictures.emplace_back();
        for (int i = 0; i < 8; ++i) {
            Case picture = variety.picture(1 + variety.below(400), 1 + variety.below(200), {8, 0}, Border::wrap);
            picture.pattern = Pattern::random;
            const Samples samples = make_samples(picture);
            planes.push_back({picture, i % 2, filter(convolutions[i % 2], picture, samples, "scalar"),
                              DevicePicture(picture, 1), DevicePicture(picture, 2)});
            planes.back().src.write(samples);
        }
        convolvers.emplace_back(std::vector<Convolution>(std::begin(convolutions), std::end(convolutions)),
                                Border::wrap);
        streams.push_back(std::make_unique<Stream>());
    }
    for (std::size_t n = 0; n < pictures.size(); ++n) {
        std::vector<PlaneJob> jobs;
        for (Plane& plane : pictures[n]) {
            plane.src.upload(*streams[n]);
            plane.dst.upload(*streams[n]);
            jobs.push_back({plane.src.plane(), plane.dst.plane(), plane.convolution, plane.picture.black()});
        }
        convolvers[n].launch(jobs, *streams[n]);
    }
    for (std::size_t n = 0; n < pictures.size(); ++n) {
        streams[n]->wait();
        for (Plane& plane : pictures[n]) {
            plane.dst.download(*streams[n]);
            streams[n]->wait();
            plane.dst.expect_guards();
            EXPECT_EQ(plane.dst.read(), plane.expected) << convolvers[n].name() << ' ' << plane.picture;
        }
    }
}

TEST_F(Cuda, RefusesWhatItCannotHold) {
    const Convolution eight = Kernel{"gaussian", "5"}.at(8);
    const Convolution ten = Kernel{"gaussian", "5"}.at(10);
    EXPECT_THROW(CudaConvolver({}, Border::wrap), std::invalid_argument);
    EXPECT_THROW(CudaConvolver({eight, ten}, Border::wrap), std::invalid_argument);
    EXPECT_THROW(CudaConvolver({eight, eight, eight}, Border::wrap), std::invalid_argument);
}

}  // namespace

}  // namespace vfilter::test
