#include "io/codec/encoder_formats.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <functional>

#include "config/encoder_facts.h"
#include "config/error.h"
#include "io/codec/encoder_choice.h"
#include "io/codec/encoder_settings.h"
#include "io/codec/palette.h"
#include "io/compat.h"
#include "io/containers.h"
#include "io/formats/bgr_picture.h"
#include "io/formats/formats.h"
#include "io/formats/full_range.h"
#include "io/formats/samples.h"

namespace vfilter {

namespace {

// A file of YUV says by no number which one it is, so that readers take another one: TIFF means BT.601 (TIFF 6.0,
// section 21), JPEG 2000 its full range (sYCC), and some know neither.
constexpr AVCodecID rgb_alone[] = {AV_CODEC_ID_TIFF, AV_CODEC_ID_JPEG2000};

// Where alpha is a second stream, which has to be kept beside the first one; or where a profile has none.
bool writes_alpha(const AVCodec& codec, const AVOutputFormat& container, const OutputOptions& options) {
    const EncoderFacts& facts = encoder_facts(codec.name);
    if (facts.has(encoder_fact::second_alpha)) {
        return is_matroska(container) || container.codec_tag == nullptr;
    }
    return !facts.has(encoder_fact::profile_alpha) ||
           std::ranges::none_of(options.encoder_options, [](const auto& option) {
               const auto& [key, value] = option;
               return (key == "alpha_bits" && value.find_first_not_of('0') == std::string::npos) ||
                      (key == "profile" && !value.starts_with("4444") && value != "4" && value != "5" &&
                       value != "auto");
           });
}

// What the muxer of y4m has a name for, and its readers know.
bool is_in_y4m(const AVPixFmtDescriptor& d) {
    constexpr int depths[] = {8, 9, 10, 12, 14, 16};
    const bool planar = d.nb_components == 1 || (d.flags & AV_PIX_FMT_FLAG_PLANAR) != 0;
    const bool known = planar && (d.flags & (AV_PIX_FMT_FLAG_ALPHA | AV_PIX_FMT_FLAG_BE | AV_PIX_FMT_FLAG_PAL |
                                             AV_PIX_FMT_FLAG_FLOAT | AV_PIX_FMT_FLAG_BITSTREAM)) == 0;
    const int depth = d.comp[0].depth;
    if (!known || d.comp[0].shift != 0 || std::ranges::find(depths, depth) == std::end(depths)) {
        return false;
    }
    if (colours_of(d) == Colours::gray) {
        return depth != 14;
    }
    return colours_of(d) == Colours::yuv && d.nb_components == 3 && d.comp[1].plane != d.comp[2].plane &&
           d.log2_chroma_h <= d.log2_chroma_w && (d.log2_chroma_w < 2 || (depth == 8 && d.log2_chroma_h == 0));
}

std::vector<AVPixelFormat> all_formats(const std::function<bool(const AVPixFmtDescriptor&)>& wanted) {
    std::vector<AVPixelFormat> formats;
    for (const AVPixFmtDescriptor* d = av_pix_fmt_desc_next(nullptr); d != nullptr; d = av_pix_fmt_desc_next(d)) {
        if (wanted(*d)) {
            formats.push_back(av_pix_fmt_desc_get_id(d));
        }
    }
    return formats;
}

// In words that follow "pictures are converted". `for_it`: as the encoder takes no others; else the filters of --vf
// convert them.
std::string words_of_conversion(const AVCodecContext& encoder, const OutputOptions& options, const EncodeTask& task,
                                AVPixelFormat kept, bool for_it) {
    const std::string loss = loss_between(kept, encoder.pix_fmt);
    const std::string named = loss.starts_with("with loss of") ? ", " + loss : "";
    const std::string whole =
        fmt::format("from {} to {} {}", name_of(kept), name_of(encoder.pix_fmt),
                    for_it ? fmt::format("for the encoder {}", encoder.codec->name) : "by the filters of --vf");
    if (task.limit_range) {
        return fmt::format("{}, in the limited range{}", whole, named);
    }
    // libwebp takes RGB, and makes of it what WebP with loss can be.
    const bool halves =
        encoder_facts(encoder.codec->name).has(encoder_fact::halves_chroma) && !asks_for_lossless(options);
    return halves ? fmt::format("{}{}, of which it makes 4:2:0; --encoder-option lossless=1 does not", whole, named)
                  : fmt::format("{}, {}", whole, loss);
}

// What nobody has asked for and many players lack: H.264 of 4:4:4 or RGB in mp4 and mov.
void tell_whole_chroma(const AVCodecContext& encoder, const AVOutputFormat& container, const OutputOptions& options) {
    const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(encoder.pix_fmt);
    constexpr int with_chroma = 3;
    if (encoder.codec_id == AV_CODEC_ID_H264 && is_quicktime(container) && options.pix_fmt.empty() && d != nullptr &&
        d->nb_components >= with_chroma && d->log2_chroma_w == 0 && d->log2_chroma_h == 0) {
        spdlog::info(
            "many players cannot play H.264 with full-resolution chroma ({}); --pix-fmt yuv420p halves "
            "its resolution",
            name_of(encoder.pix_fmt));
    }
}

}  // namespace

std::vector<AVPixelFormat> taken_formats(const AVCodec& codec, const AVOutputFormat& container,
                                         const OutputOptions& options, const EncodeTask& task) {
    std::vector<AVPixelFormat> formats;
    if (!task.pix_fmts.empty()) {
        for (const std::string& name : task.pix_fmts) {
            formats.push_back(av_get_pix_fmt(name.c_str()));
        }
        return formats;
    }
    if (std::string_view(container.name) == "filmstrip") {
        return {AV_PIX_FMT_RGBA};
    }
    if (codec.id == AV_CODEC_ID_RAWVIDEO && (container.flags & AVFMT_NOTIMESTAMPS) == 0) {
        return all_formats(
            [&](const AVPixFmtDescriptor& d) { return holds_raw(container, av_pix_fmt_desc_get_id(&d)); });
    }
    if (container_of(container).has(fact::y4m)) {
        return all_formats(is_in_y4m);
    }
    const AVPixelFormat* known = encoder_pixel_formats(codec);
    for (; known != nullptr && *known != AV_PIX_FMT_NONE; ++known) {
        formats.push_back(*known);
    }
    const bool rgb = options.pix_fmt.empty() && std::ranges::find(rgb_alone, codec.id) != std::end(rgb_alone);
    const bool alpha = writes_alpha(codec, container, options);
    std::erase_if(formats, [&](AVPixelFormat format) {
        const AVPixFmtDescriptor& d = *av_pix_fmt_desc_get(format);
        return (rgb && (colours_of(d) == Colours::yuv || colours_of(d) == Colours::xyz)) ||
               (!alpha && (d.flags & AV_PIX_FMT_FLAG_ALPHA) != 0);
    });
    return formats;
}

std::vector<AVPixelFormat> formats_taken(const OutputOptions& options, const EncodeTask& task,
                                         const AVOutputFormat& container) {
    const AVCodec& codec = choose_codec(options, container);
    if (makes_palettes(codec, options)) {
        // That of which palettes are made, so that what is scaled is not halved in its chroma once more, and what needs
        // none.
        return {AV_PIX_FMT_RGB32, AV_PIX_FMT_GRAY8, AV_PIX_FMT_PAL8};
    }
    if (!options.pix_fmt.empty()) {
        const AVPixelFormat wanted = av_get_pix_fmt(options.pix_fmt.c_str());
        return wanted == AV_PIX_FMT_NONE ? std::vector<AVPixelFormat>{} : std::vector{wanted};
    }
    return taken_formats(codec, container, options, task);
}

void keep_true_formats(std::string_view encoder, AVPixelFormat pictures, std::vector<AVPixelFormat>& taken) {
    constexpr int most_bits = 10;
    const AVPixFmtDescriptor* const given = av_pix_fmt_desc_get(pictures);
    if (!encoder_facts(encoder).has(encoder_fact::nvidia)) {
        return;
    }
    std::erase_if(taken, [&](AVPixelFormat format) {
        const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(format);
        return (d->flags & AV_PIX_FMT_FLAG_ALPHA) != 0 ||
               (given != nullptr && given->comp[0].depth > most_bits && d->comp[0].depth > most_bits);
    });
}

AVPixelFormat choose_encoder_format(const OutputOptions& options, const EncodeTask& task,
                                    const AVOutputFormat& container, const AVCodecContext& encoder,
                                    AVPixelFormat kept) {
    std::vector<AVPixelFormat> taken = taken_formats(*encoder.codec, container, options, task);
    if (task.full_range) {
        std::erase_if(taken, [](AVPixelFormat known) { return without_j(known) == known && has_range(known); });
    }
    AVPixelFormat format = kept;
    if (!options.pix_fmt.empty()) {
        format = av_get_pix_fmt(options.pix_fmt.c_str());
        if (format == AV_PIX_FMT_NONE) {
            throw Error(ExitCode::usage, fmt::format("--pix-fmt: FFmpeg knows no pixel format '{}'", options.pix_fmt));
        }
    }
    keep_true_formats(encoder.codec->name, kept, taken);
    // An encoder that lists a format with a J takes the one without as well, given the range.
    const auto takes = [&](AVPixelFormat wanted) {
        return taken.empty() || std::ranges::any_of(taken, [&](AVPixelFormat known) {
                   return known == wanted || (without_j(known) == wanted && encoder.color_range == AVCOL_RANGE_JPEG);
               });
    };
    if (!takes(format)) {
        const AVPixelFormat nearest = nearest_of(taken, format);
        if (!options.pix_fmt.empty() || nearest == AV_PIX_FMT_NONE) {
            std::string others;
            for (const AVPixelFormat known : taken) {
                others += fmt::format("{}{}", others.empty() ? "; it takes " : ", ", name_of(known));
            }
            const bool raw = encoder.codec_id == AV_CODEC_ID_RAWVIDEO;  // which takes all
            throw Error(ExitCode::encoder, fmt::format("{} does not take {} pictures{}{}",
                                                       raw ? name_of_output(container)
                                                           : fmt::format("the encoder {}", encoder.codec->name),
                                                       name_of(format), raw ? " as they are (rawvideo)" : "", others));
        }
        format = nearest;
    }
    return format;
}

void tag_converted(AVCodecContext& encoder, AVPixelFormat kept, AVColorSpace named) {
    const Colours from = colours_of(*av_pix_fmt_desc_get(kept));
    const Colours to = colours_of(*av_pix_fmt_desc_get(encoder.pix_fmt));
    const bool from_rgb = from == Colours::rgb || from == Colours::xyz;
    if (from_rgb && to == Colours::gray) {
        encoder.colorspace = AVCOL_SPC_UNSPECIFIED;
        encoder.color_range = AVCOL_RANGE_JPEG;
    } else if (from_rgb && to != Colours::rgb) {
        encoder.colorspace = named != AVCOL_SPC_UNSPECIFIED ? named : AVCOL_SPC_SMPTE170M;
        encoder.color_range = AVCOL_RANGE_MPEG;
    } else if (to == Colours::rgb) {
        const bool limited = from == Colours::rgb && encoder.color_range == AVCOL_RANGE_MPEG;  // and stays so
        encoder.colorspace = AVCOL_SPC_RGB;
        encoder.color_range = limited ? AVCOL_RANGE_MPEG : AVCOL_RANGE_JPEG;
    } else if (from == Colours::gray && to == Colours::yuv && encoder.color_range == AVCOL_RANGE_UNSPECIFIED) {
        encoder.color_range = AVCOL_RANGE_JPEG;  // without a tag gray is full, YUV is not
    } else if (from == Colours::yuv && to == Colours::gray && encoder.color_range == AVCOL_RANGE_UNSPECIFIED) {
        encoder.color_range = AVCOL_RANGE_MPEG;  // for the same reason
    }
    if (without_j(encoder.pix_fmt) != encoder.pix_fmt) {
        encoder.color_range = AVCOL_RANGE_JPEG;
    }
}

void tag_full_gray(AVCodecContext& encoder, AVPixelFormat kept) {
    constexpr AVCodecID with_a_tag[] = {AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_AV1};
    if (is_gray(kept) && encoder.color_range == AVCOL_RANGE_UNSPECIFIED &&
        std::ranges::find(with_a_tag, encoder.codec_id) != std::end(with_a_tag)) {
        encoder.color_range = AVCOL_RANGE_JPEG;
    }
}

void tell_conversions(const OutputOptions& options, const EncodeTask& task, const AVOutputFormat& container,
                      const GraphedFormats& graphed, const AVCodecContext& encoder, AVPixelFormat kept) {
    if (task.trial) {
        return;
    }
    // A graph has converted them already, as the encoder takes no others, or as its filters do not.
    const auto loses = [&](AVPixelFormat from) {
        return from != AV_PIX_FMT_NONE && loss_between(without_j(from), encoder.pix_fmt).starts_with("with loss");
    };
    const bool by_graph = loses(graphed.before);
    // What the user asked for is no loss without a word.
    const auto tell = [&](AVPixelFormat from, bool for_it = true) {
        const bool lost = options.pix_fmt.empty() && loses(from);
        spdlog::log(lost ? spdlog::level::warn : spdlog::level::info, "pictures are converted {}",
                    words_of_conversion(encoder, options, task, from, for_it));
    };
    if (loses(graphed.unbound) && graphed.unbound != graphed.before) {
        tell(graphed.unbound);
    }
    if (by_graph || encoder.pix_fmt != kept) {
        const std::vector<AVPixelFormat> taken = formats_taken(options, task, container);
        const bool for_encoder = !by_graph || std::ranges::find(taken, graphed.before) == taken.end();
        tell(by_graph ? graphed.before : kept, for_encoder);
    }
    if (task.pass != 1) {
        tell_whole_chroma(encoder, container, options);
    }
}

void tell_hdr_in_few_bits(const AVCodecContext& encoder, AVPixelFormat given) {
    constexpr int min_depth = 10;
    const AVColorTransferCharacteristic curve = encoder.color_trc;
    const AVPixFmtDescriptor* const from = av_pix_fmt_desc_get(given);
    const AVPixFmtDescriptor* const to = av_pix_fmt_desc_get(encoder.pix_fmt);
    const auto has_bits = [](const AVPixFmtDescriptor* d) { return d == nullptr || d->comp[0].depth >= min_depth; };
    if ((curve != AVCOL_TRC_SMPTE2084 && curve != AVCOL_TRC_ARIB_STD_B67) || has_bits(to) || !has_bits(from)) {
        return;
    }
    std::vector<AVPixelFormat> deep;
    const AVPixelFormat* taken = encoder_pixel_formats(*encoder.codec);
    for (; taken != nullptr && *taken != AV_PIX_FMT_NONE; ++taken) {
        if (has_bits(av_pix_fmt_desc_get(*taken))) {
            deep.push_back(*taken);
        }
    }
    const AVPixelFormat nearest = nearest_of(deep, given);
    spdlog::warn(
        "the pictures are HDR ({}) and go to {} bits without tone mapping: they will show bands, and look grey where "
        "HDR is not known; {} keeps ten bits",
        av_color_transfer_name(curve), to->comp[0].depth,
        nearest == AV_PIX_FMT_NONE ? "another --codec" : "--pix-fmt " + name_of(nearest));
}

void tell_guessed_matrix(const AVCodecContext& encoder, const AVFrame& first, bool guessed_rgb) {
    if (guessed_rgb) {
        spdlog::warn(
            "the pictures do not state their colour matrix and are converted as BT.601, although players "
            "assume BT.709 at the input's size; put --vf setparams=colorspace=bt709 first to take them "
            "for BT.709");
        return;
    }
    const bool guessed = is_yuv(static_cast<AVPixelFormat>(first.format)) &&
                         first.colorspace == AVCOL_SPC_UNSPECIFIED &&
                         matrix_of(first.colorspace, first.width, first.height) != AVCOL_SPC_SMPTE170M;
    const bool made_rgb = is_rgb(encoder.pix_fmt);
    const bool means_bt601 =
        is_yuv(encoder.pix_fmt) && (encoder.codec_id == AV_CODEC_ID_MJPEG || encoder.codec_id == AV_CODEC_ID_WEBP);
    if (guessed && (made_rgb || means_bt601)) {
        spdlog::warn(
            "the pictures do not state their colour matrix and are converted as BT.601, although players "
            "assume BT.709 at this size; {} takes them for BT.709",
            made_rgb ? "--vf setparams=colorspace=bt709"
                     : "--vf scale=in_color_matrix=bt709:out_color_matrix=smpte170m");
    }
}

std::string_view space_of_profile(const AVFrameSideData& profile) {
    constexpr std::size_t space_at = 16;
    constexpr std::size_t space_size = 4;
    return profile.size < space_at + space_size
               ? std::string_view()
               : std::string_view(reinterpret_cast<const char*>(profile.data) + space_at, space_size);
}

bool fits_profile(const AVFrameSideData& profile, AVPixelFormat from, AVPixelFormat to) {
    const std::string_view space = space_of_profile(profile);
    return space != "CMYK" && (space != "GRAY" || is_gray(to)) && (space != "RGB " || !is_gray(to) || is_gray(from));
}

}  // namespace vfilter
