#pragma once
// Which streams of an input a run has a use for.

#include <mutex>
#include <set>

#include "io/damage.h"
#include "io/handles.h"

namespace vfilter {

/// What to do about a stream that is lost on the way, or of which something is left out. Thread-safe.
class StreamWatch {
public:
    /// `kinds` of streams that the run uses, of kind::. With `strict` the first loss ends it.
    StreamWatch(unsigned kinds, bool strict) : kinds_(kinds), strict_(strict) {}

    /// The output has no place for this stream.
    void ignore(int stream);
    /// Whether the run uses a stream, which has the number `place` in the input, or -1 if it has none there.
    [[nodiscard]] bool has_use_for(const AVStream& stream, int place) const;
    /// Warns and notes `what`, a phrase. Throws Error(damaged) if the first loss is to end the run.
    void tell(std::string what, Damage& damage) const;
    /// The same without a warning: for files, whose notes are told at the end.
    void note(std::string what, Damage& damage) const;

private:
    unsigned kinds_;
    bool strict_;
    mutable std::mutex mutex_;
    std::set<int> ignored_;
};

}  // namespace vfilter
