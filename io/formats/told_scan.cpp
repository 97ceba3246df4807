#include "io/formats/told_scan.h"

#include <algorithm>
#include <array>

#include "io/compat.h"

namespace vfilter {

namespace {

// Each picture of these says whether it is interlaced, and FFmpeg's decoders hand that on. FFV1 does from its version 2
// on, which has a header. Pictures of JPEG 2000 may be single fields (MXF).
constexpr std::array tell_themselves{
    AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MPEG4,   AV_CODEC_ID_VC1,
    AV_CODEC_ID_WMV3, AV_CODEC_ID_CAVS, AV_CODEC_ID_PRORES,     AV_CODEC_ID_DNXHD,   AV_CODEC_ID_DVVIDEO,
    AV_CODEC_ID_CFHD, AV_CODEC_ID_AIC,  AV_CODEC_ID_JPEG2000,   AV_CODEC_ID_SPEEDHQ, AV_CODEC_ID_WRAPPED_AVFRAME};

// FFmpeg's decoder takes Adam7, an order in which PNG may have its pixels, for fields.
bool tells_wrongly(AVCodecID codec) {
    return codec == AV_CODEC_ID_PNG || codec == AV_CODEC_ID_APNG;
}

bool tells_itself(const AVCodecParameters& codec) {
    return std::ranges::find(tell_themselves, codec.codec_id) != tell_themselves.end() ||
           (codec.codec_id == AV_CODEC_ID_FFV1 && codec.extradata_size > 0);
}

}  // namespace

ToldScan::ToldScan(const AVCodecParameters& codec)
    : order_(tells_itself(codec) ? AV_FIELD_UNKNOWN : codec.field_order),
      height_(codec.height),
      wrong_(tells_wrongly(codec.codec_id)) {}

void ToldScan::label(AVFrame& picture) const {
    if (wrong_) {
        set_interlaced(picture, false);
    }
    // One of another height is a field by itself.
    if (is_interlaced() && !vfilter::is_interlaced(picture) && picture.height == height_) {
        set_interlaced(picture, true);
        set_top_field_first(picture, order_ == AV_FIELD_TT || order_ == AV_FIELD_TB);
    }
}

}  // namespace vfilter
