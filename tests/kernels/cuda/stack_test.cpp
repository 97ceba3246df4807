// Batches: planes alike that lie at the same distance from each other are described once, as a stack.

#include "tests/kernels/cuda/cuda_pictures.h"

namespace vfilter::test {

namespace {

using CudaStack = Cuda;

/// Where the pictures of a batch lie, from the first byte of their memory on: pitches, and bytes.
struct Layout {
    const char* name;
    bool stack;
    std::size_t (*of)(std::size_t i, std::size_t count, std::size_t rows, std::size_t pitch);
};
constexpr Layout layouts[] = {
    {"evenly", true, [](std::size_t i, std::size_t, std::size_t rows, std::size_t pitch) { return i * rows * pitch; }},
    {"by no whole rows", false,
     [](std::size_t i, std::size_t, std::size_t rows, std::size_t pitch) { return i * (rows * pitch + 16); }},
    {"backwards", false,
     [](std::size_t i, std::size_t count, std::size_t rows, std::size_t pitch) {
         return (count - 1 - i) * rows * pitch;
     }},
    {"but for the last", false,
     [](std::size_t i, std::size_t count, std::size_t rows, std::size_t pitch) {
         return i * rows * pitch + (i == count - 1 ? pitch : 0);
     }},
};

/// Pictures alike in one block of memory.
class Batch {
public:
    Batch(const Case& picture, std::size_t count, const Layout& layout, unsigned salt, std::size_t rows_between) {
        const std::size_t pitch = DevicePicture::pitch_of(picture);
        const std::size_t rows = DevicePicture::size_of(picture) / pitch + 1 + rows_between;
        const DeviceMemory memory = allocate((count + 1) * (rows * pitch + 16));
        for (std::size_t i = 0; i < count; ++i) {
            auto* const place = static_cast<unsigned char*>(memory.get()) + layout.of(i, count, rows, pitch);
            pictures.emplace_back(picture, salt, DeviceMemory(memory, place));
        }
    }
    std::vector<DevicePicture> pictures;
};

std::vector<PlaneJob> jobs_of(const Batch& src, const Batch& dst, int black) {
    std::vector<PlaneJob> jobs;
    for (std::size_t i = 0; i < src.pictures.size(); ++i) {
        jobs.push_back({src.pictures[i].plane(), dst.pictures[i].plane(), 0, black});
    }
    return jobs;
}

TEST_F(CudaStack, BatchesAreAsEachOfTheirPictures) {
    Variety variety(61, 4);
    constexpr Kernel kernels[] = {
        {"gaussian", "5"}, {"gaussian", "15"}, {"box", "9"}, {"sharpen", "1:size=5:threshold=7"}};
    constexpr int linear = 12;
    for (int n = 0; n < linear + 6; ++n) {
        for (const Layout& layout : layouts) {
            Storage storage = variety.any(std::array{Storage{8, 0}, Storage{8, 0}, Storage{10, 6}});
            const Border border = variety.any(border_names).border;
            Case picture = variety.picture(1 + variety.below(max_width_of_planes / 2),
                                           1 + variety.below(max_height_of_planes), storage, border);
            if (n >= linear && picture.step > 2) {
                picture.depth = 8;
                picture.lsb = 0;
                storage = {8, 0};
            }
            picture.pattern = Pattern::random;
            picture.gap += 16;  // so that no row is as short as what lies between pictures
            picture.upside_down = false;
            const std::size_t count = 3 + static_cast<std::size_t>(variety.below(most_planes - 2));
            Batch src(picture, count, layout, 1, 0);
            Batch dst(picture, count, layouts[0], 2, 3);
            const int radius = 1 + n % 3;
            const Operation made =
                n < linear ? operation_at(kernels[n / 3], storage.depth) : MedianFilter{storage.depth, radius, radius};
            std::vector<Samples> expected;
            Case own = picture;
            for (DevicePicture& one : src.pictures) {
                const Samples samples = make_samples(own);
                expected.push_back(filter(made, own, samples, "scalar"));
                one.write(samples);
                one.upload(*stream_);
                ++own.seed;
            }
            for (const DevicePicture& one : dst.pictures) {
                one.upload(*stream_);
            }
            const std::vector<PlaneJob> jobs = jobs_of(src, dst, picture.black());
            EXPECT_EQ(cuda::stack_of(jobs).pictures, layout.stack ? static_cast<int>(count) : 1) << layout.name;
            const CudaFilter cuda_filter({made}, border, KernelChoice::tensor_cores, picture.step);
            cuda_filter.launch(jobs, *stream_);
            for (std::size_t i = 0; i < count; ++i) {
                dst.pictures[i].download(*stream_);
                stream_->wait();
                ASSERT_NO_FATAL_FAILURE(dst.pictures[i].expect_guards()) << layout.name;
                ASSERT_EQ(dst.pictures[i].read(), expected[i]) << cuda_filter.name() << ", picture " << i << " of "
                                                               << count << ", " << layout.name << ": " << picture;
            }
        }
    }
}

TEST(Stack, OnlyOfPlanesAlike) {
    std::vector<unsigned char> memory(4096);
    const auto plane = [&](int at) { return DevicePlane{memory.data() + at, 16, 4, 32, 1, 0}; };
    const std::vector<PlaneJob> even{
        {plane(0), plane(1024), 0, 0}, {plane(256), plane(1536), 0, 0}, {plane(512), plane(2048), 0, 0}};
    const cuda::Stack stack = cuda::stack_of(even);
    EXPECT_EQ(stack.pictures, 3);
    EXPECT_EQ(stack.src_bytes, 256);
    EXPECT_EQ(stack.dst_bytes, 512);
    EXPECT_EQ(cuda::stack_of({even.data(), 1}).pictures, 1);
    const auto differing = [&](auto&& change) {
        std::vector<PlaneJob> jobs = even;
        change(jobs[1]);
        return cuda::stack_of(jobs).pictures;
    };
    EXPECT_EQ(differing([](PlaneJob&) {}), 3);
    EXPECT_EQ(differing([](PlaneJob& job) { job.filter = 1; }), 1);
    EXPECT_EQ(differing([](PlaneJob& job) { job.black = 16; }), 1);
    EXPECT_EQ(differing([](PlaneJob& job) { job.src.width = job.dst.width = 15; }), 1);
    EXPECT_EQ(differing([](PlaneJob& job) { job.src.height = job.dst.height = 3; }), 1);
    EXPECT_EQ(differing([](PlaneJob& job) { job.src.pitch = 64; }), 1);
    EXPECT_EQ(differing([](PlaneJob& job) { job.dst.pitch = 64; }), 1);
    EXPECT_EQ(differing([](PlaneJob& job) { job.src.step = job.dst.step = 2; }), 1);
    EXPECT_EQ(differing([](PlaneJob& job) { job.src.lsb = job.dst.lsb = 6; }), 1);
    EXPECT_EQ(differing([&](PlaneJob& job) { job.src.data = memory.data() + 288; }), 1);
    EXPECT_EQ(differing([&](PlaneJob& job) { job.dst.data = memory.data() + 1568; }), 1);
}

}  // namespace

}  // namespace vfilter::test
