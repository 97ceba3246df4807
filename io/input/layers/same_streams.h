#pragma once
// Streams with the numbers and in the clocks that they had when the input was first opened.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>

#include "io/input/layers/stream_places.h"
#include "io/input/packet_source.h"
#include "io/input/stream_watch.h"

namespace vfilter {

/// What remains true of an input while it is closed and opened again: container, tags, and the streams with all of
/// their properties. Throws std::bad_alloc.
DescriptionPtr describe_input(const AVFormatContext& input);

/// Adds a stream to a description, with all of its properties. Throws std::bad_alloc.
void describe_stream(const AVStream& stream, AVFormatContext& description);

/// Gives streams their earlier numbers and clocks. Packets of streams that did not exist then are dropped. For an input
/// that was opened again, packets of streams whose parameters have changed carry the new ones (attached_parameters()),
/// and key frames their header, as libavcodec's decoders take it; audio and video streams that deliver nothing since
/// then are reported, and count as damage.
class SameStreams final : public PacketLayer {
public:
    /// `watch` gets the silences; what it throws, read() throws.
    SameStreams(std::unique_ptr<PacketSource> inner, std::shared_ptr<StreamPlaces> places,
                std::shared_ptr<StreamWatch> watch);

    [[nodiscard]] const AVFormatContext& format() const override { return places_->before(); }
    int read(AVPacket& packet) override;

private:
    struct Change {
        BufferPtr parameters{};    // null where nothing has changed
        bool hands_header = true;  // until the demuxer gives a newer one
    };

    void tell_change(AVPacket& packet, const AVCodecParameters& now);
    void watch(const AVPacket& packet);
    void tell_missing();
    void tell(int stream, std::string_view what, Damage loss = {});
    [[nodiscard]] bool is_missed(unsigned stream) const;

    std::shared_ptr<StreamPlaces> places_;
    std::shared_ptr<StreamWatch> watch_;
    bool watching_;                               // for streams that deliver nothing
    std::map<int, Change> changes_;               // by earlier number
    std::set<int> seen_;                          // while watching, by earlier number
    std::set<int> missing_;                       // those that were told
    std::optional<std::int64_t> first_, latest_;  // times of packets in the meantime, microseconds
};

}  // namespace vfilter
