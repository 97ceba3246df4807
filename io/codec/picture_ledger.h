#pragma once
// What is known about a video's pictures, whatever decodes them: their times, how many came, and what is damaged.

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include "io/codec/decoded_times.h"
#include "io/formats/told_scan.h"
#include "io/input/demuxer.h"
#include "io/input/picture_account.h"

namespace vfilter {

/// Throws Error(input) for pictures larger than --max-pixels, before memory is allocated for them and for anything
/// derived from them.
void check_size(int width, int height, std::int64_t max_pixels);

/// One of an input's consecutive files: see clip_of().
struct Clip {
    int number = 0;
    bool first = true;  ///< of those that are decoded
};

/// Sees every packet in decoding order and every picture in display order. One thread. With `strict` the first damage
/// is thrown as Error(damaged).
class PictureLedger {
public:
    PictureLedger(const Demuxer& input, int stream, bool strict, Clip clip = {});

    void sent(const AVPacket& packet);
    /// The decoder has logged this many more errors since the last call, `latest` being the last of them: some decoders
    /// continue afterwards as if nothing had happened.
    void complained(std::int64_t count, const std::string& latest);
    /// The decoder has refused a packet; it continues, and recovers at the next key frame.
    void refused() { note_damage(damage_.packets, "packet"); }
    /// A picture has come: sets its time, and a format that is not a J format. `complaints` are those since the last
    /// one.
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
    std::set<std::int64_t> with_holes_;  // times of packets with lost bytes whose pictures have not come out yet
    bool ended_ = false;
    Damage damage_;
};

}  // namespace vfilter
