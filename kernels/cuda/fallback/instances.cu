#include "kernels/cuda/fallback/host.cuh"

namespace vfilter::cuda::fallback {

namespace {

template <class T, class Sum>
MadeLauncher make_fallback(const std::vector<LinearFilter>& filters, Border border) {
    const Uploads uploads(filters);
    const auto max_value = static_cast<unsigned>(filters.front().max_value());
    if (uploads.max_taps() <= NearTile::max_taps) {
        return std::make_unique<Fallback<T, Sum, NearTile>>(uploads, max_value, border);
    }
    return std::make_unique<Fallback<T, Sum, FarTile>>(uploads, max_value, border);
}

}  // namespace

MadeLauncher make(const std::vector<LinearFilter>& filters, Border border) {
    const bool bytes = filters.front().depth == 8;
    const bool narrow =
        std::ranges::all_of(filters, [](const LinearFilter& filter) { return filter.arithmetic == Arithmetic::int16; });
    const auto make_own =
        narrow ? (bytes ? make_fallback<std::uint8_t, std::uint32_t> : make_fallback<std::uint16_t, std::uint32_t>)
               : (bytes ? make_fallback<std::uint8_t, std::uint64_t> : make_fallback<std::uint16_t, std::uint64_t>);
    return make_own(filters, border);
}

}  // namespace vfilter::cuda::fallback
