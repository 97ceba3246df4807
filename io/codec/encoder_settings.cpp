#include "io/codec/encoder_settings.h"

extern "C" {
#include <libavutil/cpu.h>
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libavutil/timecode.h>
}

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "config/encoder_facts.h"
#include "config/letters.h"
#include "io/codec/encoder_refusal.h"
#include "io/codec/picture_changes.h"
#include "io/compat.h"
#include "io/stills.h"

namespace vfilter {

namespace {

// An encoder library's own parameters are one option, a list whose later entries win, and so are flags (+cgop).
void add_setting(Dictionary& settings, const std::string& key, const std::string& value) {
    const AVDictionaryEntry* const earlier = av_dict_get(*settings.get(), key.c_str(), nullptr, 0);
    const bool flags = key == "flags" && (value.starts_with('+') || value.starts_with('-'));
    if (earlier != nullptr && (key.ends_with("-params") || flags)) {
        settings.set(key, fmt::format("{}{}{}", earlier->value, flags ? "" : ":", value));
    } else {
        settings.set(key, value);
    }
}

// Constant quality: what it is called, and how far it goes. Null for libavcodec's quantiser.
struct QualityScale {
    const char* key;
    double best;
    double worst;
};

// x264's tree of costs by AVX-512 reads memory that nobody has written behind rows of any other width, and the bytes
// are others from run to run (build 164).
constexpr int x264_tree_width = 128;

// Whether the user's own options of the encoder are about how many bits it makes.
bool sets_rate(const OutputOptions& options) {
    constexpr std::string_view keys[] = {"b",       "flags",   "global_quality", "maxrate", "minrate",
                                         "bufsize", "quality", "qscale",         "lossless"};
    return std::ranges::any_of(keys, [&](auto key) { return find_option(options.encoder_options, key) != nullptr; });
}

// What is without loss, ProRes, whose profile says how good it is, and pictures that have a quality or none.
bool has_no_rate(const AVCodec& encoder) {
    const AVCodecDescriptor* const facts = avcodec_descriptor_get(encoder.id);
    return encoder.id == AV_CODEC_ID_PRORES || encoder_facts(encoder.name).has(encoder_fact::no_rate) ||
           (facts != nullptr && (facts->props & AV_CODEC_PROP_LOSSLESS) != 0 &&
            (facts->props & AV_CODEC_PROP_LOSSY) == 0);
}

// What the table does not tell libavcodec knows.
std::optional<QualityScale> scale_of(const OutputOptions& options, const AVCodecContext& encoder,
                                     const EncoderFacts& facts) {
    const EncoderQuality& told = facts.quality;
    if (told.has_ends() &&
        (!facts.has(encoder_fact::from_qmin) || find_option(options.encoder_options, "qmin") == nullptr)) {
        return QualityScale{told.key, told.best, told.worst};
    }
    const AVOption* const crf = av_opt_find(encoder.priv_data, "crf", nullptr, 0, 0);
    return crf == nullptr ? std::nullopt : std::optional(QualityScale{"crf", std::max(crf->min, 0.0), crf->max});
}

void set_quality(const OutputOptions& options, const EncodeTask& task, bool watched, AVCodecContext& encoder,
                 Dictionary& settings) {
    const std::string_view name = encoder.codec->name;
    const EncoderFacts& facts = encoder_facts(name);
    const std::optional<QualityScale> row = scale_of(options, encoder, facts);
    // Live, a rate has to be kept.
    const bool rate = sets_rate(options) || (options.bitrate && !has_no_rate(*encoder.codec));
    const bool lone = facts.has(encoder_fact::lone_pictures);
    const bool still = stills_of(options) || lone;
    const bool usual =
        !options.crf && facts.quality.whose == EncoderQuality::Usual::set && !rate && (!watched || still);
    if (!options.crf && !usual) {
        return;
    }
    if (!row) {
        throw Error(ExitCode::usage,
                    fmt::format("--crf: the encoder {0} has no constant quality{1}; its options: ffmpeg -h encoder={0}",
                                name, has_no_rate(*encoder.codec) ? "" : "; --bitrate says how large its file is"));
    }
    const double quality = options.crf.value_or(facts.quality.usual);
    if (quality < std::min(row->best, row->worst) || quality > std::max(row->best, row->worst)) {
        throw Error(ExitCode::usage,
                    fmt::format("--crf: for {} it goes from {:g}, the best, to {:g}", name, row->best, row->worst));
    }
    if (usual && !task.trial) {
        spdlog::log(still ? spdlog::level::info : spdlog::level::debug,
                    "the pictures have quality {:g}, from {:g}, the best, to {:g} (--crf)", quality, row->best,
                    row->worst);
    }
    if (row->key == nullptr) {
        encoder.flags |= AV_CODEC_FLAG_QSCALE;
        encoder.global_quality = static_cast<int>(std::lround(quality * FF_QP2LAMBDA));
        encoder.qmin = std::min(encoder.qmin, static_cast<int>(quality));
        return;
    }
    settings.set(row->key, fmt::format("{:g}", quality));
    if (!lone) {
        settings.set("b", "0");
    }
}

const void* find_static_hdr(const AVStream& stream, const AVFrame& first, AVPacketSideDataType in_stream,
                            AVFrameSideDataType in_frame) {
    const void* found = nullptr;
    for_each_side_data(stream, [&](const AVPacketSideData& data) {
        if (data.type == in_stream) {
            found = data.data;
        }
    });
    const AVFrameSideData* const own = av_frame_get_side_data(&first, in_frame);
    return found == nullptr && own != nullptr ? own->data : found;
}

// "" where there is none. SMPTE ST 2086 and CTA-861.3, in the encoders' own writing.
std::string hdr_parameters(const HdrParameters& row, const AVStream& stream, const AVFrame& first) {
    const auto number = [&](AVRational value, int unit) {
        return row.fractions ? fmt::format("{:.5f}", av_q2d(value))
                             : fmt::format("{}", std::llround(av_q2d(value) * unit));
    };
    const auto point = [&](const AVRational(&at)[2]) {
        return fmt::format("({},{})", number(at[0], 50000), number(at[1], 50000));
    };
    std::string text;
    const auto* const display = static_cast<const AVMasteringDisplayMetadata*>(find_static_hdr(
        stream, first, AV_PKT_DATA_MASTERING_DISPLAY_METADATA, AV_FRAME_DATA_MASTERING_DISPLAY_METADATA));
    if (display != nullptr && display->has_primaries != 0 && display->has_luminance != 0) {
        text = fmt::format("{}=G{}B{}R{}WP{}L({},{})", row.display, point(display->display_primaries[1]),
                           point(display->display_primaries[2]), point(display->display_primaries[0]),
                           point(display->white_point), number(display->max_luminance, 10000),
                           number(display->min_luminance, 10000));
    }
    const auto* const light = static_cast<const AVContentLightMetadata*>(
        find_static_hdr(stream, first, AV_PKT_DATA_CONTENT_LIGHT_LEVEL, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL));
    if (light != nullptr) {
        text += fmt::format("{}{}={},{}", text.empty() ? "" : ":", row.light, light->MaxCLL, light->MaxFALL);
    }
    return text;
}

void tell_other_alpha(const OutputOptions& options, std::string_view key, std::string_view kept_by) {
    for (const auto& [own_key, own_value] : options.encoder_options) {
        if (own_key == key && own_value != kept_by) {
            spdlog::warn("alpha is lost by --encoder-option {}={}: {}={} keeps it", own_key, own_value, key, kept_by);
        }
    }
}

// DNxHR is dnxhd at any size, and its profile says which samples it has.
const char* dnxhr_profile(AVPixelFormat format) {
    const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(format);
    constexpr int few_bits = 8;
    return d->log2_chroma_w == 0 ? "dnxhr_444" : d->comp[0].depth > few_bits ? "dnxhr_hqx" : "dnxhr_hq";
}

// libavcodec's quantiser, by which ffmpeg's -q:v goes.
void refuse_quantiser(const AVCodecContext& encoder, const std::string& key) {
    if (key == "global_quality" && av_opt_find(encoder.priv_data, "crf", nullptr, 0, 0) != nullptr) {
        throw Error(ExitCode::usage,
                    fmt::format("-q:v (--encoder-option {}): the encoder {} has none; --crf N sets its quality", key,
                                encoder.codec->name));
    }
}

// One pass of two by itself writes its statistics wherever it is run, and encodes by a rate that nobody has found.
void refuse_pass(const std::string& key, const std::string& value) {
    const std::string entries = fmt::format(":{}:", value);
    const bool flag =
        key == "flags" && (value.find("pass1") != std::string::npos || value.find("pass2") != std::string::npos);
    const bool entry = key.ends_with("-params") && entries.find(":pass=") != std::string::npos;
    if (flag || entry) {
        throw Error(ExitCode::usage, fmt::format("--encoder-option {}={}: --two-pass runs both passes", key, value));
    }
}

// Of groups of pictures: the input's goes on.
void set_time_code(const AVCodecContext& encoder, const AVFrame& first, Dictionary& settings) {
    const std::string code = picture_time_code(first);
    AVTimecode valid;
    if (!code.empty() && av_timecode_init_from_string(&valid, encoder.framerate, code.c_str(), nullptr) >= 0) {
        settings.set("gop_timecode", code);
    }
}

// What an encoder complains of on stderr by itself, beside the error that libavcodec makes of it.
void refuse_unknown_words(const OutputOptions& options, const AVCodecContext& encoder, Dictionary& settings) {
    for (const KnownWords& known : encoder_facts(encoder.codec->name).words) {
        const AVDictionaryEntry* const set = av_dict_get(*settings.get(), known.key, nullptr, 0);
        for (std::string_view left = set != nullptr ? set->value : ""; !left.empty();) {
            const std::size_t end = std::min(left.find_first_of(known.separators), left.size());
            const std::string word = lower_case(left.substr(0, end));
            const bool digit =
                known.digits && word.size() == 1 && std::isdigit(static_cast<unsigned char>(word[0])) != 0;
            if (!word.empty() && !digit && std::ranges::find(known.words, word) == known.words.end()) {
                throw encoder_refusal(options, encoder.codec->name, encoder,
                                      fmt::format("it knows no {} '{}'.", known.key, set->value));
            }
            left.remove_prefix(std::min(end + 1, left.size()));
        }
    }
}

// What stands in the table for every run.
void set_usual(const OutputOptions& options, bool live, bool watched, const EncoderFacts& facts, Dictionary& settings) {
    // Besides which a default quality is a contradiction to some encoders (libvpx-vp9).
    const bool rate_given = options.crf || options.bitrate || asks_for_lossless(options);
    if (facts.quality.whose == EncoderQuality::Usual::told && !rate_given) {
        add_setting(settings, facts.quality.key, fmt::format("{:g}", facts.quality.usual));
    }
    for (const EncoderSetting& row : facts.settings) {
        const bool applies = row.when == EncoderSetting::always || (row.when == EncoderSetting::live && live) ||
                             (row.when == EncoderSetting::recorded && !watched) ||
                             (row.when == EncoderSetting::without_rate && !rate_given);
        if (row.key != nullptr && applies) {
            add_setting(settings, row.key, row.value);
        }
    }
}

// x265 prints what it does to stderr by itself, with a line for each of its settings.
const char* x265_log_level(bool trial) {
    return trial ? "none" : spdlog::should_log(spdlog::level::debug) ? "info" : "error";
}

// What a library is told of its own, in the list of its parameters.
void set_parameters(bool trial, const EncoderFacts& facts, const AVCodecContext& encoder, Dictionary& settings) {
    if (constexpr int widest = 48; facts.has(encoder_fact::narrow_tree) && encoder.width <= widest) {
        add_setting(settings, facts.parameters, "cutree=0");  // or the heap is damaged
    }
    if (facts.has(encoder_fact::own_stderr)) {
        add_setting(settings, facts.parameters, fmt::format("log-level={}", x265_log_level(trial)));
    }
    if (facts.has(encoder_fact::wide_tree) && encoder.width % x264_tree_width != 0 &&
        (av_get_cpu_flags() & AV_CPU_FLAG_AVX512) != 0) {
        add_setting(settings, facts.parameters, "asm=avx2");
    }
}

}  // namespace

bool asks_for_lossless(const OutputOptions& options) {
    // As FFmpeg reads numbers and booleans.
    constexpr std::string_view noes = " 0 false n no off disable disabled min none default ";
    const std::string* const given = find_option(options.encoder_options, "lossless");
    return given != nullptr && noes.find(" " + *given + " ") == std::string_view::npos;
}

void set_encoder_options(const OutputOptions& options, const EncodeTask& task, const PictureStream& stream,
                         const AVFrame& first, AVCodecContext& encoder, Dictionary& settings) {
    const std::string_view name = encoder.codec->name;
    const EncoderFacts& facts = encoder_facts(name);
    const bool watched = stream.live || task.streamed;
    set_usual(options, stream.live, watched, facts, settings);
    const auto has_alpha = [](int format) {
        const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(format));
        return d != nullptr && (d->flags & AV_PIX_FMT_FLAG_ALPHA) != 0;
    };
    if (const auto& [key, value] = facts.alpha;
        key != nullptr && has_alpha(first.format) && has_alpha(encoder.pix_fmt)) {
        settings.set(key, value);
        if (facts.has(encoder_fact::chosen_alpha) && !task.trial) {
            tell_other_alpha(options, key, value);
        }
    }
    if (options.codec == "dnxhr") {
        settings.set("profile", dnxhr_profile(encoder.pix_fmt));
    }
    set_quality(options, task, watched, encoder, settings);
    if (options.bitrate) {
        constexpr std::int64_t hardly_any = 10'000;
        encoder.bit_rate = *options.bitrate;
        if (*options.bitrate < hardly_any && !task.trial && task.pass != 2) {
            spdlog::warn("--bitrate {0} is {0} bits per second; {0}k is in kbit/s", *options.bitrate);
        }
        if (!task.trial && task.pass != 2 && has_no_rate(*encoder.codec)) {
            spdlog::warn("--bitrate changes nothing: the encoder {} makes as many bits as the pictures need", name);
        }
    }
    if (!options.preset.empty()) {
        settings.set("preset", options.preset);
    }
    if (!facts.hdr.display.empty()) {
        const std::string hdr = hdr_parameters(facts.hdr, *stream.stream, first);
        if (!hdr.empty() && av_opt_find(encoder.priv_data, facts.parameters, nullptr, 0, 0) != nullptr) {
            add_setting(settings, facts.parameters, hdr);
        }
    }
    if (keeps_time_code(name)) {
        set_time_code(encoder, first, settings);
    }
    set_parameters(task.trial, facts, encoder, settings);
    for (const auto& [key, value] : options.encoder_options) {
        refuse_pass(key, value);
        refuse_quantiser(encoder, key);
        add_setting(settings, key, value);
    }
    refuse_unknown_words(options, encoder, settings);
}

}  // namespace vfilter
