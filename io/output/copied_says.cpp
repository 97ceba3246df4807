#include "io/output/copied_says.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <algorithm>
#include <array>

#include "io/formats/format_facts.h"
#include "io/stream_facts.h"

namespace vfilter {

namespace {

const AVPixFmtDescriptor* format_of(const AVStream& stream) {
    return av_pix_fmt_desc_get(static_cast<AVPixelFormat>(stream.codecpar->format));
}

bool is_rgb_stream(const AVStream& stream) {
    return is_rgb(static_cast<AVPixelFormat>(stream.codecpar->format));
}

bool is_full(const AVStream& stream) {
    const AVPixFmtDescriptor* const d = format_of(stream);
    const bool j = d != nullptr && std::string_view(d->name).starts_with("yuvj");
    return j || stream.codecpar->color_range == AVCOL_RANGE_JPEG;
}

// Whose light is told in its messages, too.
bool tells_light(AVCodecID codec) {
    constexpr std::array codecs{AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_AV1};
    return std::ranges::find(codecs, codec) != codecs.end();
}

bool has_light(const AVStream& stream) {
    return has_side_data(stream, AV_PKT_DATA_MASTERING_DISPLAY_METADATA) ||
           has_side_data(stream, AV_PKT_DATA_CONTENT_LIGHT_LEVEL);
}

// Two numbers of one matrix, and of one curve.
bool is_bt601(AVColorSpace matrix) {
    return matrix == AVCOL_SPC_SMPTE170M || matrix == AVCOL_SPC_BT470BG;
}

bool is_bt709(AVColorTransferCharacteristic curve) {
    constexpr std::array same{AVCOL_TRC_BT709, AVCOL_TRC_SMPTE170M, AVCOL_TRC_BT2020_10, AVCOL_TRC_BT2020_12};
    return std::ranges::find(same, curve) != same.end();
}

bool same(AVColorSpace a, AVColorSpace b) {
    return a == b || (is_bt601(a) && is_bt601(b));
}

bool same(AVColorTransferCharacteristic a, AVColorTransferCharacteristic b) {
    return a == b || (is_bt709(a) && is_bt709(b));
}

bool same(AVColorPrimaries a, AVColorPrimaries b) {
    return a == b;
}

}  // namespace

std::optional<CopiedSays> copied_says(const AVStream& stream) {
    const AVCodecParameters& codec = *stream.codecpar;
    if (codec.codec_type != AVMEDIA_TYPE_VIDEO || is_attached_picture(stream)) {
        return std::nullopt;
    }
    const AVPixFmtDescriptor* const d = format_of(stream);
    const bool rare = codec.chroma_location > AVCHROMA_LOC_CENTER && d != nullptr && d->log2_chroma_h > 0;
    CopiedSays says{.primaries = codec.color_primaries,
                    .curve = codec.color_trc,
                    .matrix = is_rgb_stream(stream) ? AVCOL_SPC_UNSPECIFIED : codec.color_space,
                    .full = is_full(stream) && !is_rgb_stream(stream) && d != nullptr && d->nb_components > 2,
                    .siting = rare ? codec.chroma_location : AVCHROMA_LOC_UNSPECIFIED,
                    .dolby_vision = has_side_data(stream, AV_PKT_DATA_DOVI_CONF),
                    .hdr = !tells_light(codec.codec_id) && has_light(stream)};
    const bool any = says.primaries != AVCOL_PRI_UNSPECIFIED || says.curve != AVCOL_TRC_UNSPECIFIED ||
                     says.matrix != AVCOL_SPC_UNSPECIFIED || says.full || rare || says.dolby_vision || says.hdr;
    return any ? std::optional(says) : std::nullopt;
}

std::vector<std::string> lost_of_copy(const CopiedSays& sent, const AVStream* found) {
    if (found == nullptr) {
        return {};
    }
    const AVCodecParameters& own = *found->codecpar;
    std::string colours;
    const auto add = [&](auto wanted, auto kept, auto unknown, const char* name) {
        if (wanted != unknown && !same(wanted, kept) && name != nullptr) {
            colours += (colours.empty() ? "" : "/") + std::string(name);
        }
    };
    add(sent.primaries, own.color_primaries, AVCOL_PRI_UNSPECIFIED, av_color_primaries_name(sent.primaries));
    add(sent.curve, own.color_trc, AVCOL_TRC_UNSPECIFIED, av_color_transfer_name(sent.curve));
    add(sent.matrix, own.color_space, AVCOL_SPC_UNSPECIFIED, av_color_space_name(sent.matrix));
    std::vector<std::string> lost;
    if (!colours.empty()) {
        lost.push_back("colours " + colours);
    }
    if (sent.full && !is_full(*found)) {
        lost.emplace_back("full range");
    }
    if (sent.siting != AVCHROMA_LOC_UNSPECIFIED && own.chroma_location != sent.siting) {
        lost.push_back(std::string("place of chroma ") + av_chroma_location_name(sent.siting));
    }
    if (sent.dolby_vision && !has_side_data(*found, AV_PKT_DATA_DOVI_CONF)) {
        lost.emplace_back("Dolby Vision configuration");
    }
    if (sent.hdr && !has_light(*found)) {
        lost.emplace_back("HDR10 data");
    }
    return lost;
}

}  // namespace vfilter
