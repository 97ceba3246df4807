#pragma once
// Packets of copied streams which the header that is written does not describe.

#include <set>
#include <string_view>

#include "io/damage.h"
#include "io/handles.h"
#include "io/input/demuxer.h"

namespace vfilter {

/// For one output. Not thread-safe.
class LeftOutCopies {
public:
    /// `input` must outlive it.
    explicit LeftOutCopies(const Demuxer& input) : input_(input) {}

    /// Counts a packet of `from` as left out and tells, once for a stream, from where on that is so, and why: `what`, a
    /// phrase. Throws Error(damaged) if the first damage is to end the run.
    void add(const AVPacket& packet, const AVStream& from, std::string_view what);
    [[nodiscard]] const Damage& damage() const { return damage_; }

private:
    const Demuxer& input_;
    std::set<int> told_;
    Damage damage_;
};

}  // namespace vfilter
