#pragma once
// What is known of a video's pictures whoever decodes them: their times, how many came, and what is damaged.

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include "io/codec/decoded_times.h"
#include "io/formats/told_scan.h"
#include "io/input/demuxer.h"
#include "io/input/picture_account.h"

namespace vfilter {

/// Throws Error(input) for pictures above --max-pixels, before memory is taken for them and all that is made of them.
void check_size(int width, int height, std::int64_t max_pixels);

/// One of an input's files that follow each other: see clip_of().
struct Clip {
    int number = 0;
    bool first = true;  ///< of those that are decoded
};

/// Sees every packet in the order of decoding and every picture in the order of time. One thread. With `strict` the
/// first damage is thrown as Error(damaged).
class PictureLedger {
public:
    PictureLedger(const Demuxer& input, int stream, bool strict, Clip clip = {});

    void sent(const AVPacket& packet);
    /// The decoder has logged so many more errors since it was last asked, `latest` among them: some go on after them
    /// as if nothing had been.
    void complained(std::int64_t count, const std::string& latest);
    /// The decoder has refused a packet; it goes on, and the next key frame mends it.
    void refused() { note_damage(damage_.packets, "packet"); }
    /// A picture: it gets its time, and a format without J. `complaints` are those since the last one.
    void received(AVFrame& picture, std::int64_t complaints, const std::string& latest);
    /// No more come.
    void ended() { ended_ = true; }
    [[nodiscard]] Damage damage() const;

private:
    PictureLedger(const Demuxer& input, const StreamOfClip& video, AVRational time_base, bool strict, Clip clip);
    void note_damage(std::int64_t& count, const char* what);
    void tell_lost_bytes();

    bool strict_;
    std::string file_;  // an appended one, whose damage it is
    ToldScan scan_;
    DecodedTimes times_;
    std::int64_t max_pixels_;
    PictureAccount account_;
    AVCodecID codec_;
    std::size_t length_size_;            // of NAL units
    std::set<std::int64_t> with_holes_;  // times of packets with lost bytes whose pictures have not come
    bool ended_ = false;
    Damage damage_;
};

}  // namespace vfilter
