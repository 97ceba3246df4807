#include "io/codec/picture_ledger.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/bitstream/nal.h"
#include "io/codec/lost_bytes.h"
#include "io/compat.h"
#include "io/formats/formats.h"

namespace vfilter {

void check_size(int width, int height, std::int64_t max_pixels) {
    if (std::int64_t{width} * height > max_pixels) {
        throw Error(
            ExitCode::input,
            fmt::format("pictures of {}x{} are {:.4g} Mpixel each, and the limit is {:.4g}; --max-pixels raises it",
                        width, height, 1e-6 * static_cast<double>(width) * height,
                        1e-6 * static_cast<double>(max_pixels)));
    }
}

PictureLedger::PictureLedger(const Demuxer& input, int stream, bool strict, Clip clip)
    : PictureLedger(input, input.stream_of_clip(stream, clip.number).value(), input.format().streams[stream]->time_base,
                    strict, clip) {}

PictureLedger::PictureLedger(const Demuxer& input, const StreamOfClip& video, AVRational time_base, bool strict,
                             Clip clip)
    : strict_(strict),
      file_(input.appended_file(clip.number)),
      scan_(*video.stream.codecpar),
      times_(time_base, video.frame_rate, input.told_from()),
      max_pixels_(input.max_pixels()),
      account_(*video.stream.codecpar, time_base, (input.part().start.has_value() && clip.first) || input.live(),
               judges_gaps(video.container, input.live())),
      codec_(video.stream.codecpar->codec_id),
      length_size_(nal_length_size(codec_, video.stream.codecpar->extradata,
                                   static_cast<std::size_t>(video.stream.codecpar->extradata_size))) {}

// Told with the picture: how far packets are sent ahead of those that are wanted is another thing each time.
void PictureLedger::sent(const AVPacket& packet) {
    account_.sent(packet);
    constexpr std::size_t most = 1000;
    if (!has_lost_bytes(codec_, packet, length_size_)) {
        return;
    }
    if (packet.pts != AV_NOPTS_VALUE && with_holes_.size() < most) {
        with_holes_.insert(packet.pts);
    } else {
        tell_lost_bytes();
    }
}

void PictureLedger::tell_lost_bytes() {
    complained(1, "zeroes inside of a picture, where the codec has none");
}

void PictureLedger::note_damage(std::int64_t& count, const char* what) {
    if (!account_.settled()) {
        return;
    }
    ++count;
    damage_.note(fmt::format("video: a damaged {} {}", what, times_.place()));
    if (strict_) {
        throw Error(ExitCode::damaged, fmt::format("a {} of the input is damaged, and --strict was given", what));
    }
}

void PictureLedger::complained(std::int64_t count, const std::string& latest) {
    if (count == 0 || !account_.settled()) {
        return;
    }
    damage_.complaints += count;
    damage_.note(fmt::format("video {}: {}", times_.place(), latest));
    if (strict_) {
        throw Error(ExitCode::damaged, fmt::format("the video is damaged ({}), and --strict was given", latest));
    }
}

void PictureLedger::received(AVFrame& picture, std::int64_t complaints, const std::string& latest) {
    check_size(picture.width, picture.height, max_pixels_);
    const bool with_hole = with_holes_.erase(picture.pts) > 0;
    const bool early =
        !account_.received({.pts = picture.pts, .interlaced = is_interlaced(picture), .key = is_key_frame(picture)});
    scan_.label(picture);
    complained(complaints, latest);
    const bool damaged = picture.decode_error_flags != 0 || (picture.flags & AV_FRAME_FLAG_CORRUPT) != 0;
    if (const auto format = static_cast<AVPixelFormat>(picture.format); without_j(format) != format) {
        picture.format = without_j(format);
        picture.color_range = AVCOL_RANGE_JPEG;
    }
    times_.date(picture);
    if (damaged && !early) {
        note_damage(damage_.frames, "frame");
    }
    if (with_hole && !early) {
        tell_lost_bytes();
    }
}

Damage PictureLedger::damage() const {
    Damage damage = damage_;
    if (ended_) {
        damage += account_.missing();
    }
    return file_.empty() ? damage : damage.give_to(file_);
}

}  // namespace vfilter
