#pragma once
// How the kernels of the chain are prepared and launched.

#include <algorithm>
#include <limits>
#include <string>

#include "kernels/cuda/memory.h"
#include "kernels/cuda/tensor_chain.cuh"

namespace vfilter::cuda {

template <class S>
class Chain final : public CudaConvolver::Implementation {
public:
    Chain(const PlaneFilters& filters, Border border, int step)
        : multiprocessors_(attribute(cudaDevAttrMultiProcessorCount)), fragments_(make_fragments(filters, step)) {
        launch_.picture.border = border;
        for (std::size_t i = 0; i < filters.size(); ++i) {
            const TensorFilter filter = make_tensor_filter(filters[i], S::form, S::finish);
            launch_.picture.max_value = (1U << filter.depth) - 1;
            ChainFilter<S::terms>& own = launch_.filters[i];
            own.end = filter.end;
            own.reach = filter.radius_x;
            for (std::size_t term = 0; term < filter.terms.size(); ++term) {
                own.terms[term] = filter.terms[term].numbers;
            }
            for (int s = 0; s < step; ++s) {
                const std::size_t number = i * static_cast<std::size_t>(step) + static_cast<std::size_t>(s);
                own.fragments[s] = fragments_.data() + number * fragments_of_filter;
            }
        }
        // More than 48 KB have to be asked for.
        cuda_check(cudaFuncSetAttribute(filter_chain<S>, cudaFuncAttributeMaxDynamicSharedMemorySize, S::block_bytes),
                   "cudaFuncSetAttribute");
        cuda_check(
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident_, filter_chain<S>, S::threads, S::block_bytes),
            "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    }

    void launch(std::span<const PlaneJob> planes, cudaStream_t stream) const override {
        auto launch = launch_;
        const unsigned blocks = describe(launch.picture, planes, S::width, 16 * blocks_walked(planes));
        void* arguments[] = {&launch};
        cuda_check(cudaLaunchKernel(filter_chain<S>, dim3(blocks), dim3(S::threads), arguments, S::block_bytes, stream),
                   "cudaLaunchKernel");
    }

    [[nodiscard]] std::string name() const override {
        return "tensor chain, radius " + std::to_string(S::apron) + (S::terms == 1 ? "" : ", 2 terms") +
               (S::planes == 1 ? ", 8-bit taps" : "");
    }

private:
    static constexpr std::size_t fragments_of_filter = std::size_t{S::terms} * fragments_of_term<S>;

    static std::vector<uint4> make_fragments(const PlaneFilters& filters, int step) {
        std::vector<uint4> all;
        for (const PlaneFilter& made : filters) {
            const TensorFilter filter = make_tensor_filter(made, S::form, S::finish);
            for (int spacing = 1; spacing <= step; ++spacing) {
                for (int term = 0; term < S::terms; ++term) {
                    static const std::vector<std::int32_t> none{0};
                    const bool there = static_cast<std::size_t>(term) < filter.terms.size();
                    const auto& rows = there ? filter.terms[static_cast<std::size_t>(term)].rows : none;
                    const auto& columns = there ? filter.terms[static_cast<std::size_t>(term)].columns : none;
                    const TensorTerm numbers =
                        there ? filter.terms[static_cast<std::size_t>(term)].numbers : TensorTerm{};
                    const std::uint32_t start = numbers.start;
                    const auto& scale = numbers.row_scale;
                    all.push_back(make_uint4(start, start, start, start));
                    all.push_back(make_uint4(scale[0], scale[1], scale[2], numbers.row_start));
                    add(all, rows, {S::apron, spacing, 16 * S::blocks, S::order, true});
                    add(all, columns, {S::apron, 1, 16 * S::blocks, Order::halves, false});
                }
            }
        }
        return all;
    }
    static void add(std::vector<uint4>& all, const std::vector<std::int32_t>& taps, const Band& band) {
        for (int plane = 0; plane < S::planes; ++plane) {
            const auto words = band_fragments(taps, S::planes == 1 ? -1 : plane, band);
            for (std::size_t i = 0; i < words.size(); i += 4) {
                all.push_back(make_uint4(words[i], words[i + 1], words[i + 2], words[i + 3]));
            }
        }
    }

    // Blocks of 16 rows that a warp makes. Long strips repeat fewer rows of the row pass, short ones leave less to wait
    // for at the end; rounds of all blocks that there is room for ought to be full.
    [[nodiscard]] int blocks_walked(std::span<const PlaneJob> planes) const {
        constexpr int most = 24;
        constexpr int start = 1;  // of a warp, in blocks: taps, the first loads
        const std::int64_t room = std::int64_t{multiprocessors_} * resident_;
        int best = 1;
        std::int64_t least = std::numeric_limits<std::int64_t>::max();
        for (int walked = 1; walked <= most; ++walked) {
            std::int64_t blocks = 0;
            for (const PlaneJob& job : planes) {
                blocks += std::int64_t{(job.src.width * job.src.step + S::width - 1) / S::width} *
                          ((job.src.height + 16 * walked - 1) / (16 * walked));
            }
            const std::int64_t work = (blocks + room - 1) / room * (walked + S::blocks - 1 + start);
            if (work < least) {
                best = walked;
                least = work;
            }
        }
        return best;
    }

    int multiprocessors_;
    int resident_ = 1;
    DeviceArray<uint4> fragments_;
    ChainLaunch<S::terms> launch_{};
};

template <class T, int blocks, TapForm form, int terms, Finish finish>
std::unique_ptr<CudaConvolver::Implementation> make_chain(const PlaneFilters& filters, Border border, int step) {
    return std::make_unique<Chain<ChainShape<T, blocks, form, terms, finish>>>(filters, border, step);
}

template <class T, int blocks, TapForm form, int terms, Finish finish>
inline constexpr ChainKernel chain_kernel{blocks, form, terms, finish, make_chain<T, blocks, form, terms, finish>};

// Aligned ones, where there are any, come first. Magnitudes, and what else the planner leaves to CUDA cores, have none:
// the tile kernel makes them where it is asked to.
template <class T>
inline constexpr ChainKernel chain_kernels[] = {
    chain_kernel<T, 2, TapForm::exact_byte, 1, Finish::plain>, chain_kernel<T, 2, TapForm::bytes, 1, Finish::plain>,
    chain_kernel<T, 3, TapForm::byte, 1, Finish::plain>,       chain_kernel<T, 3, TapForm::bytes, 1, Finish::plain>,
    chain_kernel<T, 5, TapForm::byte, 1, Finish::plain>,       chain_kernel<T, 5, TapForm::bytes, 1, Finish::plain>,
    chain_kernel<T, 2, TapForm::bytes, 1, Finish::any_sum>,    chain_kernel<T, 3, TapForm::bytes, 1, Finish::any_sum>,
    chain_kernel<T, 5, TapForm::bytes, 1, Finish::any_sum>,    chain_kernel<T, 2, TapForm::bytes, 2, Finish::any_sum>,
};
// Other smoothings of 8 bits, few as they are, run where composites do.
template <>
inline constexpr ChainKernel chain_kernels<std::uint8_t>[] = {
    chain_kernel<std::uint8_t, 2, TapForm::exact_byte, 1, Finish::aligned>,
    chain_kernel<std::uint8_t, 2, TapForm::exact_byte, 1, Finish::plain>,
    chain_kernel<std::uint8_t, 2, TapForm::bytes, 1, Finish::aligned>,
    chain_kernel<std::uint8_t, 2, TapForm::bytes, 1, Finish::plain>,
    chain_kernel<std::uint8_t, 3, TapForm::byte, 1, Finish::plain>,
    chain_kernel<std::uint8_t, 3, TapForm::bytes, 1, Finish::aligned>,
    chain_kernel<std::uint8_t, 5, TapForm::byte, 1, Finish::plain>,
    chain_kernel<std::uint8_t, 5, TapForm::bytes, 1, Finish::aligned>,
    chain_kernel<std::uint8_t, 2, TapForm::bytes, 1, Finish::any_sum>,
    chain_kernel<std::uint8_t, 3, TapForm::bytes, 1, Finish::any_sum>,
    chain_kernel<std::uint8_t, 5, TapForm::bytes, 1, Finish::any_sum>,
    chain_kernel<std::uint8_t, 2, TapForm::bytes, 2, Finish::any_sum>,
};

}  // namespace vfilter::cuda
