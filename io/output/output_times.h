#pragma once
// Timestamps in the form that containers accept.

#include <cstdint>
#include <vector>

#include "io/handles.h"

namespace vfilter {

/// Packets of one audio stream that are far from their times, because these go back.
struct LatePackets {
    std::int64_t packets = 0;
    double most = 0;  ///< seconds
};

/// Moves packets to where the output begins, and makes decoding times increase, which containers require and inputs do
/// not guarantee. One thread.
class OutputTimes {
public:
    /// `output` must have its streams and outlive it. `shift`, in microseconds, is subtracted from every timestamp.
    OutputTimes(const AVFormatContext& output, std::int64_t shift);
    /// Continues in another output with the same streams, which starts anew.
    void go_on_in(const AVFormatContext& output);

    /// What is subtracted, in the clock of output stream `index`.
    [[nodiscard]] std::int64_t begin(int index) const;
    /// The next packet of output stream `index`, in that stream's clock.
    void mend(AVPacket& packet, int index);

    /// By output stream.
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
