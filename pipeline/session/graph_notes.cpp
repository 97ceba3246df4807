#include "pipeline/session/graph_notes.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "config/lavfi/facts.h"
#include "config/lavfi/graph_reader.h"
#include "config/option_values.h"
#include "io/codec/picture_changes.h"
#include "io/compat.h"
#include "io/formats/bgr_picture.h"
#include "io/formats/format_facts.h"
#include "io/formats/formats.h"
#include "io/formats/full_range.h"
#include "pipeline/session/colours.h"
#include "pipeline/session/graph_formats.h"

namespace vfilter {

namespace {

// Whether a graph's text has that word.
bool names(std::string_view graph, std::string_view word) {
    const auto is_part = [](char c) { return (std::isalnum(static_cast<unsigned char>(c)) != 0) || c == '_'; };
    for (std::size_t at = graph.find(word); at != std::string_view::npos; at = graph.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || !is_part(graph[at - 1])) && (end == graph.size() || !is_part(graph[end]))) {
            return true;
        }
    }
    return false;
}

// 0 of floating point, which filters reckon in.
int depth_of(AVPixelFormat format) {
    const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(format);
    return d == nullptr || has_floats(format) ? 0 : d->comp[0].depth;
}

// Some filters take pictures with alpha alone, and leave it opaque.
bool makes_alpha(const std::string& graph) {
    return lavfi::some_have(graph, lavfi::makes_alpha) || !lavfi::some_have(graph, lavfi::opaque);
}

}  // namespace

bool is_retimed(const std::string& graph) {
    return lavfi::names_filter(graph, "setpts");
}

bool names_format(const std::vector<ForeignStep>& steps, AVPixelFormat format) {
    constexpr std::size_t order = 2;  // "le"
    const std::string name = name_of(format);
    const std::string plain = name.substr(0, name.size() - std::min(order, name.size()));
    const bool has_order = av_get_pix_fmt(plain.c_str()) == format;  // yuv420p10 is yuv420p10le here
    return std::ranges::any_of(steps, [&](const ForeignStep& step) {
        return lavfi::names_filter(step.graph, "format") &&
               (names(step.graph, name) || (has_order && names(step.graph, plain)));
    });
}

// Words of a file have times of the whole input, unless a graph sets times for them.
void tell_late_words(const std::vector<ForeignStep>& steps, const std::string& graph, double start) {
    const auto sets_times = [](const ForeignStep& step) { return is_retimed(step.graph); };
    if (start <= 0 || !lavfi::some_have(graph, lavfi::shows_words) || std::ranges::any_of(steps, sets_times)) {
        return;
    }
    const double rounded = std::round(start * 1e3) / 1e3;
    spdlog::warn(
        "--vf {}: time begins with 0 for it at --start, so that words which are timed for the whole input come {} s "
        "late: setpts=PTS+{}/TB before and setpts=PTS-{}/TB behind it, in the same --vf, set that right",
        graph, rounded, rounded, rounded);
}

// What is said of a part of the pictures FFmpeg leaves out where they get another size.
void tell_lost_part(const std::string& graph, unsigned lost) {
    for (std::size_t i = 0; i < picture_data().size(); ++i) {
        if ((lost & 1U << i) != 0 && picture_data()[i].type == AV_FRAME_DATA_PANSCAN) {
            spdlog::warn("{} is lost: --vf {} makes pictures of another size", picture_data()[i].name, graph);
        }
    }
}

AVPixelFormat richer_format(const std::vector<ForeignStep>& steps, AVPixelFormat given, AVPixelFormat made) {
    const bool alpha = has_alpha(made) && !has_alpha(given) &&
                       std::ranges::any_of(steps, [](const ForeignStep& step) { return makes_alpha(step.graph); });
    const bool richer = alpha || depth_of(made) > depth_of(given) || (is_yuv(made) && names_format(steps, made));
    return richer ? made : AV_PIX_FMT_NONE;
}

bool keeps_no_fields(const std::string& graph, const AVFrame& before, const AVFrame& made) {
    // Those that make whole pictures, or say by themselves what theirs are, and those that draw others.
    return is_interlaced(before) && !is_interlaced(made) && !lavfi::some_have(graph, lavfi::says_scan | lavfi::draws);
}

