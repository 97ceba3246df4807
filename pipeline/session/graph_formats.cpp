#include "pipeline/session/graph_formats.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "config/error.h"
#include "config/lavfi/facts.h"
#include "config/lavfi/graph_reader.h"
#include "io/codec/encoder_formats.h"
#include "io/formats/format_facts.h"
#include "io/formats/formats.h"
#include "io/formats/rgb_yuv.h"

namespace vfilter {

namespace {

// What libavfilter makes of samples that are finer than ours, as a part of a sentence; "" of others.
std::string way_to_round(AVPixelFormat given) {
    constexpr std::array<std::string_view, 4> rounded{"gray16", "ya16", "gbrp16", "gbrap16"};
    const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(given);
    if (d == nullptr || d->nb_components == 0 || is_hardware_format(given) ||
        (!has_floats(given) && d->comp[0].depth <= 16)) {
        return "";
    }
    return fmt::format("; --vf format={} before other filters rounds them, and cuts what is above white",
                       rounded.at(static_cast<std::size_t>(d->nb_components) - 1));
}

bool has_single_floats(AVPixelFormat format) {
    const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(format);
    constexpr int bits = 32;
    return has_floats(format) && d->comp[0].depth == bits;
}

// "gray16" of "format=gray16,hflip"; "" where it begins otherwise.
std::string first_format_named(std::string_view graph) {
    const lavfi::GraphText read = lavfi::read_graph(graph);
    const bool first = !read.filters.empty() && read.filters.front().name == "format";
    return first ? lavfi::first_value(read.filters.front(), "pix_fmts").value_or("") : "";
}

}  // namespace

AVPixelFormat native_format(AVPixelFormat given) {
    const AVPixelFormat native = nearest_native(given);
    if (native == AV_PIX_FMT_NONE) {
        throw Error(ExitCode::input, fmt::format("pictures of format {} cannot be filtered: {}{}", name_of(given),
                                                 why_not_native(given), way_to_round(given)));
    }
    if (native != given) {
        spdlog::info("pictures are converted from {} to {} to be filtered, without loss", name_of(given),
                     name_of(native));
    }
    return native;
}

AVPixelFormat format_for_graph(std::string_view graph, AVPixelFormat given) {
    if (!has_single_floats(given)) {
        return given;
    }
    const AVPixelFormat asked = av_get_pix_fmt(first_format_named(graph).c_str());
    const bool same_colours = (is_gray(asked) && is_gray(given)) || (is_rgb(asked) && is_rgb(given));
    return same_colours && kept_format(asked) == asked && nearest_native(asked) != AV_PIX_FMT_NONE ? asked : given;
}

std::vector<AVPixelFormat> wanted_formats(const Options& options, const EncodeTask& task,
                                          const AVOutputFormat* container) {
    if (container == nullptr) {
        return native_formats();
    }
    std::vector<AVPixelFormat> formats = formats_taken(options.output, task, *container);
    std::erase_if(formats, [](AVPixelFormat format) {
        return without_j(format) != format || av_pix_fmt_desc_get(format) == nullptr || is_hardware_format(format);
    });
    return formats;
}

bool leaves_samples(const std::string& graph, AVPixelFormat given) {
    const std::vector<std::string> filters = lavfi::names_in(graph);
    const bool known = !filters.empty() && std::ranges::all_of(filters, [](const std::string& filter) {
        return lavfi::has(filter, lavfi::leaves_samples);
    });
    // Of a J libavfilter knows the range, of which others do not.
    const bool plain =
        without_j(given) == given && kept_format(given) == given && nearest_native(given) != AV_PIX_FMT_NONE;
    const std::string matrix = named_by(graph, "colorspace");
    return known && plain && (matrix.empty() || !is_rgb(given) || named_matrix(graph) != AVCOL_SPC_UNSPECIFIED);
}

std::string named_by(std::string_view graph, std::string_view option) {
    std::string value;
    for (const lavfi::GraphFilter& filter : lavfi::read_graph(graph).filters) {
        if (filter.name == "setparams") {
            value = lavfi::value_of(filter, option).value_or(value);
        } else if (lavfi::has(filter.name, lavfi::converts)) {
            value.clear();
        }
    }
    return value;
}

AVColorSpace named_matrix(std::string_view graph) {
    const std::string name = named_by(graph, "colorspace");
    for (int i = 0; i < AVCOL_SPC_NB; ++i) {
        const auto matrix = static_cast<AVColorSpace>(i);
        const char* const known = av_color_space_name(matrix);
        if (known != nullptr && (name == known || name == std::to_string(i)) && is_known_matrix(matrix)) {
            return matrix;
        }
    }
    return AVCOL_SPC_UNSPECIFIED;
}

}  // namespace vfilter
