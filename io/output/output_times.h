#pragma once
// Timestamps as containers take them.

#include <cstdint>
#include <vector>

#include "io/handles.h"

namespace vfilter {

/// Packets of one stream of sound that lie far from their times, as these go back.
struct LatePackets {
    std::int64_t packets = 0;
    double most = 0;  ///< seconds
};

/// Moves packets to where the output begins, and lets decoding times rise, which containers demand and inputs do not
/// keep. One thread.
class OutputTimes {
public:
    /// `output` has its streams and must outlive it. `shift`, in microseconds, is subtracted from every timestamp.
    OutputTimes(const AVFormatContext& output, std::int64_t shift);
    /// Goes on in another output of the same streams, which begins anew.
    void go_on_in(const AVFormatContext& output);

    /// What is subtracted, in the clock of the stream `index` of the output.
    [[nodiscard]] std::int64_t begin(int index) const;
    /// The next packet of the stream `index` of the output, in that stream's clock.
    void mend(AVPacket& packet, int index);

    /// By stream of the output.
    [[nodiscard]] const std::vector<LatePackets>& late() const { return late_; }

private:
    void note_late(const AVPacket& packet, int index, std::int64_t by);
    void keep_duration(AVPacket& packet, int index, std::int64_t last) const;

    const AVFormatContext* output_;
    std::int64_t shift_;
    std::vector<std::int64_t> last_;  // decoding time of the latest packet, by output stream
    std::vector<LatePackets> late_;
};

}  // namespace vfilter