void tell_lost_fields(const std::string& graph, const AVFrame& before) {
    spdlog::warn(
        "--vf {}: takes interlaced pictures for whole ones, and those that it gives do not say any more that two "
        "fields "
        "lie in them: --vf bwdif before it makes whole pictures of them, or setfield={} at its end says it again, "
        "where "
        "its filters leave each row where it was",
        graph, is_top_field_first(before) ? "tff" : "bff");
}

AVColorSpace unsaid_matrix(const FilterGraph& graph, const GraphPictures& before, const AVFrame& made,
                           AVColorSpace of_rgb) {
    if (!is_yuv(static_cast<AVPixelFormat>(made.format)) || said(made.colorspace) != AVCOL_SPC_UNSPECIFIED) {
        return AVCOL_SPC_UNSPECIFIED;
    }
    const GraphMatrix matrix = graph.matrix();
    const bool usual = matrix.made == AVCOL_SPC_SMPTE170M;
    const AVColorSpace told = is_yuv(before.format) ? said(before.matrix) : AVCOL_SPC_UNSPECIFIED;
    AVColorSpace meant = matrix.made;
    if (is_rgb(before.format)) {
        meant = usual && of_rgb != AVCOL_SPC_UNSPECIFIED ? of_rgb : meant;
    } else if (is_yuv(before.format) && told == AVCOL_SPC_UNSPECIFIED) {
        // What was made RGB and YUV again by one matrix means what it did.
        const bool stays = matrix.made == AVCOL_SPC_UNSPECIFIED ? !matrix.named : usual && matrix.guesses;
        meant = stays ? matrix_of(AVCOL_SPC_UNSPECIFIED, before.width, before.height) : meant;
    }
    if (told == AVCOL_SPC_UNSPECIFIED) {
        return meant == matrix_of(AVCOL_SPC_UNSPECIFIED, made.width, made.height) ? AVCOL_SPC_UNSPECIFIED : meant;
    }
    return is_bt601(meant) && is_bt601(told) ? told : meant;
}

AVColorSpace matrix_of_guess(const FilterGraph& graph, const GraphPictures& before, AVPixelFormat made,
                             AVColorSpace of_rgb) {
    if (!is_rgb(made)) {
        return AVCOL_SPC_UNSPECIFIED;
    }
    if (!is_yuv(before.format) || said(before.matrix) != AVCOL_SPC_UNSPECIFIED) {
        return is_rgb(before.format) ? of_rgb : AVCOL_SPC_UNSPECIFIED;
    }
    const AVColorSpace meant = matrix_of(AVCOL_SPC_UNSPECIFIED, before.width, before.height);
    return graph.matrix().guesses && !is_bt601(meant) ? meant : AVCOL_SPC_UNSPECIFIED;
}

void tell_matrix(const std::string& graph, const GraphPictures& before, const AVFrame& made) {
    const AVColorSpace told = is_yuv(before.format) ? said(before.matrix) : AVCOL_SPC_UNSPECIFIED;
    const char* const name = av_color_space_name(made.colorspace);
    if (told == made.colorspace || !is_yuv(before.format)) {
        return;
    }
    if (told != AVCOL_SPC_UNSPECIFIED) {
        spdlog::info("--vf {}: the matrix of the pictures, {}, becomes {}: of its RGB libavfilter makes YUV by that",
                     graph, av_color_space_name(told), name);
        return;
    }
    spdlog::info(
        "--vf {}: the pictures do not say their matrix, and get the tag {}: players would take them, in the size that "
        "they have now, for those of another one",
        graph, name);
}

void tell_lost_range(const std::string& graph, AVPixelFormat format, AVColorRange range) {
    constexpr std::string_view full = "pc full jpeg 2";
    constexpr std::string_view limited = "tv limited mpeg 1";
    const std::string named = named_by(graph, "range");
    const bool is_full = range == AVCOL_RANGE_JPEG;
    const bool lost = (has_word(full, named) && !is_full) || (has_word(limited, named) && is_full);
    if (!named.empty() && lost && has_range(format)) {
        spdlog::warn(
            "--vf {}: names the range {}, which its pictures do not have: they become {} of the {} range behind it",
            graph, named, av_get_pix_fmt_name(format), is_full ? "full" : "limited");
    }
}

}  // namespace vfilter
