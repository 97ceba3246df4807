// Surfaces of a decoder to planes.

#include "kernels/cuda/surface/surface.h"

#include "tests/kernels/cuda/cuda_pictures.h"

namespace vfilter::test {
namespace {

using CudaSurface = Cuda;

// Bytes in device memory, with a copy on the host.
class Bytes {
public:
    Bytes(std::size_t size, unsigned seed) : host_(size), device_(allocate(size)) {
        std::mt19937 random(seed);
        std::ranges::generate(host_, [&] { return static_cast<std::uint8_t>(random()); });
        cuda_check(cudaMemcpy(device_.get(), host_.data(), size, cudaMemcpyHostToDevice), "cudaMemcpy");
        // It may have returned before the bytes were there, and other streams do not wait for its own.
        cuda_check(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
    }
    [[nodiscard]] std::uint8_t* device() const { return static_cast<std::uint8_t*>(device_.get()); }
    [[nodiscard]] const std::vector<std::uint8_t>& host() const { return host_; }
    [[nodiscard]] std::vector<std::uint8_t> now() const {
        std::vector<std::uint8_t> bytes(host_.size());
        cuda_check(cudaMemcpy(bytes.data(), device_.get(), bytes.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
        return bytes;
    }

private:
    std::vector<std::uint8_t> host_;
    DeviceMemory device_;
};

unsigned sample_at(const std::uint8_t* at, int bytes) {
    return bytes == 1 ? *at : *at | static_cast<unsigned>(at[1]) << 8U;
}

// A picture of subsampled or full chroma; where it is cropped on the left, rows begin anywhere.
void expect_equal_samples(int width, int height, int bytes, int shift, bool interleaved, int crop) {
    const int chroma_width = interleaved ? (width + 1) / 2 : width;
    const int chroma_height = interleaved ? (height + 1) / 2 : height;
    const std::ptrdiff_t src_pitch = std::ptrdiff_t{2 * (width + crop) + 37} / 2 * 2;
    const std::ptrdiff_t dst_pitch = (std::ptrdiff_t{width} * bytes + 7) / 8 * 8 + 16;
    const std::ptrdiff_t rows = height + 2 * chroma_height;
    const Bytes src(static_cast<std::size_t>(src_pitch * rows + 64), 7);
    const Bytes dst(static_cast<std::size_t>(dst_pitch * rows + 64), 8);
    std::vector<cuda::SurfacePlane> planes;
    for (int i = 0; i < 3; ++i) {
        const bool chroma = i > 0;
        const std::ptrdiff_t first_row = !chroma ? 0 : interleaved ? height : height + (i - 1) * chroma_height;
        const std::ptrdiff_t offset = src_pitch * first_row + (crop + (chroma && interleaved ? i - 1 : 0)) * bytes;
        const std::ptrdiff_t place = dst_pitch * (!chroma ? 0 : height + (i - 1) * chroma_height);
        planes.push_back({src.device() + offset, src_pitch, chroma && interleaved ? 2 : 1, dst.device() + place,
                          dst_pitch, chroma ? chroma_width : width, chroma ? chroma_height : height});
    }
    const Stream stream;
    cuda::unpack_surface(planes, bytes, shift, stream);
    stream.wait();
    const std::vector<std::uint8_t> now = dst.now();
    std::vector<bool> written(now.size());
    for (const cuda::SurfacePlane& plane : planes) {
        for (int y = 0; y < plane.height; ++y) {
            const std::uint8_t* const from = src.host().data() + (plane.src - src.device()) + plane.src_pitch * y;
            const std::ptrdiff_t row = plane.dst - dst.device() + plane.dst_pitch * y;
            for (int x = 0; x < plane.width; ++x) {
                const unsigned expected = sample_at(from + x * plane.src_step * bytes, bytes) >> shift;
                ASSERT_EQ(sample_at(now.data() + row + x * bytes, bytes), expected)
                    << width << "x" << height << ", " << bytes << " bytes, row " << y << ", column " << x;
            }
            const std::ptrdiff_t end = (std::ptrdiff_t{plane.width} * bytes + 7) / 8 * 8;
            std::fill(written.begin() + row, written.begin() + row + end, true);
        }
    }
    for (std::size_t i = 0; i < now.size(); ++i) {
        ASSERT_TRUE(written[i] || now[i] == dst.host()[i]) << "byte " << i << " was overwritten";
    }
}

TEST_F(CudaSurface, EverySampleOfEveryKind) {
    for (const auto& [width, height] : {std::pair{1, 1}, {2, 2}, {7, 5}, {130, 98}, {257, 31}, {638, 17}}) {
        for (const bool interleaved : {true, false}) {
            for (const int crop : {0, 2}) {
                ASSERT_NO_FATAL_FAILURE(expect_equal_samples(width, height, 1, 0, interleaved, crop));
                ASSERT_NO_FATAL_FAILURE(expect_equal_samples(width, height, 2, 6, interleaved, crop));
                ASSERT_NO_FATAL_FAILURE(expect_equal_samples(width, height, 2, 4, interleaved, crop));
            }
        }
    }
}

TEST_F(CudaSurface, RefusesPicturesWithoutPlanes) {
    EXPECT_THROW(cuda::unpack_surface({}, 1, 0, nullptr), std::invalid_argument);
}

}  // namespace
}  // namespace vfilter::test
