#pragma once
// Streams with the numbers and in the clocks that they had when the input was first opened.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "io/input/packet_source.h"

namespace vfilter {

/// What remains true of an input while it is closed and opened again: container, tags, and the streams with all of
/// their properties. Throws std::bad_alloc.
DescriptionPtr describe_input(const AVFormatContext& input);

/// Adds a stream to a description, with all of its properties. Throws std::bad_alloc.
void describe_stream(const AVStream& stream, AVFormatContext& description);

/// Maps the current streams to the earlier ones: the first of a type and codec stays the first.
class StreamPlaces {
public:
    /// `before`, whose first `count` streams can come back, must outlive it, and may be `now` itself. Streams that
    /// appear in `now` only later can be earlier ones, too, if it was `opened_again`.
    StreamPlaces(const AVFormatContext& before, unsigned count, const AVFormatContext& now, bool opened_again);

    /// The earlier number of a current stream, -1 if there was none.
    int of(const AVStream& stream);
    /// Whether an earlier stream is present.
    [[nodiscard]] bool has(int stream) const;
    [[nodiscard]] const AVFormatContext& before() const { return before_; }
    /// The number of earlier streams that can come back.
    [[nodiscard]] unsigned count() const { return count_; }
    [[nodiscard]] bool opened_again() const { return opened_again_; }

private:
    void find(const AVStream& stream);

    const AVFormatContext& before_;
    unsigned count_;
    bool opened_again_;
    std::map<int, int> places_;  // by current stream
};

/// Gives streams their earlier numbers and clocks. Packets of streams that did not exist then are dropped. For an input
/// that was opened again, audio and video streams that no longer deliver anything are reported, and count as damage.
class SameStreams final : public PacketLayer {
public:
    /// `wanted`: kinds of streams whose absence matters, of kind::. With `strict` the first of them throws
    /// Error(damaged).
    SameStreams(std::unique_ptr<PacketSource> inner, std::shared_ptr<StreamPlaces> places, unsigned wanted,
                bool strict);

    [[nodiscard]] const AVFormatContext& format() const override { return places_->before(); }
    int read(AVPacket& packet) override;
    Damage take_damage() override;

private:
    void watch(const AVPacket& packet);
    void tell_missing();
    [[nodiscard]] bool is_missed(unsigned stream) const;

    std::shared_ptr<StreamPlaces> places_;
    unsigned wanted_;
    bool strict_;
    bool watching_;                               // for streams that deliver nothing
    std::set<int> seen_;                          // while watching, by earlier number
    std::optional<std::int64_t> first_, latest_;  // times of packets in the meantime, microseconds
    Damage damage_;
};

}  // namespace vfilter
