#pragma once
// Streams under the numbers and in the clocks that they had when the input was first opened.

#include <memory>
#include <vector>

#include "io/input/packet_source.h"

namespace vfilter {

/// What stays true of an input while it is closed and opened again: container, tags, and the streams with all that is
/// told of them. Throws std::bad_alloc.
DescriptionPtr describe_input(const AVFormatContext& input);

/// Adds a stream to a description, with all that is told of it. Throws std::bad_alloc.
void describe_stream(const AVStream& stream, AVFormatContext& description);

/// Finds each stream of before among those of now: the first of a type and codec stays the first. Packets of streams
/// that were not there before are left out.
class SameStreams final : public PacketLayer {
public:
    /// `before` must outlive it, and may be the inner source's own: then those that appear later are left out.
    SameStreams(std::unique_ptr<PacketSource> inner, const AVFormatContext& before);

    /// Whether a stream of before is there.
    [[nodiscard]] bool has(int stream) const;

    [[nodiscard]] const AVFormatContext& format() const override { return before_; }
    int read(AVPacket& packet) override;

private:
    const AVFormatContext& before_;
    std::vector<int> places_;  // by stream of the inner source: its number before, -1 for a stream that is new
};

}  // namespace vfilter
