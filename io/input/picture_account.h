#pragma once
// What happened to each packet of a video: how many pictures are missing, and where.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/bitstream/h264_fields.h"
#include "io/damage.h"
#include "io/handles.h"

namespace vfilter {

/// Whether a gap in the timestamps of a constant-rate stream is a missing picture. Not if the container gives the
/// duration of each picture (mp4), if timestamps are picture counts (AVI), or if the input is live.
bool judges_gaps(const AVInputFormat& container, bool live);

/// Whether the packet produces a displayed picture: not for hidden ones of VP8 and VP9, for marks, and for what the
/// container says to leave out.
bool shows_picture(AVCodecID codec, const AVPacket& packet);

/// Compares the packets that went into a decoder with the pictures that came out. One thread.
class PictureAccount {
public:
    /// `begins_anywhere`: reading began in the middle, where pictures that depend on earlier ones are rightly left out.
    PictureAccount(const AVCodecParameters& codec, AVRational time_base, bool begins_anywhere, bool gaps);

    /// In decoding order.
    void sent(const AVPacket& packet);
    struct Picture {
        std::int64_t pts;  ///< its packet's
        bool interlaced;
        bool key;
    };
    /// In display order. False for a picture that belongs before the first key frame, which nobody can expect.
    bool received(const Picture& picture);
    /// Whether what the decoder reports now concerns pictures that can be decoded. Not while pictures that depend on
    /// those before the first key frame may be in progress: an open group of pictures at a cut is not damage.
    [[nodiscard]] bool settled() const;
    /// At the end of the input: what is missing, and where. Once.
    [[nodiscard]] Damage missing() const;

private:
    struct Gap {
        std::int64_t from;
        std::int64_t length;
        std::int64_t inside;           // pictures without a time
        std::int64_t pictures_before;  // of the whole
        bool before_key;
    };
    void note_hidden(const AVPacket& packet, bool key);
    void note_interval(std::int64_t pts, bool key);
    void judge_gaps(Damage& damage) const;
    [[nodiscard]] double seconds(std::int64_t ticks) const { return static_cast<double>(ticks) * av_q2d(time_base_); }

    AVCodecID codec_;
    H264Fields fields_;
    AVRational time_base_;
    bool counts_;  // one picture comes from one packet, or from the two of its fields
    bool begins_anywhere_;
    bool gaps_;
    std::optional<std::int64_t> key_;           // pts of the first key frame; NOPTS if it has none
    bool first_group_ = true;                   // no other key frame has come
    std::optional<std::int64_t> settle_;        // pts of the first packet after those that depend on what is missing
    std::int64_t before_key_ = 0;               // packets before the first key frame
    std::int64_t hidden_key_ = AV_NOPTS_VALUE;  // pts of the latest key frame that an edit list hides
    bool hidden_leading_ = false;               // it hides some that are shown before that one, too
    std::int64_t leading_ = 0;                  // packets displayed before it and sent after it
    std::int64_t sent_ = 0;                     // packets that begin a picture
    std::int64_t marks_ = 0;                    // packets that only say that a picture is repeated
    std::int64_t early_ = 0;                    // pictures of both kinds
    std::int64_t received_ = 0;
    bool interlaced_ = false;
    std::int64_t first_ = AV_NOPTS_VALUE;
    std::int64_t last_ = AV_NOPTS_VALUE;
    std::int64_t dated_ = 0;                          // pictures from the first to the last of those with a time
    std::int64_t undated_ = 0;                        // pictures since then
    std::int64_t long_holes_ = 0;                     // as long as jumps, of which packets that were sent gave notice
    std::int64_t jumped_ = 0;                         // ticks by which the clock was moved forward
    std::map<std::int64_t, std::int64_t> intervals_;  // ticks between pictures -> how often; of bounded size
    std::int64_t other_intervals_ = 0;                // that did not fit in there
    std::vector<Gap> longest_;                        // of the intervals, of bounded size
};

}  // namespace vfilter
