#include "kernels/cuda/decimated/host.cuh"

namespace vfilter::cuda::decimated {

namespace {

template <class T, int bits>
MadeLauncher make_decimated(const std::vector<DecimatedFilter>& filters, Border border, MadeLauncher inner) {
    return std::make_unique<Decimated<T, bits>>(filters, border, std::move(inner));
}

}  // namespace

MadeLauncher make(const std::vector<DecimatedFilter>& filters, Border border, MadeLauncher inner) {
    const bool bytes = filters.front().depth == 8;
    const bool by_four = filters.front().factor() == 4;
    const auto make_own = bytes ? (by_four ? make_decimated<std::uint8_t, 2> : make_decimated<std::uint8_t, 3>)
                                : (by_four ? make_decimated<std::uint16_t, 2> : make_decimated<std::uint16_t, 3>);
    return make_own(filters, border, std::move(inner));
}

}  // namespace vfilter::cuda::decimated
