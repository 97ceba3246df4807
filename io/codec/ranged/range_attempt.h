#pragma once
// The first try at a range.

#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "io/codec/ranged/range_queue.h"

namespace vfilter {

/// Sorts what a session makes of a range: hands the range's pictures on in their order, leaves out those that are
/// another one's, and finds out what is in doubt. The session's thread alone; it may wait for room. What returns a text
/// says why the range has to be decoded again, "" if it has not; once it has, the attempt is over. Of a range whose
/// packets are gone that is not possible: damage stays as it comes then, once that was said in the log.
class RangeAttempt {
public:
    /// Both must outlive the attempt, which is made `made`.
    RangeAttempt(RangeQueue& queue, PacketRange& range, Made made, AVCodecID codec);

    [[nodiscard]] PacketRange& range() const { return range_; }
    [[nodiscard]] Made made() const { return made_; }

    /// The session gets that packet next.
    [[nodiscard]] std::string sends(const AVPacket& packet);
    /// A picture that came of it.
    [[nodiscard]] std::string take(DecodedPicture next);
    /// What it said without one.
    [[nodiscard]] std::string hear(DecodedPicture next);
    /// No more comes. `why`: what else is the matter, if anything.
    [[nodiscard]] std::string end(std::string why = "");

private:
    [[nodiscard]] bool lets_pass(const std::string& why);
    [[nodiscard]] std::string fault_of(const DecodedPicture& next);
    [[nodiscard]] std::string count() const;
    void keep(DecodedPicture next);
    void release(bool all);

    RangeQueue& queue_;
    PacketRange& range_;
    Made made_;
    std::int64_t pictures_ = 0;           // kept
    std::int64_t last_ = AV_NOPTS_VALUE;  // pts of the last one
    bool settled_;                        // what is said is about pictures that are kept
    std::string early_;                   // what was said before
    bool as_it_comes_ = false;            // whatever it is, as packets are gone
    // The latest pts among packets before one, by its pts; and pictures that wait until all before theirs have come, as
    // a damaged picture is known by what is told with it, after those that lean on it.
    std::map<std::int64_t, std::int64_t> latest_before_;
    std::int64_t latest_sent_ = AV_NOPTS_VALUE;
    std::deque<DecodedPicture> held_;
};

}  // namespace vfilter
