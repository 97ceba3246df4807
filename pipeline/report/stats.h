#pragma once
// How each stage spent its time. Written by the stages, readable by any thread at any time.

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "pipeline/report/latency.h"

namespace vfilter {

enum class StageId { read, decode, filter, encode, write, sound };
inline constexpr std::array<std::string_view, 6> stage_names{"read", "decode", "filter", "encode", "write", "sound"};

inline std::string_view name_of(StageId id) {
    return stage_names[static_cast<std::size_t>(id)];
}
/// "filter"; for the second video "filter of video 2"; "sound 2" for the second audio stream. `number` counts from 0.
std::string name_of(StageId id, std::size_t number);

enum class Activity { working, waiting_for_input, waiting_for_output };
inline constexpr std::array<std::string_view, 3> activity_names{"working", "waiting for input", "waiting for output"};

/// Counters of one stage. One thread writes; reading is thread-safe.
class StageStats {
public:
    using Clock = std::chrono::steady_clock;

    /// Called by the stage's thread: what it does from now on; the time until now counts as what it did before.
    void enter(Activity activity) {
        const Clock::time_point now = Clock::now();
        const auto was = static_cast<std::size_t>(activity_.load(std::memory_order_relaxed));
        nanoseconds_[was].fetch_add((now - since_).count(), std::memory_order_relaxed);
        since_ = now;
        activity_.store(activity, std::memory_order_relaxed);
        beats_.fetch_add(1, std::memory_order_relaxed);
    }
    void start() { since_ = Clock::now(); }
    void count(std::int64_t items = 1) {
        items_.fetch_add(items, std::memory_order_relaxed);
        beats_.fetch_add(1, std::memory_order_relaxed);
    }
    /// It works on the same thing as before, and has not hung. Any thread.
    void beat() { beats_.fetch_add(1, std::memory_order_relaxed); }
    /// Increases with everything that the stage does.
    [[nodiscard]] std::int64_t beats() const { return beats_.load(std::memory_order_relaxed); }

    [[nodiscard]] std::int64_t items() const { return items_.load(std::memory_order_relaxed); }
    [[nodiscard]] Activity activity() const { return activity_.load(std::memory_order_relaxed); }
    [[nodiscard]] double seconds(Activity activity) const {
        return 1e-9 *
               static_cast<double>(nanoseconds_[static_cast<std::size_t>(activity)].load(std::memory_order_relaxed));
    }

private:
    Clock::time_point since_;  // when the current activity began
    std::atomic<Activity> activity_{Activity::working};
    std::array<std::atomic<std::int64_t>, 3> nanoseconds_{};
    std::atomic<std::int64_t> items_{0};
    std::atomic<std::int64_t> beats_{0};
};

/// A thread of the chain other than the filter stage: a graph of --vf, or the filters that run before one.
struct StepStats {
    std::string name;                    ///< "vf 1", "filter 1"
    std::string graph;                   ///< "" for filters
    std::size_t video = 0;               ///< whose chain it is in
    StageStats stage;                    ///< its items are the pictures that came out
    std::atomic<std::int64_t> taken{0};  ///< pictures that went in; only for a graph
    int lane = 0;                        ///< in the trace
};

struct Stats {
    std::array<StageStats, stage_names.size()> stages;  ///< for the first video, and for what all have in common
    Latency latency;                                    ///< for the first video
    std::deque<std::array<StageStats, stage_names.size()>>
        others;                   ///< decode, filter and encode of further videos, and of sound
    std::deque<StepStats> steps;  ///< of all videos, in the order of their chains

    /// Call before anybody reads: makes room for that many filtered videos, or re-encoded audio streams.
    void set_videos(std::size_t count) { others.resize(count > 0 ? count - 1 : 0); }
    StageStats& of(StageId id, std::size_t video) {
        return video == 0 ? stages[static_cast<std::size_t>(id)] : others[video - 1][static_cast<std::size_t>(id)];
    }
    /// Calls `look(id, name, stage)` for each stage of each video, videos within stages; steps have no id.
    template <class Look>
    void for_each(Look look) const {
        for (std::size_t i = 0; i < stages.size(); ++i) {
            const auto id = static_cast<StageId>(i);
            look(std::optional(id), name_of(id, 0), stages[i]);
            for (std::size_t video = 0; video < others.size(); ++video) {
                look(std::optional(id), name_of(id, video + 1), others[video][i]);
            }
            for (const StepStats& step : steps) {
                if (id == StageId::decode) {
                    look(std::optional<StageId>(), step.name, step.stage);
                }
            }
        }
    }
    /// For all videos together.
    [[nodiscard]] std::int64_t items(StageId id) const;

    StageStats& operator[](StageId id) { return stages[static_cast<std::size_t>(id)]; }
    const StageStats& operator[](StageId id) const { return stages[static_cast<std::size_t>(id)]; }
    /// By how many pictures the graphs of all videos returned more than they received.
    [[nodiscard]] std::int64_t added() const;
    /// The stage of the first video that was busy longest: the others waited for it.
    [[nodiscard]] std::string_view bound() const;
};

}  // namespace vfilter
