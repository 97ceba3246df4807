#pragma once
// Losses of whole streams of an input, and which of them matter.

#include <map>
#include <mutex>
#include <set>

#include "io/damage.h"
#include "io/handles.h"

namespace vfilter {

/// Collects what is lost of streams: they fall silent, or what comes is left out. An input is read ahead before its
/// output is made: what is lost until then waits for settle(). Thread-safe.
class StreamWatch {
public:
    /// `kinds` of streams that the run uses, of kind::. With `strict` the first loss ends it. `aloud`: each is told at
    /// once, as that of a live input.
    StreamWatch(unsigned kinds, bool strict, bool aloud) : kinds_(kinds), strict_(strict), aloud_(aloud) {}

    /// Whether the run uses streams of this kind.
    [[nodiscard]] bool wants(const AVStream& stream) const;
    /// A loss of a stream by its number in the input, or -1 if it has none there; Throws
    /// Error(damaged) if the first loss is to end the run.
    void add(int stream, const Damage& loss);
    /// From now on, and for what was lost until now, only streams matter that are not among the `unused`, for which the
    /// output has no place. Throws as add() does.
    void settle(std::set<int> unused);
    /// What has been lost since the last call, as far as it matters.
    Damage take();
    /// The input is read from another position.
    void forget();

private:
    void report(const Damage& loss);

    unsigned kinds_;
    bool strict_;
    bool aloud_;
    std::mutex mutex_;
    bool settled_ = false;
    std::set<int> unused_;
    std::map<int, Damage> early_;  // before settle(), by stream
    Damage damage_;
};

}  // namespace vfilter
