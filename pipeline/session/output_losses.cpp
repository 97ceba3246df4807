#include "pipeline/session/output_losses.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/codec/encoder_choice.h"
#include "io/codec/encoder_formats.h"
#include "io/containers.h"
#include "io/formats/format_facts.h"
#include "io/formats/full_range.h"
#include "io/output/output_trial.h"
#include "io/stills.h"
#include "pipeline/session/colours.h"

namespace vfilter {

namespace {

bool halves_rows(AVPixelFormat format) {
    const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(format);
    return d != nullptr && d->log2_chroma_h > 0;
}

// "bt2020/smpte2084/bt2020nc": of primaries, curve and matrix those that the output does not tell; "" if it tells all.
std::string lost_colours(const ToldOfPictures& known, const ToldOfPictures& told, bool stills) {
    std::string lost;
    const auto add = [&](auto given, auto kept, auto unknown, const char* name) {
        if (given != unknown && kept == unknown && name != nullptr) {
            lost += (lost.empty() ? "" : "/") + std::string(name);
        }
    };
    // What readers take pictures for that say nothing.
    const bool usual = stills && known.primaries != AVCOL_PRI_BT2020 && known.primaries != AVCOL_PRI_SMPTE432;
    if (!usual) {
        add(known.primaries, told.primaries, AVCOL_PRI_UNSPECIFIED, av_color_primaries_name(known.primaries));
        add(known.curve, told.curve, AVCOL_TRC_UNSPECIFIED, av_color_transfer_name(known.curve));
    }
    if (is_yuv(told.format) && !stills) {
        // Some codecs have one matrix, and say it of all pictures: VP8.
        const bool another =
            is_yuv(known.format) && told.matrix != known.matrix && !(is_bt601(told.matrix) && is_bt601(known.matrix));
        add(known.matrix, another ? AVCOL_SPC_UNSPECIFIED : told.matrix, AVCOL_SPC_UNSPECIFIED,
            av_color_space_name(known.matrix));
    }
    return lost;
}

// Readers that are told nothing take 4:2:0 for MPEG-2's, left of the middle, or JPEG's, in the middle.
bool has_rare_siting(const ToldOfPictures& known) {
    return known.siting > AVCHROMA_LOC_CENTER && halves_rows(known.format);
}

bool has_time_code_tag(const AVFormatContext& input, const std::string& code) {
    const auto says = [&](const AVDictionary* tags) {
        const AVDictionaryEntry* const tag = av_dict_get(tags, "timecode", nullptr, 0);
        return tag != nullptr && code == tag->value;
    };
    return says(input.metadata) || std::ranges::any_of(std::span(input.streams, input.nb_streams),
                                                       [&](const AVStream* stream) { return says(stream->metadata); });
}

// Which hardly any RGB has.
bool is_limited_rgb(const ToldOfPictures& known) {
    return is_rgb(known.format) && known.range == AVCOL_RANGE_MPEG;
}

// What the pictures say of themselves, and what comes of it.
struct TriedOutput {
    ToldOfPictures known;
    std::optional<ToldOfPictures> tried;  // empty where nothing can be read back from one picture
    ToldOfPictures told;                  // of `tried`, or else what the bit stream tells in any case
    bool tells = false;                   // it tells everything
    bool stills = false;
    bool large_rgb = false;  // of a size of which players take YUV for BT.709
    // That graphs have tagged them with, as players would take another; where the bit stream may not tell it.
    AVColorSpace new_matrix = AVCOL_SPC_UNSPECIFIED;
    bool tagged = false;  // the input says the time code of its pictures in a tag, too
    const AVOutputFormat& container;
    std::string encoder;
};

void tell_lost(std::string_view what, const TriedOutput& output) {
    spdlog::warn("{} is lost: it cannot be read again from {} as {} writes it", what, name_of_output(output.container),
                 output.encoder);
}

void tell_losses(const TriedOutput& output) {
    const auto& [known, tried, told, tells, stills, large_rgb, new_matrix, tagged, container, encoder] = output;
    std::string hdr = known.mastering_display && !told.mastering_display ? "mastering display" : "";
    if (known.light_level && !told.light_level) {
        hdr += hdr.empty() ? "light level" : " and light level";
    }
    if (!hdr.empty()) {
        tell_lost(fmt::format("HDR10 data ({})", hdr), output);
    }
    // Of which no bit stream tells everything.
    const unsigned lost_data = known.data & ~(tried ? tried->data : 0U);
    for (std::size_t i = 0; i < picture_data().size(); ++i) {
        if ((lost_data & 1U << i) != 0) {
            tell_lost(picture_data()[i].name, output);
        }
    }
    // What becomes of a tag that says the same is told with the tags.
    if (!known.time_code.empty() && !tagged && !keeps_time_code(encoder)) {
        spdlog::warn("the time code of the pictures, {} of the first, is lost: {} does not write it", known.time_code,
                     encoder);
    }
    if (tried && has_rare_siting(known) && tried->siting != known.siting && halves_rows(told.format)) {
        tell_lost(fmt::format("where the samples of the chroma lie ({})", av_chroma_location_name(known.siting)),
                  output);
    }
    // One of other colours is left out by the encoder, which tells.
    const bool same_colours = !tried || is_gray(known.format) == is_gray(told.format);
    if (known.icc_profile && !told.icc_profile && same_colours) {
        spdlog::warn("the ICC profile of the colours is lost: {} cannot hold it here", encoder);
    }
    if (const std::string tags = tried && !tells ? lost_colours(known, told, stills) : ""; !tags.empty()) {
        tell_lost(fmt::format("what the pictures say of their colours ({})", tags), output);
    }
    if (large_rgb && tried && is_yuv(told.format) && told.matrix == AVCOL_SPC_UNSPECIFIED) {
        spdlog::warn(
            "the colours are converted by BT.601, which {} cannot say with this encoder: players take pictures of this "
            "size for BT.709, which --vf scale=out_color_matrix=bt709,format=yuv444p makes",
            name_of_output(container));
    }
    if (const bool matters = tried && !stills && is_yuv(told.format) && new_matrix != AVCOL_SPC_UNSPECIFIED;
        matters && told.matrix != new_matrix && !(is_bt601(told.matrix) && is_bt601(new_matrix))) {
        spdlog::warn(
            "the colours are those of {}, which {} cannot say with this encoder: players take pictures of this size "
            "for those of another matrix",
            av_color_space_name(new_matrix), name_of_output(container));
    }
    if (is_limited_rgb(known) && !is_rgb(told.format)) {
        spdlog::warn(
            "the pictures are RGB in the limited range, and are converted as if they were in the full one: their black "
            "becomes a dark gray");
    } else if (is_limited_rgb(known) && told.range != AVCOL_RANGE_MPEG) {
        tell_lost("that the RGB has the limited range", output);
    }
    if (known.interlaced && tried && !tried->interlaced) {
        tell_lost("that the pictures are interlaced", output);
    }
}

// Gray is full unless it says that it is not, and YUV if it says so.
bool uses_full_range(const ToldOfPictures& known) {
    return is_gray(known.format) ? known.range != AVCOL_RANGE_MPEG
                                 : known.range == AVCOL_RANGE_JPEG && has_range(known.format);
}

bool uses_limited_range(const ToldOfPictures& known) {
    return (is_gray(known.format) || is_yuv(known.format)) && !uses_full_range(known);
}

// Whether an output takes no colours.
bool becomes_gray(const ToldOfPictures& known, const OutputOptions& output, const EncodeTask& task,
                  const AVOutputFormat& container) {
    const std::vector<AVPixelFormat> taken = formats_taken(output, task, container);
    return is_yuv(known.format) && !taken.empty() && std::ranges::all_of(taken, is_gray);
}

// What readers take the range of the samples for is what counts, so that it goes by the format that is encoded.
RangeChange change_of_range(const TriedOutput& output, AVPixelFormat encoded) {
    const auto& [known, tried, told, tells, stills, large_rgb, new_matrix, tagged, container, encoder] = output;
    // Some make YUV of RGB (WebP), and PGMYUV is read as a higher PGM.
    const bool read = tried && is_rgb(encoded) && told.format != AV_PIX_FMT_NONE;
    const AVPixelFormat format = read ? told.format : encoded;
    // What is made gray is tagged, as gray and YUV without a tag mean different ranges.
    const bool is_tagged = !tried && tells && is_yuv(known.format) && is_gray(encoded);
    const AVColorRange range = is_tagged && !uses_full_range(known) ? AVCOL_RANGE_MPEG : told.range;
    if (uses_full_range(known) && range != AVCOL_RANGE_JPEG && !is_rgb(format) &&
        (!is_gray(format) || range == AVCOL_RANGE_MPEG)) {
        spdlog::warn(
            "the pictures use the full range, which {} cannot say with this encoder: their values are converted to "
            "the limited range",
            name_of_output(container));
        return RangeChange::to_limited;
    }
    // Readers take gray for full that does not say so. Of gray that cannot be read back nothing is known.
    const bool gray = is_gray(known.format) ? tried && !is_yuv(format) : is_gray(format);
    if (uses_limited_range(known) && gray && range != AVCOL_RANGE_MPEG) {
        spdlog::warn(
            "the gray has the limited range, which {} cannot say with this encoder: its values are converted to the "
            "full range",
            name_of_output(container));
        return RangeChange::to_full;
    }
    return RangeChange::none;
}

}  // namespace

RangeChange needed_change(const VideoRun& video, const OutputOptions& output, const EncodeTask& task,
                          const AVOutputFormat& container, const RunParts& parts) {
    if ((container.flags & AVFMT_NOFILE) != 0) {
        return RangeChange::none;
    }
    const PictureStream stream = stream_of(video, *parts.demuxer);
    TriedOutput tried{.known = told_by_input(*stream.stream, *video.first),
                      .tried = {},
                      .told = {},
                      .tells = tells_of_pictures(encoder_of(output, container)),
                      .stills = stills_of(output).has_value(),
                      .container = container,
                      .encoder = encoder_of(output, container)};
    ToldOfPictures& known = tried.known;
    tried.tagged = has_time_code_tag(parts.demuxer->format(), known.time_code);
    if (is_gray(video.kept)) {
        known.format = video.kept;  // with alpha it is filtered in the planes of RGB
    }
    tried.large_rgb = is_rgb(known.format) && !tried.stills &&
                      matrix_of(AVCOL_SPC_UNSPECIFIED, video.first->width, video.first->height) != AVCOL_SPC_SMPTE170M;
    if (const AVColorSpace named = stream.graphed.named_matrix; named != AVCOL_SPC_UNSPECIFIED) {
        const bool usual = named == matrix_of(AVCOL_SPC_UNSPECIFIED, video.first->width, video.first->height);
        tried.large_rgb = false;
        tried.new_matrix = tried.tells || usual ? AVCOL_SPC_UNSPECIFIED : named;
    }
    const bool ranged =
        uses_full_range(known) ||
        (uses_limited_range(known) && (is_gray(known.format) || becomes_gray(known, output, task, container)));
    if (stream.graphed.new_matrix) {
        const AVColorSpace matrix = std::exchange(known.matrix, AVCOL_SPC_UNSPECIFIED);
        tried.new_matrix = tried.tells ? AVCOL_SPC_UNSPECIFIED : matrix;
    }
    const bool colours = !tried.tells && !lost_colours(known, {.format = known.format}, tried.stills).empty();
    if (!ranged && !known.mastering_display && !known.light_level && !known.icc_profile && !known.interlaced &&
        known.data == 0 && known.time_code.empty() && !has_rare_siting(known) && !colours &&
        tried.new_matrix == AVCOL_SPC_UNSPECIFIED && !tried.large_rgb && !is_limited_rgb(known)) {
        return RangeChange::none;
    }
    const OutputTrial trial = try_output(output, task, container, stream, *video.first, video.kept, *parts.pool);
    tried.tried = trial.told;
    // What cannot be read back from one picture is taken for silent, but for the bit streams that tell everything.
    tried.told = tried.tried.value_or(tried.tells ? known : ToldOfPictures{});
    tell_losses(tried);
    return change_of_range(tried, trial.encoded);
}

}  // namespace vfilter
