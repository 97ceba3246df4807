#include "io/codec/picture_changes.h"

extern "C" {
#include <libavcodec/defs.h>
#include <libavutil/display.h>
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/pixdesc.h>
#include <libavutil/timecode.h>
}

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "config/encoder_facts.h"
#include "io/compat.h"
#include "io/formats/format_facts.h"

namespace vfilter {

namespace {

constexpr AVPacketSideDataType never = AV_PKT_DATA_NB;

// Of MPEG-2, whose decoder gives some with each picture: whether it shows a part of it, and whether not the middle.
bool shows_part(const AVFrame& picture, const AVPanScan& pan) {
    const auto is_less = [](int sixteenths, int whole) { return sixteenths > 0 && sixteenths < 16 * whole; };
    return is_less(pan.width, picture.width) || is_less(pan.height, picture.height);
}

bool shows_middle(const AVFrame& picture, const AVFrameSideData& data) {
    const auto& pan = *reinterpret_cast<const AVPanScan*>(data.data);
    return shows_part(picture, pan) && pan.position[0][0] == 0 && pan.position[0][1] == 0;
}

bool shows_elsewhere(const AVFrame& picture, const AVFrameSideData& data) {
    const auto& pan = *reinterpret_cast<const AVPanScan*>(data.data);
    return shows_part(picture, pan) && !shows_middle(picture, data);
}

constexpr std::array told_data{
    PictureData{AV_FRAME_DATA_DYNAMIC_HDR_PLUS, "HDR10+ data, which each scene has of its own,", never},
    PictureData{AV_FRAME_DATA_DOVI_METADATA, "Dolby Vision data, which each picture has of its own,",
                AV_PKT_DATA_DOVI_CONF},
    PictureData{AV_FRAME_DATA_DYNAMIC_HDR_VIVID, "HDR Vivid data, which each scene has of its own,", never},
    PictureData{ambient_viewing, "the ambient viewing environment", never},
    PictureData{AV_FRAME_DATA_STEREO3D, "how two views lie in the pictures (3D)", AV_PKT_DATA_STEREO3D},
    PictureData{AV_FRAME_DATA_AFD, "the active format description (AFD)", never},
    PictureData{AV_FRAME_DATA_PANSCAN, "which part of the pictures narrower screens show (pan-scan)", never,
                shows_middle},
    PictureData{AV_FRAME_DATA_PANSCAN, "where the part of the pictures lies that narrower screens show (pan-scan)",
                never, shows_elsewhere}};

std::string aspect_of(const AVFrame& picture) {
    const AVRational aspect = picture.sample_aspect_ratio;
    return aspect.num > 0 && aspect.den > 0 ? fmt::format("{}:{}", aspect.num, aspect.den) : "";
}

// What is not said is read in one way or another, so that it is something else than what is said.
std::string or_unspecified(const char* name, bool known) {
    return known && name != nullptr ? name : "unspecified";
}

// Which has no matrix, and one range.
bool is_rgb_picture(const AVFrame& picture) {
    return is_rgb(static_cast<AVPixelFormat>(picture.format));
}

std::string primaries_of(const AVFrame& picture) {
    const AVColorPrimaries primaries = said(picture.color_primaries);
    return or_unspecified(av_color_primaries_name(primaries), primaries != AVCOL_PRI_UNSPECIFIED);
}

std::string curve_of(const AVFrame& picture) {
    const AVColorTransferCharacteristic curve = said(picture.color_trc);
    return or_unspecified(av_color_transfer_name(curve), curve != AVCOL_TRC_UNSPECIFIED);
}

std::string matrix_of(const AVFrame& picture) {
    if (is_rgb_picture(picture)) {
        return "";
    }
    const AVColorSpace matrix = said(picture.colorspace);
    return or_unspecified(av_color_space_name(matrix), matrix != AVCOL_SPC_UNSPECIFIED);
}

std::string range_of(const AVFrame& picture) {
    const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(picture.format));
    if (is_rgb_picture(picture) || d == nullptr) {
        return "";
    }
    const bool gray = d->nb_components <= 2;
    const bool full =  // as everybody reads what says nothing
        picture.color_range == AVCOL_RANGE_JPEG || (gray && picture.color_range != AVCOL_RANGE_MPEG);
    return av_color_range_name(full ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG);
}

// What an encoder of interlaced pictures makes of a progressive one is no loss.
std::string scan_of(const AVFrame& picture) {
    return !is_interlaced(picture)       ? "progressive"
           : is_top_field_first(picture) ? "interlaced with the top field first"
                                         : "interlaced with the bottom field first";
}

std::string display_of(const AVFrame& picture) {
    const AVFrameSideData* const data = av_frame_get_side_data(&picture, AV_FRAME_DATA_MASTERING_DISPLAY_METADATA);
    if (data == nullptr) {
        return "";
    }
    const auto& display = *reinterpret_cast<const AVMasteringDisplayMetadata*>(data->data);
    std::string text;
    if (display.has_primaries != 0) {
        for (const auto& primary : display.display_primaries) {
            text += fmt::format("({:.3f} {:.3f}) ", av_q2d(primary[0]), av_q2d(primary[1]));
        }
    }
    return display.has_luminance != 0 ? text + fmt::format("{:.4f} to {:.0f} cd/m2", av_q2d(display.min_luminance),
                                                           av_q2d(display.max_luminance))
                                      : text;
}

std::string light_of(const AVFrame& picture) {
    const AVFrameSideData* const data = av_frame_get_side_data(&picture, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL);
    if (data == nullptr) {
        return "";
    }
    const auto& light = *reinterpret_cast<const AVContentLightMetadata*>(data->data);
    return fmt::format("{} and {} cd/m2", light.MaxCLL, light.MaxFALL);
}

// A quarter of a circle is a whole number of degrees.
std::string turn_of(const AVFrame& picture) {
    const AVFrameSideData* const data = av_frame_get_side_data(&picture, AV_FRAME_DATA_DISPLAYMATRIX);
    std::array<std::int32_t, 9> matrix{};
    if (data == nullptr || data->size < sizeof(matrix)) {
        return "";
    }
    std::memcpy(matrix.data(), data->data, sizeof(matrix));
    const auto area = static_cast<double>(matrix[0]) * matrix[4] - static_cast<double>(matrix[1]) * matrix[3];
    const double degrees = av_display_rotation_get(matrix.data());
    const bool turned = std::lround(degrees) != 0;
    return turned || area < 0 ? fmt::format("{:.0f} degrees{}", degrees, area < 0 ? ", mirrored" : "") : "";
}

// What a picture says of itself.
struct Property {
    const char* name = nullptr;
    std::string (*text)(const AVFrame&) = nullptr;  // "" where a picture says nothing
    bool begins_later = false;                      // and then it is not in the output
};
constexpr std::array properties{Property{"pixel aspect", aspect_of},
                                Property{"colour primaries", primaries_of},
                                Property{"transfer curve", curve_of},
                                Property{"colour matrix", matrix_of},
                                Property{"colour range", range_of},
                                Property{"scan", scan_of},
                                Property{"mastering display", display_of, true},
                                Property{"light level", light_of, true},
                                Property{"rotation", turn_of, true}};

// Without texts, as it is asked of each picture.
bool same_side_data(const AVFrame& a, const AVFrame& b, AVFrameSideDataType type) {
    const AVFrameSideData* const of_a = av_frame_get_side_data(&a, type);
    const AVFrameSideData* const of_b = av_frame_get_side_data(&b, type);
    return of_b == nullptr ||
           (of_a != nullptr && of_a->size == of_b->size && std::memcmp(of_a->data, of_b->data, of_a->size) == 0);
}

bool may_differ(const AVFrame& a, const AVFrame& b) {
    return a.color_primaries != b.color_primaries || a.color_trc != b.color_trc || a.colorspace != b.colorspace ||
           a.color_range != b.color_range || av_cmp_q(a.sample_aspect_ratio, b.sample_aspect_ratio) != 0 ||
           is_interlaced(a) != is_interlaced(b) || is_top_field_first(a) != is_top_field_first(b) ||
           !same_side_data(a, b, AV_FRAME_DATA_MASTERING_DISPLAY_METADATA) ||
           !same_side_data(a, b, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL) ||
           !same_side_data(a, b, AV_FRAME_DATA_DISPLAYMATRIX);
}

// Of a rate that is no whole number, and of what begins with a later picture.
constexpr double code_slack = 1.5;  // seconds

std::optional<double> seconds_of_code(const std::string& code) {
    int hours = 0;
    int minutes = 0;
    int whole = 0;
    if (std::sscanf(code.c_str(), "%d:%d:%d", &hours, &minutes, &whole) != 3) {
        return std::nullopt;
    }
    return hours * 3600 + minutes * 60 + whole;
}

bool has_scan_of(const AVFrame& picture, const AVFrame& first) {
    return !is_interlaced(picture) ||
           (is_interlaced(first) && is_top_field_first(picture) == is_top_field_first(first));
}

}  // namespace

