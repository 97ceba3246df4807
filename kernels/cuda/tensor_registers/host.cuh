#pragma once
// How the kernels are prepared and launched.

#include <algorithm>
#include <iterator>
#include <limits>
#include <span>
#include <string>

#include "kernels/cuda/check.h"
#include "kernels/cuda/memory.h"
#include "kernels/cuda/tensor_registers/host.h"
#include "kernels/cuda/tensor_registers/kernel.cuh"

namespace vfilter::cuda::tensor_registers {

template <class S>
class Registers final : public Launcher {
public:
    Registers(const std::vector<LinearFilter>& filters, Border border, int step)
        : multiprocessors_(device_attribute(cudaDevAttrMultiProcessorCount)),
          fragments_(make_fragments(filters, step)) {
        launch_.picture.border = border;
        for (std::size_t i = 0; i < filters.size(); ++i) {
            const TensorFilter filter = tensor::make_filter(filters[i], S::form, S::finish);
            launch_.picture.max_value = (1U << filter.depth) - 1;
            FilterParams<S::terms>& own = launch_.filters[i];
            own.finish = filter.finish;
            for (std::size_t term = 0; term < filter.terms.size(); ++term) {
                own.terms[term] = filter.terms[term].numbers;
            }
            for (int s = 0; s < step; ++s) {
                const std::size_t number = i * static_cast<std::size_t>(step) + static_cast<std::size_t>(s);
                own.fragments[s] = fragments_.data() + number * fragments_of_filter;
            }
        }
        // More than 48 KB have to be asked for.
        cuda_check(cudaFuncSetAttribute(filter_strips<S>, cudaFuncAttributeMaxDynamicSharedMemorySize, S::block_bytes),
                   "cudaFuncSetAttribute");
        cuda_check(
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident_, filter_strips<S>, S::threads, S::block_bytes),
            "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
        cudaFuncAttributes attributes{};
        cuda_check(cudaFuncGetAttributes(&attributes, filter_strips<S>), "cudaFuncGetAttributes");
        of_9_0_ = attributes.ptxVersion >= 90;
    }

    void launch(std::span<const PlaneJob> planes, cudaStream_t stream) const override {
        auto launch = launch_;
        launch.stack = stack_of(planes);
        if (!divides(launch.stack, planes.front().src)) {
            launch.stack = {};
        }
        const auto described = planes.first(launch.stack.pictures > 1 ? 1 : planes.size());
        describe_planes(launch.picture, described, S::width);
        const unsigned blocks = cut(launch, described);
        launch.tma = of_9_0_ && make_tensor_maps(launch.tensor_maps, described, launch.stack,
                                                 {S::bytes, S::pitch / S::bytes, S::slot_rows});
        cudaLaunchConfig_t config{};
        config.gridDim = dim3(blocks);
        config.blockDim = dim3(S::threads);
        config.dynamicSmemBytes = S::block_bytes;
        config.stream = stream;
        cudaLaunchAttribute begin_early{};
        begin_early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        begin_early.val.programmaticStreamSerializationAllowed = 1;
        config.attrs = &begin_early;
        config.numAttrs = of_9_0_ ? 1 : 0;
        cuda_check(cudaLaunchKernelEx(&config, filter_strips<S>, launch), "cudaLaunchKernelEx");
    }

    [[nodiscard]] std::string name() const override {
        return "tensor chain, radius " + std::to_string(S::halo) +
               (S::down == S::blocks ? "" : " by " + std::to_string(S::halo_down)) +
               (S::terms == 1 ? "" : ", 2 terms") + (S::planes == 1 ? ", 8-bit taps" : "");
    }

private:
    static constexpr std::size_t fragments_of_filter = std::size_t{S::terms} * fragments_of_term<S>;

    static std::vector<uint4> make_fragments(const std::vector<LinearFilter>& filters, int step) {
        std::vector<uint4> all;
        for (const LinearFilter& given : filters) {
            const TensorFilter filter = tensor::make_filter(given, S::form, S::finish);
            for (int spacing = 1; spacing <= step; ++spacing) {
                for (int term = 0; term < S::terms; ++term) {
                    static constexpr std::int32_t none[] = {0};
                    const bool there = static_cast<std::size_t>(term) < filter.terms.size();
                    std::span<const std::int32_t> rows = none;
                    std::span<const std::int32_t> columns = none;
                    if (there) {
                        rows = filter.terms[static_cast<std::size_t>(term)].rows;
                        columns = filter.terms[static_cast<std::size_t>(term)].columns;
                    }
                    const TermNumbers numbers =
                        there ? filter.terms[static_cast<std::size_t>(term)].numbers : TermNumbers{};
                    const std::uint32_t start = numbers.start;
                    const auto& scale = numbers.row_scale;
                    all.push_back(make_uint4(start, start, start, start));
                    all.push_back(make_uint4(scale[0], scale[1], scale[2], numbers.row_start));
                    add(all, rows, {S::halo, spacing, 16 * S::blocks, S::order, true});
                    add(all, columns, {S::halo_down, 1, 16 * S::down, Order::halves, false});
                }
            }
        }
        return all;
    }
    static void add(std::vector<uint4>& all, std::span<const std::int32_t> taps, const Band& band) {
        for (int plane = 0; plane < S::planes; ++plane) {
            const auto words = tensor::band_fragments(taps, S::planes == 1 ? -1 : plane, band);
            for (std::size_t i = 0; i < words.size(); i += 4) {
                all.push_back(make_uint4(words[i], words[i + 1], words[i + 2], words[i + 3]));
            }
        }
    }

