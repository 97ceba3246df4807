#include "kernels/cpu/rank_histogram.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace vfilter::simd {

namespace {

/// Of the samples in one window.
class Histogram {
public:
    explicit Histogram(int depth)
        : coarse_bits_(depth / 2), bins_(std::size_t{1} << depth), groups_(std::size_t{1} << (depth - coarse_bits_)) {}

    void clear() {
        std::ranges::fill(bins_, std::uint16_t{0});
        std::ranges::fill(groups_, std::uint16_t{0});
        at_ = 0;
        below_ = 0;
    }
    void add(int sample) { count(sample, 1); }
    void remove(int sample) { count(sample, -1); }
    /// The sample of that rank, of those that are there.
    int find(int rank) {
        const int group = 1 << coarse_bits_;
        while (below_ > rank) {
            if ((at_ & (group - 1)) == 0 && below_ - in_group(at_ - 1) > rank) {
                below_ -= in_group(at_ - 1);
                at_ -= group;
            } else {
                below_ -= bins_[static_cast<std::size_t>(--at_)];
            }
        }
        while (below_ + bins_[static_cast<std::size_t>(at_)] <= rank) {
            if ((at_ & (group - 1)) == 0 && below_ + in_group(at_) <= rank) {
                below_ += in_group(at_);
                at_ += group;
            } else {
                below_ += bins_[static_cast<std::size_t>(at_++)];
            }
        }
        return at_;
    }

private:
    void count(int sample, int change) {
        const auto add_to = [change](std::uint16_t& bin) { bin = static_cast<std::uint16_t>(bin + change); };
        add_to(bins_[static_cast<std::size_t>(sample)]);
        add_to(groups_[static_cast<std::size_t>(sample >> coarse_bits_)]);
        below_ += sample < at_ ? change : 0;
    }
    [[nodiscard]] int in_group(int sample) const { return groups_[static_cast<std::size_t>(sample >> coarse_bits_)]; }

    int coarse_bits_;
    std::vector<std::uint16_t> bins_;
    std::vector<std::uint16_t> groups_;  ///< the same of 2^coarse_bits_ bins each
    int at_ = 0;                         ///< where the last one was found
    int below_ = 0;                      ///< samples below that
};

}  // namespace

template <class T>
void filter_by_histogram(const MedianFilter& median, const Band<T>& band) {
    const PlaneView<const T>& src = band.src;
    const int radius = median.radius_x;
    const auto height = static_cast<std::size_t>(median.height());
    Histogram histogram(band.depth);
    std::vector<int> places;  // of the columns, from `radius` before the picture on; -1 for the constant
    for (int x = -radius; x < src.width + radius; ++x) {
        places.push_back(border_index(x, src.width, band.border));
    }
    std::vector<const T*> rows(height);
    for (int y = band.first; y < band.last; ++y) {
        for (std::size_t j = 0; j < height; ++j) {
            const int row = border_index(y + static_cast<int>(j) - median.radius_y, src.height, band.border);
            rows[j] = row < 0 ? nullptr : src.row(row);
        }
        for (int component = 0; component < src.step; ++component) {
            const auto each = [&](int column, const auto& visit) {
                const int place = places[static_cast<std::size_t>(column)];
                for (const T* const row : rows) {
                    visit(row == nullptr || place < 0
                              ? band.black
                              : (row[place * src.step + component] >> src.lsb) & band.max_value());
                }
            };
            histogram.clear();
            for (int i = 0; i < 2 * radius; ++i) {
                each(i, [&](int sample) { histogram.add(sample); });
            }
            T* const to = band.dst.row(y) + component;
            for (int x = 0; x < src.width; ++x) {
                each(x + 2 * radius, [&](int sample) { histogram.add(sample); });
                to[x * src.step] = static_cast<T>(histogram.find(median.rank()) << band.dst.lsb);
                each(x, [&](int sample) { histogram.remove(sample); });
            }
        }
    }
}

template void filter_by_histogram(const MedianFilter&, const Band<std::uint8_t>&);
template void filter_by_histogram(const MedianFilter&, const Band<std::uint16_t>&);

}  // namespace vfilter::simd