std::span<const PictureData> picture_data() {
    return told_data;
}

unsigned picture_data_of(const AVFrame& picture) {
    unsigned set = 0;
    for (std::size_t i = 0; i < told_data.size(); ++i) {
        const AVFrameSideData* const data = av_frame_get_side_data(&picture, told_data[i].type);
        const auto says = told_data[i].says;
        set |= data != nullptr && (says == nullptr || says(picture, *data)) ? 1U << i : 0U;
    }
    return set;
}

bool is_hdr_curve(AVColorTransferCharacteristic curve) {
    return curve == AVCOL_TRC_SMPTE2084 || curve == AVCOL_TRC_ARIB_STD_B67;
}

void drop_hdr_data(AVFrame& picture) {
    for (const AVFrameSideDataType type :
         {AV_FRAME_DATA_MASTERING_DISPLAY_METADATA, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL, AV_FRAME_DATA_DYNAMIC_HDR_PLUS,
          AV_FRAME_DATA_DOVI_METADATA, AV_FRAME_DATA_DOVI_RPU_BUFFER, AV_FRAME_DATA_DYNAMIC_HDR_VIVID}) {
        av_frame_remove_side_data(&picture, type);
    }
    av_frame_remove_side_data(&picture, ambient_viewing);
}

std::string picture_time_code(const AVFrame& picture) {
    std::array<char, AV_TIMECODE_STR_SIZE> text{};
    if (const AVFrameSideData* const group = av_frame_get_side_data(&picture, AV_FRAME_DATA_GOP_TIMECODE)) {
        std::int64_t packed = 0;
        std::memcpy(&packed, group->data, sizeof(packed));
        return av_timecode_make_mpeg_tc_string(text.data(), static_cast<std::uint32_t>(packed));
    }
    if (const AVFrameSideData* const smpte = av_frame_get_side_data(&picture, AV_FRAME_DATA_S12M_TIMECODE)) {
        std::array<std::uint32_t, 2> count_and_first{};
        std::memcpy(count_and_first.data(), smpte->data, sizeof(count_and_first));
        return count_and_first[0] == 0 ? "" : av_timecode_make_smpte_tc_string(text.data(), count_and_first[1], 0);
    }
    return "";
}

