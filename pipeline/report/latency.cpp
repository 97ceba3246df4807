#include "pipeline/report/latency.h"

#include <algorithm>
#include <cmath>

namespace vfilter {

std::size_t LatencyHistogram::bucket_of(std::uint64_t microseconds) {
    if (microseconds < steps) {
        return static_cast<std::size_t>(microseconds);
    }
    // The highest bit is always set: half of the steps are left.
    const auto octave = static_cast<std::size_t>(std::bit_width(microseconds) - std::bit_width(steps - 1));
    const std::size_t step = static_cast<std::size_t>(microseconds >> octave) - steps / 2;
    return std::min(steps + (octave - 1) * (steps / 2) + step, steps + steps / 2 * octaves - 1);
}

std::uint64_t LatencyHistogram::end_of(std::size_t bucket) {
    if (bucket < steps) {
        return bucket + 1;
    }
    const std::size_t octave = (bucket - steps) / (steps / 2) + 1;
    const std::size_t step = (bucket - steps) % (steps / 2) + steps / 2;
    return (step + 1) << octave;
}

void LatencyHistogram::add(std::chrono::nanoseconds duration) {
    const std::int64_t nanoseconds = std::max<std::int64_t>(0, duration.count());
    buckets_[bucket_of(static_cast<std::uint64_t>(nanoseconds / 1000))].fetch_add(1, std::memory_order_relaxed);
    count_.fetch_add(1, std::memory_order_relaxed);
    if (nanoseconds > max_.load(std::memory_order_relaxed)) {
        max_.store(nanoseconds, std::memory_order_relaxed);
    }
}

double LatencyHistogram::percentile(double share) const {
    const auto wanted = static_cast<std::int64_t>(std::ceil(share * static_cast<double>(count())));
    std::int64_t seen = 0;
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
        seen += buckets_[i].load(std::memory_order_relaxed);
        if (seen >= wanted && seen > 0) {
            return std::min(static_cast<double>(end_of(i)) * 1e-3, max());
        }
    }
    return 0;
}

double LatencyHistogram::max() const {
    return static_cast<double>(max_.load(std::memory_order_relaxed)) * 1e-6;
}

}  // namespace vfilter
