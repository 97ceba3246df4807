// Operations with time on the GPU.

#include <cmath>

#include "tests/kernels/cuda/cuda_pictures.h"

namespace vfilter::test {
namespace {

Window make_window(Variety& variety, const Case& picture, int pictures) {
    Window made{picture, {}};
    for (int n = 0; n < pictures; ++n) {
        Case one = picture;
        one.seed = picture.seed + static_cast<unsigned>(n);
        one.pattern = variety.any(patterns);
        made.samples.push_back(make_samples(one));
    }
    return made;
}

using CudaTime = Cuda;

#ifdef VFILTER_CUDA_EMULATOR
constexpr int few = 1;
constexpr int wide = 70;
#else
constexpr int few = 6;
constexpr int wide = 300;
#endif

TEST_F(CudaTime, MediansAndMeansOfEveryWindowDepthAndStep) {
    Variety variety(51);
    for (int n = 0; n < 40 * few; ++n) {
        const Storage storage = variety.any(storages);
        const int neighbours = n % (max_neighbours + 1);
        const TimeReach reach{neighbours / 2, neighbours - neighbours / 2};
        const Case picture = variety.picture(1 + variety.below(wide), 1 + variety.below(30), storage, Border::wrap);
        const Window window = make_window(variety, picture, neighbours + 1);
        const int limit = variety.below(picture.max_value() + 1);
        ASSERT_NO_FATAL_FAILURE(
            expect_equals_scalar(TemporalMean{storage.depth, reach, n % 3 == 0 ? picture.max_value() : limit}, window));
        if (neighbours % 2 == 0) {
            ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(TemporalMedian{storage.depth, reach}, window));
        }
    }
}

TEST_F(CudaTime, NonLocalMeansOverPictures) {
    constexpr Border borders[] = {Border::reflect_101, Border::replicate, Border::constant, Border::wrap};
    Variety variety(52);
    for (int n = 0; n < 6 * few; ++n) {
        const Storage storage = variety.any(storages);
        const int neighbours = 1 + variety.below(3);
        const int patch = min_nl_means_size + 2 * variety.below((max_patch_size - min_nl_means_size) / 2 + 1);
        const int search = min_nl_means_size + 2 * variety.below(2 + 3 * (few > 1 ? 1 : 0));
        const NlMeans made = make_nl_means(storage.depth, 2 * std::exp2(variety.below(7)), patch, search,
                                           {neighbours - neighbours / 2, neighbours / 2});
        const Case picture =
            variety.picture(1 + variety.below(wide / 2), 1 + variety.below(40), storage, variety.any(borders));
        ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(made, make_window(variety, picture, neighbours + 1)))
            << "patch " << patch << ", search " << search << ", neighbours " << neighbours;
    }
}

// Sums of products over all of the largest window outgrow 32 bits.
TEST_F(CudaTime, SumsOfTheLargestWindow) {
    constexpr int neighbours = max_neighbours;
    const int search = few > 1 ? max_search_size : 7;
    for (const Pattern pattern : {Pattern::maxima, Pattern::half}) {
        const Case picture{.width = few > 1 ? 70 : 9, .height = few > 1 ? 70 : 5, .depth = 16, .pattern = pattern};
        Window window{picture, std::vector<Samples>(neighbours + 1, make_samples(picture))};
        window.samples[3][7] -= 300;
        ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(make_nl_means(16, 100, 3, search, {neighbours, 0}), window));
    }
}

// The pictures around get their further bits, too.
TEST_F(CudaTime, DitheredMeans) {
    Variety variety(54);
    for (const int neighbours : {1, 4, max_neighbours}) {
        for (const Storage storage : {Storage{8, 0}, Storage{10, 6}, Storage{14, 0}}) {
            const Case picture =
                variety.picture(1 + variety.below(wide), 1 + variety.below(30), storage, Border::replicate);
            const int finer = storage.depth + dither_bits(storage.depth);
            const TemporalMean inner{finer, {neighbours, 0}, (1 << finer) / 2};
            ASSERT_NO_FATAL_FAILURE(expect_equals_scalar(make_dithered(inner, storage.depth),
                                                         make_window(variety, picture, neighbours + 1)));
        }
    }
}

// Planes of a picture, of which one filter looks at others and one does not.
TEST_F(CudaTime, PlanesTogether) {
    Variety variety(53);
    const Case picture = variety.picture(60, 40, {10, 6}, Border::wrap);
    const std::vector<Operation> made{make_nl_means(10, 80, 3, 3, {1, 1}), make_nl_means(10, 40, 3, 5)};
    const Window window = make_window(variety, picture, 3);
    std::vector<DevicePicture> seen;
    for (std::size_t n = 0; n < 3; ++n) {
        seen.emplace_back(picture, static_cast<unsigned>(n)).write(window.samples[n]);
        seen.back().upload(*stream_);
    }
    const NeighbourPlane neighbours[] = {{seen[1].plane().data, seen[1].plane().pitch},
                                         {seen[2].plane().data, seen[2].plane().pitch}};
    DevicePicture in_time(picture, 7);
    DevicePicture alone(picture, 8);
    in_time.upload(*stream_);
    alone.upload(*stream_);
    const PlaneJob jobs[] = {{seen[0].plane(), in_time.plane(), 0, picture.black(), neighbours},
                             {seen[0].plane(), alone.plane(), 1, picture.black()}};
    const CudaFilter cuda_filter(made, picture.border);
    EXPECT_EQ(cuda_filter.launch(jobs, *stream_), 1);
    in_time.download(*stream_);
    alone.download(*stream_);
    stream_->wait();
    EXPECT_EQ(in_time.read(), filter(made[0], window, "scalar"));
    EXPECT_EQ(alone.read(), filter(made[1], picture, window.samples[0], "scalar"));

    const PlaneJob missing[] = {{seen[0].plane(), in_time.plane(), 0, picture.black()}};
    EXPECT_THROW(cuda_filter.launch(missing, *stream_), std::invalid_argument);
}

}  // namespace
}  // namespace vfilter::test
