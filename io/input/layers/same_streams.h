#pragma once
// Streams under the numbers and in the clocks that they had when the input was first opened.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "io/input/packet_source.h"

namespace vfilter {

/// What stays true of an input while it is closed and opened again: container, tags, and the streams with all that is
/// told of them. Throws std::bad_alloc.
DescriptionPtr describe_input(const AVFormatContext& input);

/// Adds a stream to a description, with all that is told of it. Throws std::bad_alloc.
void describe_stream(const AVStream& stream, AVFormatContext& description);

/// Which stream of before each of now is: the first of a type and codec stays the first.
class StreamPlaces {
public:
    /// `before`, of which the first `count` streams can come back, must outlive it, and may be `now` itself. Of streams
    /// that appear in `now` only later one may be of before, too, if it was `opened_again`.
    StreamPlaces(const AVFormatContext& before, unsigned count, const AVFormatContext& now, bool opened_again);

    /// The number that a stream of now had before, -1 if there was none.
    int of(const AVStream& stream);
    /// Whether a stream of before is there.
    [[nodiscard]] bool has(int stream) const;
    [[nodiscard]] const AVFormatContext& before() const { return before_; }
    /// Streams of before that can come back.
    [[nodiscard]] unsigned count() const { return count_; }
    [[nodiscard]] bool opened_again() const { return opened_again_; }

private:
    void find(const AVStream& stream);

    const AVFormatContext& before_;
    unsigned count_;
    bool opened_again_;
    std::map<int, int> places_;  // by stream of now
};

/// Gives streams the numbers and the clocks of before. Packets of those that were not there then are left out. Of an
/// input that was opened again, streams of sound and pictures that give nothing any more are told, and are damage.
class SameStreams final : public PacketLayer {
public:
    /// `wanted`: kinds of streams that are missed, of kind::. With `strict` the first of them throws Error(damaged).
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
    bool watching_;                               // for what gives nothing
    std::set<int> seen_;                          // while watching, by number of before
    std::optional<std::int64_t> first_, latest_;  // times of packets meanwhile, microseconds
    Damage damage_;
};

}  // namespace vfilter
