#include <algorithm>
#include <limits>
#include <string>

#include "kernels/cuda/bilateral/host.h"
#include "kernels/cuda/bilateral/samples.cuh"
#include "kernels/cuda/bilateral/words.cuh"
#include "kernels/cuda/check.h"

namespace vfilter::cuda::bilateral {

namespace {

unsigned word_of(int first, int second, int third, int fourth) {
    return static_cast<unsigned>(first | second << 8 | third << 16 | fourth << 24);
}

template <class Launch>
void launch_kernel(void (*kernel)(Launch), Launch& launch, unsigned blocks, int threads, cudaStream_t stream) {
    void* arguments[] = {&launch};
    cuda_check(cudaLaunchKernel(kernel, dim3(blocks), dim3(static_cast<unsigned>(threads)), arguments, 0, stream),
               "cudaLaunchKernel");
}

template <class Words>
class ByWords final : public Launcher {
public:
    ByWords(const std::vector<Bilateral>& filters, Border border, Words (*words_of)(const Bilateral&)) {
        launch_.picture.border = border;
        launch_.picture.max_value = static_cast<unsigned>(filters.front().max_value());
        for (std::size_t i = 0; i < filters.size(); ++i) {
            launch_.words[i] = words_of(filters[i]);
            launch_.own_reach[i] = static_cast<unsigned>(filters[i].reach(0, 0));
        }
    }
    void launch(std::span<const PlaneJob> planes, cudaStream_t stream) const override {
        WordLaunch<Words> launch = launch_;
        const unsigned blocks = describe(launch.picture, planes, word_columns, word_rows);
        launch_kernel(average_words<Words>, launch, blocks, word_threads, stream);
    }
    [[nodiscard]] std::string name() const override {
        return "bilateral, words, radius " + std::to_string(Words::radius);
    }

private:
    WordLaunch<Words> launch_{};
};

class BySamples final : public Launcher {
public:
    BySamples(const std::vector<Bilateral>& filters, Border border) {
        launch_.picture.border = border;
        launch_.picture.max_value = static_cast<unsigned>(filters.front().max_value());
        std::ranges::copy(filters, launch_.filters);
        kernel_ = filters.front().depth == 8 ? average_samples<std::uint8_t> : average_samples<std::uint16_t>;
    }
    void launch(std::span<const PlaneJob> planes, cudaStream_t stream) const override {
        SampleLaunch launch = launch_;
        describe_planes(launch.picture, planes, sample_columns);
        std::ranges::fill(launch.picture.first_blocks, std::numeric_limits<int>::max());
        int blocks = 0;
        for (std::size_t i = 0; i < planes.size(); ++i) {
            // The components of interleaved ones are filtered apart.
            PlaneParams& plane = launch.picture.planes[i];
            plane.tiles_x = ceil_div(plane.width, sample_columns) * plane.step;
            plane.first_block = blocks;
            launch.picture.first_blocks[i] = blocks;
            blocks += plane.tiles_x * ceil_div(plane.height, sample_rows);
        }
        launch_kernel(kernel_, launch, static_cast<unsigned>(blocks), sample_threads, stream);
    }
    [[nodiscard]] std::string name() const override { return "bilateral"; }

private:
    void (*kernel_)(SampleLaunch) = nullptr;
    SampleLaunch launch_{};
};

}  // namespace

SmallWords small_words(const Bilateral& filter) {
    const auto at = [&](int i, int j) { return filter.reach(i, j); };
    return {.row = word_of(at(-2, 0), at(-1, 0), at(1, 0), at(2, 0)),
            .diagonal = word_of(at(-1, -1), at(1, -1), at(-1, 1), at(1, 1)),
            .column = word_of(at(0, -2), at(0, -1), at(0, 1), at(0, 2))};
}

LargeWords large_words(const Bilateral& filter) {
    const auto at = [&](int i, int j) { return filter.reach(i, j); };
    LargeWords words{};
    for (int j = 0; j <= 2; ++j) {
        words.left[j] = word_of(at(-4, j), at(-3, j), at(-2, j), at(-1, j));
        words.right[j] = word_of(at(1, j), at(2, j), at(3, j), at(4, j));
    }
    words.third = word_of(at(-2, 3), at(-1, 3), at(1, 3), at(2, 3));
    words.above = word_of(at(0, -4), at(0, -3), at(0, -2), at(0, -1));
    words.below = word_of(at(0, 1), at(0, 2), at(0, 3), at(0, 4));
    return words;
}

Way way_of(const Bilateral& filter) {
    int farthest = 0;  // squared
    for (int j = 0; j <= filter.radius_y; ++j) {
        for (int i = 0; i <= filter.radius_x; ++i) {
            farthest = std::max(farthest, filter.reach(i, j) > 0 ? i * i + j * j : 0);
        }
    }
    const auto within = [&](int radius) { return farthest <= radius * radius; };
    if (filter.depth != 8 || filter.coarse != 0 || !within(LargeWords::radius)) {
        return Way::samples;
    }
    return within(SmallWords::radius) ? Way::small_words : Way::large_words;
}

MadeLauncher make(const std::vector<Bilateral>& filters, Border border, Way way) {
    switch (way) {
        case Way::small_words:
            return std::make_unique<ByWords<SmallWords>>(filters, border, small_words);
        case Way::large_words:
            return std::make_unique<ByWords<LargeWords>>(filters, border, large_words);
        case Way::samples:
            break;
    }
    return std::make_unique<BySamples>(filters, border);
}

}  // namespace vfilter::cuda::bilateral
