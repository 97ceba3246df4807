#pragma once
// What a run leaves out because something else is slower, and where.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace vfilter {

enum class Drop {
    undecoded,   ///< packets of the video that waited for the decoder, or in a pipe, when newer ones arrived
    overtaken,   ///< pictures that waited for the filter when newer ones arrived
    shed,        ///< to keep within --max-latency
    unrecorded,  ///< filtered, but the encoder's queue was full
    unseen,      ///< filtered, but the window was not ready for them
};

struct DropName {
    Drop drop;
    std::string_view name;  ///< in the report
    std::string_view help;  ///< for display
};

inline constexpr std::array<DropName, 5> drop_names{{
    {Drop::undecoded, "undecoded", "not decoded, as newer ones had come"},
    {Drop::overtaken, "overtaken", "overtaken before the filter"},
    {Drop::shed, "shed", "too late for --max-latency"},
    {Drop::unrecorded, "unrecorded", "filtered but not recorded, as too many waited for the encoder"},
    {Drop::unseen, "unseen", "not shown"},
}};

struct Drops {
    std::array<std::int64_t, drop_names.size()> counts{};

    std::int64_t& operator[](Drop drop) { return counts[static_cast<std::size_t>(drop)]; }
    std::int64_t operator[](Drop drop) const { return counts[static_cast<std::size_t>(drop)]; }

    /// Of the decoded pictures, those that are in no recording.
    [[nodiscard]] std::int64_t decoded() const {
        return (*this)[Drop::overtaken] + (*this)[Drop::shed] + (*this)[Drop::unrecorded];
    }
    /// Of everything received, what was not filtered or not recorded.
    [[nodiscard]] std::int64_t total() const { return (*this)[Drop::undecoded] + decoded(); }
};

/// Counts during the run. Thread-safe.
class DropCounters {
public:
    void count(Drop drop) { counts_[static_cast<std::size_t>(drop)].fetch_add(1, std::memory_order_relaxed); }
    [[nodiscard]] Drops so_far() const {
        Drops drops;
        for (std::size_t i = 0; i < counts_.size(); ++i) {
            drops.counts[i] = counts_[i].load(std::memory_order_relaxed);
        }
        return drops;
    }

private:
    std::array<std::atomic<std::int64_t>, drop_names.size()> counts_{};
};

}  // namespace vfilter