    // Whether a block finds its picture by a product, see PlaneParams::inverse, however its planes are cut.
    static bool divides(const Stack& stack, const DevicePlane& plane) {
        const auto strips = std::int64_t{ceil_div(plane.width * plane.step, S::width)} * ceil_div(plane.height, 16);
        return stack.pictures * strips * strips < std::int64_t{1} << 32;
    }

    // Cuts planes into strips; returns how many. Each strip takes `down` - 1 blocks of 16 rows besides its own to
    // begin, so few planes are cut into as many as there is room for at once, and no more. Many are cut into tall ones
    // and, for what is left when the first multiprocessors have no more of those, into short ones.
    [[nodiscard]] unsigned cut(Launch<S::terms>& launch, std::span<const PlaneJob> planes) const {
        // In blocks of 16 rows.
        constexpr int shortest = 6;
        constexpr int tall_at_least = 16;
        constexpr int tallest = 30;
        const int room = multiprocessors_ * resident_;
        const auto columns = [&](std::size_t i) { return launch.picture.planes[i].tiles_x; };
        const auto strips = [&](int blocks) {
            int all = 0;
            for (std::size_t i = 0; i < planes.size(); ++i) {
                all += columns(i) * (ceil_div(planes[i].src.height, 16 * blocks));
            }
            return all * launch.stack.pictures;
        };
        int tall = 1;
        while (tall < 2 * shortest && strips(tall) > room) {
            ++tall;
        }
        const bool at_once = strips(tall) <= room;
        if (!at_once) {
            tall = std::clamp(strips(1) / (2 * room), tall_at_least, tallest);
        }
        const int rows_of[] = {16 * tall, 16 * shortest};
        int blocks = 0;
        std::size_t parts = 0;
        const auto add = [&](std::size_t plane, int top, int bottom, int rows) {
            if (top < bottom) {
                const int strips_of_picture = columns(plane) * ceil_div(bottom - top, rows);
                launch.first_blocks[parts] = blocks;
                launch.parts[parts++] = {blocks,
                                         static_cast<int>(plane),
                                         top,
                                         bottom,
                                         rows,
                                         columns(plane),
                                         launch.picture.planes[plane].inverse,
                                         planes[plane].src.height,
                                         strips_of_picture,
                                         inverse_of(strips_of_picture)};
                blocks += strips_of_picture * launch.stack.pictures;
            }
        };
        const auto tall_rows = [&](std::size_t i) {
            const int height = planes[i].src.height;
            return at_once ? height : height * 4 / 5 / rows_of[0] * rows_of[0];
        };
        for (std::size_t i = 0; i < planes.size(); ++i) {
            add(i, 0, tall_rows(i), rows_of[0]);
        }
        for (std::size_t i = 0; i < planes.size(); ++i) {
            add(i, tall_rows(i), planes[i].src.height, rows_of[1]);
        }
        std::fill(launch.first_blocks + parts, std::end(launch.first_blocks), std::numeric_limits<int>::max());
        return static_cast<unsigned>(blocks);
    }

    int multiprocessors_;
    int resident_ = 1;
    // The kernel was made for compute capability 9.0: it loads TMA boxes, and launches depend programmatically.
    bool of_9_0_ = false;
    DeviceArray<uint4> fragments_;
    Launch<S::terms> launch_{};
};

template <class T, int blocks, int down, TapForm form, int terms, FinishKind finish>
MadeLauncher make_registers(const std::vector<LinearFilter>& filters, Border border, int step) {
    return std::make_unique<Registers<Shape<T, blocks, down, form, terms, finish>>>(filters, border, step);
}

template <class T, int blocks, TapForm form, int terms, FinishKind finish, int down = blocks>
inline constexpr Instance instance{blocks, down,   form,
                                   terms,  finish, make_registers<T, blocks, down, form, terms, finish>};

}  // namespace vfilter::cuda::tensor_registers
