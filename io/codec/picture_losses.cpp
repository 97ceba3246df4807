#include "io/codec/picture_losses.h"

extern "C" {
#include <libavutil/opt.h>
}

#include <spdlog/spdlog.h>

#include <cstdint>
#include <utility>

#include "io/codec/encoder_formats.h"
#include "io/formats/formats.h"
#include "io/packet_times.h"

namespace vfilter {

namespace {

// Those that do have an option for it, which can be turned off.
bool writes_captions(const AVCodecContext& encoder) {
    std::int64_t on = 0;
    return encoder.codec->priv_class != nullptr && av_opt_get_int(encoder.priv_data, "a53cc", 0, &on) >= 0 && on != 0;
}

}  // namespace

PictureLosses::PictureLosses(const AVCodecContext& encoder, const PictureStream& stream, const AVFrame& first,
                             bool reports)
    : encoder_(encoder),
      stream_(stream.stream->index),
      time_base_(stream.stream->time_base),
      told_from_(seconds_of(stream.told_from)),
      looks_for_captions_(reports),
      reports_profile_(reports) {
    if (reports) {
        changes_.emplace(first);
    }
}

void PictureLosses::look(const AVFrame& picture) {
    if (looks_for_captions_) {
        look_for_captions(picture);
    }
    if (changes_) {
        changes_->look(picture, stream_, static_cast<double>(picture.pts) * av_q2d(time_base_) - told_from_);
    }
}

// They may begin at any picture.
void PictureLosses::look_for_captions(const AVFrame& picture) {
    if (av_frame_get_side_data(&picture, AV_FRAME_DATA_A53_CC) == nullptr) {
        return;
    }
    looks_for_captions_ = false;
    if (!writes_captions(encoder_)) {
        spdlog::warn("the captions within the pictures (ATSC A/53) are left out: {} does not write them",
                     encoder_.codec->name);
    }
}

void PictureLosses::drop_other_profile(AVFrame& picture, AVPixelFormat given) {
    const AVFrameSideData* const profile = av_frame_get_side_data(&picture, AV_FRAME_DATA_ICC_PROFILE);
    const auto format = static_cast<AVPixelFormat>(picture.format);
    if (profile == nullptr || fits_profile(*profile, given, format)) {
        return;
    }
    if (std::exchange(reports_profile_, false)) {
        spdlog::warn("the ICC profile is left out: it is of {}, which the pictures are not, in {}",
                     space_of_profile(*profile), name_of(format));
    }
    av_frame_remove_side_data(&picture, AV_FRAME_DATA_ICC_PROFILE);
}

}  // namespace vfilter
