#include "io/codec/encoder_refusal.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "config/encoder_facts.h"
#include "io/codec/encoder_choice.h"
#include "io/formats/formats.h"

namespace vfilter {

namespace {

// libavcodec has no word for it, and a container may be given a GPU without this library.
std::string missing_driver(std::string_view encoder) {
    if (!encoder_facts(encoder).has(encoder_fact::nvidia)) {
        return "";
    }
    if (void* const library = dlopen("libnvidia-encode.so.1", RTLD_LAZY); library != nullptr) {
        dlclose(library);
        return "";
    }
    return "; libnvidia-encode.so.1 of the NVIDIA driver is not here, which a container gets with --gpus all and "
           "NVIDIA_DRIVER_CAPABILITIES=compute,video,utility";
}

// Whether a word stands in a text by itself: libavcodec writes "preset/tune" and "'crf'".
bool has_word(std::string_view text, std::string_view word) {
    const auto is_end = [&](std::size_t at) {
        return at >= text.size() || (std::isalnum(static_cast<unsigned char>(text[at])) == 0 && text[at] != '-');
    };
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
        if ((at == 0 || is_end(at - 1)) && is_end(at + word.size())) {
            return true;
        }
    }
    return false;
}

// Which option of the user's an encoder that does not open complains of, as it is written; "" if of none. Names of
// options are everyday's words: their value has to be told, too, or the name in quotes.
std::string complained_option(const OutputOptions& options, const std::string& complaint) {
    const bool of_preset = !options.preset.empty() && has_word(complaint, "preset");
    if (of_preset && std::ranges::find(known_presets, options.preset) == known_presets.end() &&
        has_word(complaint, options.preset)) {
        return "--preset " + options.preset;
    }
    for (const auto& [key, value] : options.encoder_options) {
        const bool both = has_word(complaint, key) && !value.empty() && has_word(complaint, value);
        const bool quoted = complaint.find(fmt::format("'{}'", key)) != std::string::npos ||
                            (value.size() > 2 && complaint.find(fmt::format("'{}'", value)) != std::string::npos);
        if (both || quoted) {
            return fmt::format("--encoder-option {}={}", key, value);
        }
    }
    if (of_preset) {
        return "--preset " + options.preset;
    }
    if (options.crf && has_word(complaint, "crf")) {
        return fmt::format("--crf {:g}", *options.crf);
    }
    return options.bitrate && has_word(complaint, "bitrate") ? fmt::format("--bitrate {}", *options.bitrate) : "";
}

// For whoever has pictures of a size that the codec does not have.
std::string way_out(const AVCodecContext& context, std::string_view why) {
    if (context.codec_id == AV_CODEC_ID_H263) {
        return " --codec h264 takes any size";
    }
    if (why.find("not divisible by 2") == std::string_view::npos || context.width < 2) {
        return "";
    }
    return fmt::format("; --vf scale={}:-2 makes even sides{}", context.width / 2 * 2,
                       context.codec_id == AV_CODEC_ID_H264 ? ", and --pix-fmt yuv444p takes these" : "");
}

// Of an encoder's own words, which people know from its own program, those for which libavcodec has others.
struct OwnWord {
    std::string_view typed;
    std::string_view option;
};
constexpr OwnWord own_words[] = {{"bframes", "bf"},
                                 {"b-frames", "bf"},
                                 {"keyint", "g"},
                                 {"gop", "g"},
                                 {"min-keyint", "keyint_min"},
                                 {"ref", "refs"},
                                 {"vbv-maxrate", "maxrate"},
                                 {"vbv-bufsize", "bufsize"},
                                 {"scenecut", "sc_threshold"},
                                 {"qpmin", "qmin"},
                                 {"qpmax", "qmax"}};

}  // namespace

std::string option_meant(std::string_view typed) {
    const auto* const row = std::ranges::find(own_words, typed, &OwnWord::typed);
    return row == std::end(own_words) ? "" : std::string(row->option);
}

Error encoder_refusal(const OutputOptions& options, const std::string& encoder, const AVCodecContext& context,
                      const std::string& complaint) {
    std::string why = complaint;
    std::ranges::replace(why, '\n', ' ');
    if (const std::string option = complained_option(options, why); !option.empty()) {
        const bool named = option.starts_with("--preset") && encoder_facts(encoder).has(encoder_fact::named_presets);
        if (named && why.ends_with('.')) {
            why.pop_back();
        }
        return {ExitCode::encoder,
                fmt::format("{}: the encoder {} does not take it: {}{}", option, encoder, why,
                            named ? fmt::format(", and --list presets has none of that name: There are {}",
                                                fmt::join(known_presets, ", "))
                                  : "")};
    }
    const std::string instead = instead_of_hardware(encoder);
    return {ExitCode::encoder,
            fmt::format("the encoder {} refuses {}x{} {}: {}{}{}{}", encoder, context.width, context.height,
                        name_of(context.pix_fmt), why, missing_driver(encoder), way_out(context, why),
                        instead.empty() ? "" : fmt::format(" ({})", instead))};
}

// FFmpeg refuses 8-bit 4:2:0 and 4:2:2 alone of FFVHUFF; of others the columns or rows of chroma at the edge came out
// wrong.
std::string lost_by_size(const AVCodecContext& context) {
    if (context.codec_id == AV_CODEC_ID_FLASHSV && context.width == 1 && context.height == 1) {
        return "libavcodec ends the program with pictures of a single pixel; ffv1 keeps it";
    }
    const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(context.pix_fmt);
    if (context.codec_id != AV_CODEC_ID_FFVHUFF || d == nullptr) {
        return "";
    }
    const int columns = 1 << d->log2_chroma_w;
    const int rows = 1 << d->log2_chroma_h;
    const bool wide = context.width % columns != 0;
    const bool works = context.pix_fmt == AV_PIX_FMT_YUV420P || (columns == 1 && context.width % 2 == 0);
    if (!wide && (context.height % rows == 0 || works)) {
        return "";
    }
    return fmt::format("the chroma at the edge would come out wrong, where the {} is no multiple of {}; ffv1 keeps it",
                       wide ? "width" : "height", wide ? columns : rows);
}

bool is_in_list_of_user(const OutputOptions& options, const std::string& refused) {
    return std::ranges::any_of(options.encoder_options, [&](const auto& option) {
        for (std::string_view left = option.second; option.first.ends_with("-params") && !left.empty();) {
            const std::size_t end = std::min(left.find(':'), left.size());
            const std::string_view name = left.substr(0, std::min(left.find('='), end));
            if (!name.empty() && refused.find(name) != std::string::npos) {
                return true;
            }
            left.remove_prefix(std::min(end + 1, left.size()));
        }
        return false;
    });
}

// From version 2 on, which has a header, FFV1 cuts pictures into slices wherever luma can be cut: the last ones may
// leave out a sample of a chroma that has one for four of luma.
std::string lost_in_slices(const AVCodecContext& context) {
    const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(context.pix_fmt);
    if (context.codec_id != AV_CODEC_ID_FFV1 || context.extradata_size == 0 || d == nullptr) {
        return "";
    }
    const auto is_cut = [](int size, int shift) { return shift > 1 && size % (1 << shift) != 0; };
    const bool wide = is_cut(context.width, d->log2_chroma_w);
    if (!wide && !is_cut(context.height, d->log2_chroma_h)) {
        return "";
    }
    return fmt::format(
        "the chroma at the edge would come out wrong, where the {} is no multiple of 4; without level, slices and "
        "slicecrc ffv1 keeps it",
        wide ? "width" : "height");
}

}  // namespace vfilter
