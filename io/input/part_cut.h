#pragma once
// Which packets belong to the wanted part, and when none of it can follow.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "io/handles.h"
#include "io/input/demuxer.h"

namespace vfilter {

/// Cuts decoded streams with a margin for what decoders need before the part, and copied streams exactly at the part's
/// beginning and end. One thread, which passes every packet to is_over(), in the order in which they are read.
class PartCut {
public:
    /// Packets are interleaved by time, loosely: up to this long after the end, in microseconds, others may be from
    /// before it.
    static constexpr std::int64_t interleaving = 2 * std::int64_t{AV_TIME_BASE};

    /// The time span of a packet, microseconds of the input's clock.
    struct Span {
        std::int64_t begin;
        std::int64_t end;
    };

    /// `is_used` says whether the run uses a stream of the input. `demuxer` must outlive it.
    PartCut(const Demuxer& demuxer, std::function<bool(int stream)> is_used);

    /// Empty if a packet has no timestamp.
    [[nodiscard]] std::optional<Span> span_of(const AVPacket& packet) const;
    /// Whether nothing that is wanted can follow. `pictures_wanted`: whether a decoder wants more of them.
    [[nodiscard]] bool is_over(const AVPacket& packet, const std::optional<Span>& span, bool pictures_wanted);
    /// Whether is_over() has reached the point after which nothing wanted should follow, whatever was wanted by then.
    [[nodiscard]] bool is_past() const { return is_past_; }
    /// Whether no wanted picture comes with this packet or after it, except for the field that completes one.
    [[nodiscard]] bool is_behind_pictures(const AVPacket& packet, const std::optional<Span>& span) const;
    /// Whether sound that is decoded, and cut afterwards, needs a packet.
    [[nodiscard]] bool takes_sound(int stream, const std::optional<Span>& span) const;
    /// Whether a packet is copied. A subtitle does not make the part longer: the packet is shortened.
    [[nodiscard]] bool takes_copy(AVPacket& packet, const std::optional<Span>& span);
    /// At the end: reports copied streams that could not begin.
    void tell_unbegun() const;

private:
    [[nodiscard]] const AVStream& stream_of(int stream) const { return *demuxer_.format().streams[stream]; }
    [[nodiscard]] bool is_steady(int stream) const;
    [[nodiscard]] bool is_promised(int stream) const;
    [[nodiscard]] bool any_promised() const;
    [[nodiscard]] bool all_passed() const;
    [[nodiscard]] bool ends_before(const AVPacket& packet, const Span& span) const;
    [[nodiscard]] bool begins_after(int stream, const Span& span) const;
    [[nodiscard]] bool can_begin(const AVPacket& packet, const std::optional<Span>& span);
    void shorten(AVPacket& subtitle, const Span& span) const;

    const Demuxer& demuxer_;
    const WantedPart& part_;
    std::function<bool(int)> is_used_;
    std::vector<std::int64_t> latest_;  // ends of the latest packets, by stream of the input, if there is an end
    bool is_past_ = false;
    std::map<int, bool> begun_;  // copied streams of which packets were left out before their first entry: if it came
};

}  // namespace vfilter
