#pragma once
// What was measured during the last few seconds, for a text that is displayed.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

namespace vfilter {

/// Values with their arrival times; those older than `span` are forgotten, as is the oldest if there are more than
/// `capacity`. Times must not decrease. Not thread-safe.
class RecentValues {
public:
    using Time = std::chrono::steady_clock::time_point;

    explicit RecentValues(std::chrono::milliseconds span, std::size_t capacity = 1024)
        : span_(span), capacity_(capacity) {}

    void add(Time now, double value) {
        if (values_.size() == capacity_) {
            values_.pop_front();
        }
        values_.push_back({now, value});
        forget(now);
    }
    /// The smallest recent value that `percent` of the values do not exceed, 0 to 100; empty if there are none.
    std::optional<double> percentile(Time now, double percent) {
        forget(now);
        if (values_.empty()) {
            return std::nullopt;
        }
        std::vector<double> sorted;
        sorted.reserve(values_.size());
        for (const Entry& entry : values_) {
            sorted.push_back(entry.value);
        }
        // The nearest rank: always a value that was measured.
        const double rank = percent / 100 * static_cast<double>(sorted.size());
        const auto index = std::min(sorted.size() - 1, static_cast<std::size_t>(std::max(0.0, std::ceil(rank) - 1)));
        const auto at = sorted.begin() + static_cast<std::ptrdiff_t>(index);
        std::nth_element(sorted.begin(), at, sorted.end());
        return *at;
    }
    /// How many arrived per second; 0 if fewer than two did.
    double rate(Time now) {
        forget(now);
        if (values_.size() < 2) {
            return 0;
        }
        const std::chrono::duration<double> time = values_.back().time - values_.front().time;
        return time.count() > 0 ? static_cast<double>(values_.size() - 1) / time.count() : 0;
    }

private:
    struct Entry {
        Time time;
        double value;
    };

    void forget(Time now) {
        while (!values_.empty() && now - values_.front().time > span_) {
            values_.pop_front();
        }
    }

    std::chrono::milliseconds span_;
    std::size_t capacity_;
    std::deque<Entry> values_;
};

}  // namespace vfilter
