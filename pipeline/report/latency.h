#pragma once
// How long pictures take from one point of their route to another.

#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdint>
#include <string_view>

namespace vfilter {

/// Durations counted in buckets no wider than 1/32 of their value, so that memory does not grow with their number. One
/// thread adds; reading is thread-safe.
class LatencyHistogram {
public:
    void add(std::chrono::nanoseconds duration);

    [[nodiscard]] std::int64_t count() const { return count_.load(std::memory_order_relaxed); }
    /// The number of milliseconds that a share (0 to 1) of all durations did not exceed, rounded up to the end of a
    /// bucket; 0 if there are none.
    [[nodiscard]] double percentile(double share) const;
    /// Milliseconds, exact.
    [[nodiscard]] double max() const;

private:
    static constexpr std::size_t steps = 64;    // of 1 us each; every further octave has half as many
    static constexpr std::size_t octaves = 34;  // up to more than a week

    static std::size_t bucket_of(std::uint64_t microseconds);
    static std::uint64_t end_of(std::size_t bucket);

    std::array<std::atomic<std::int64_t>, steps + steps / 2 * octaves> buckets_{};
    std::atomic<std::int64_t> count_{0};
    std::atomic<std::int64_t> max_{0};  // nanoseconds
};

/// The legs of a picture's route: see Stamps.
enum class Leg { decode, queue, filter, ready, show, write };

struct LegName {
    Leg leg;
    std::string_view name;
    std::string_view help;
};

inline constexpr std::array<LegName, 6> leg_names{{
    {Leg::decode, "decode", "received to decoded"},
    {Leg::queue, "queue", "decoded to where it is filtered: waiting, upload"},
    {Leg::filter, "filter", "to filtered, download"},
    {Leg::ready, "ready", "received to ready to show"},
    {Leg::show, "show", "received to shown"},
    {Leg::write, "write", "received to written"},
}};

struct Latency {
    std::array<LatencyHistogram, leg_names.size()> legs;

    LatencyHistogram& operator[](Leg leg) { return legs[static_cast<std::size_t>(leg)]; }
    const LatencyHistogram& operator[](Leg leg) const { return legs[static_cast<std::size_t>(leg)]; }
};

}  // namespace vfilter