std::string told_time_code(const AVFrame& picture, double seconds) {
    const std::string code = picture_time_code(picture);
    const std::optional<double> counted = seconds_of_code(code);
    return counted && std::abs(*counted - seconds) >= code_slack + seconds * 0.002 ? code : "";
}

bool keeps_time_code(std::string_view encoder) {
    return encoder_facts(encoder).has(encoder_fact::time_codes);
}

PictureChanges::PictureChanges(const AVFrame& first) : first_(make_frame()), data_(picture_data_of(first)) {
    av_check(av_frame_copy_props(first_.get(), &first), "av_frame_copy_props");
    first_->format = first.format;  // which says what an unspecified range is
}

// One that goes on as it did before and after is meant, and one alone is a mistake; those that begin at 0 count
// pictures.
void PictureChanges::look_at_time_code(const AVFrame& picture, int stream, double seconds) {
    const std::string code = told_jump_ ? "" : picture_time_code(picture);
    const std::optional<double> counted = seconds_of_code(code);
    if (!counted) {
        return;
    }
    const double offset = *counted - seconds;
    const auto same = [](double a, double b) { return std::abs(a - b) < code_slack; };
    if (jump_ && same(offset, jump_->offset)) {
        spdlog::warn(
            "stream {}: the time code of the pictures jumps at {:.3f} s, to {}: where the output has one, it goes on "
            "counting",
            stream, jump_->seconds, jump_->code);
        told_jump_ = true;
    }
    const bool jumps = code_offset_ && !same(offset, *code_offset_);
    jump_ = jumps && *counted >= code_slack ? std::optional(Jump{offset, seconds, code}) : std::nullopt;
    code_offset_ = jumps ? code_offset_ : offset;
    if (jumps && *counted < code_slack) {
        code_offset_ = offset;
    }
}

void PictureChanges::look(const AVFrame& picture, int stream, double seconds) {
    look_at_time_code(picture, stream, seconds);
    if (const unsigned data = picture_data_of(picture); (data & ~data_) != 0) {
        for (std::size_t i = 0; i < told_data.size(); ++i) {
            if ((data & ~data_ & 1U << i) != 0) {
                spdlog::warn("stream {}: {} begins at {:.3f} s, behind the first picture, and is left out", stream,
                             told_data[i].name, seconds);
            }
        }
        data_ |= data;
    }
    if (!may_differ(*first_, picture)) {
        return;
    }
    std::string news;
    for (std::size_t i = 0; i < properties.size(); ++i) {
        const Property& property = properties[i];
        // Before texts are made, as pictures go on to differ.
        if ((told_ & 1U << i) != 0 || (property.text == scan_of && has_scan_of(picture, *first_))) {
            continue;
        }
        const std::string before = property.text(*first_);
        const std::string now = property.text(picture);
        if (now.empty() || now == before || (before.empty() && !property.begins_later)) {
            continue;
        }
        told_ |= 1U << i;
        news += fmt::format("{}{} {} (first {})", news.empty() ? "" : ", ", property.name, now,
                            before.empty() ? "none" : before);
    }
    if (!news.empty()) {
        spdlog::warn(
            "stream {}: from {:.3f} s on the input's pictures are labelled differently: {}; the output "
            "keeps the labels it began with",
            stream, seconds, news);
    }
}

}  // namespace vfilter
