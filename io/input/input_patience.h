#pragma once
// How long an input may keep silent.

#include <chrono>
#include <cstdint>

#include "io/attended_clock.h"
#include "io/handles.h"

namespace vfilter {

/// Whether nothing has come for too long. One thread.
class InputPatience {
public:
    using Duration = AttendedClock::Clock::duration;

    /// So long; zero, as it is until then, is for ever.
    void set(Duration most) { most_ = most; }
    /// Something came, or is asked for only now.
    void hear() { heard_ = clock_.look(); }
    /// Whether it has lasted too long, or had already. `bytes` counts what comes, null where nothing does; `more` is
    /// allowed on top.
    bool is_over(const AVIOContext* bytes, Duration more);
    /// What that said last.
    [[nodiscard]] bool was_over() const { return over_; }

private:
    AttendedClock clock_;
    Duration most_{};
    Duration heard_{};  // when something came, by that clock
    std::int64_t heard_bytes_ = 0;
    bool over_ = false;
};

}  // namespace vfilter
