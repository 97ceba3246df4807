#pragma once
// What is known of encoders by their names, a row for each of which something is: data alone, which io/ goes by and of
// which help tells.

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <string_view>

namespace vfilter {

/// What an encoder is told besides what was asked for, where its own default is not what anybody wants.
struct EncoderSetting {
    enum When { always, without_rate, live, recorded } when = always;
    const char* key = nullptr;
    const char* value = nullptr;
};

/// Constant quality: what it is called, and how far it goes.
struct EncoderQuality {
    /// Whose the usual value is: the encoder's own; one that it is told where no rate is given, beside its settings; or
    /// one that is set as --crf sets it, where nothing says how many bits there may be.
    enum class Usual { own, told, set };
    const char* key = nullptr;  ///< null for libavcodec's quantiser
    double best = 0;
    double worst = 0;   ///< as good as the best one where libavcodec knows how far it goes
    double usual = -1;  ///< without --crf and --bitrate; -1 where it has none
    Usual whose = Usual::own;

    [[nodiscard]] constexpr bool has_ends() const { return best != worst; }
};

/// How an encoder hands what it found in a first pass to the second.
enum class PassStatistics { none, text, own_file, parameters, palette };

/// How HDR10's static data is written among the parameters of an encoder that is not told of it by libavcodec.
struct HdrParameters {
    std::string_view display;  ///< "" where it is told, or does not write it
    std::string_view light;
    bool fractions = false;  ///< decimal numbers instead of 1/50000 and 1/10000
};

/// The values that an option has, where the encoder complains of others on stderr by itself.
struct KnownWords {
    const char* key = nullptr;
    std::string_view separators;
    std::span<const std::string_view> words;
    bool digits = false;  ///< or one of the ten
};

namespace encoder_fact {
constexpr unsigned nvidia = 1U << 0;          ///< keeps no alpha and at most 10 bits
constexpr unsigned second_alpha = 1U << 1;    ///< alpha is a second stream, which has to be kept beside the first one
constexpr unsigned profile_alpha = 1U << 2;   ///< which some profiles have not
constexpr unsigned chosen_alpha = 1U << 3;    ///< the user's own options may leave it out
constexpr unsigned halves_chroma = 1U << 4;   ///< of RGB, which it takes, unless nothing is to be lost
constexpr unsigned no_rate = 1U << 5;         ///< makes as many bits as the pictures need
constexpr unsigned lone_pictures = 1U << 6;   ///< which have their quality live, too, and no rate beside it
constexpr unsigned one_packet = 1U << 7;      ///< of several pictures
constexpr unsigned time_codes = 1U << 8;      ///< of groups of pictures
constexpr unsigned frees_twice = 1U << 9;     ///< memory, where it finds that the second pass has too few bits
constexpr unsigned rate_or_crf = 1U << 10;    ///< two passes have something to share out with --crf as well
constexpr unsigned from_qmin = 1U << 11;      ///< its quality begins where its quantisers do
constexpr unsigned named_presets = 1U << 12;  ///< those that everybody knows
constexpr unsigned wide_tree = 1U << 13;      ///< of costs by AVX-512: see x264_tree_width
constexpr unsigned narrow_tree = 1U << 14;    ///< of costs, which writes past narrow rows
constexpr unsigned own_stderr = 1U << 15;     ///< prints what it does by itself
constexpr unsigned late_delay = 1U << 16;  ///< known with a later picture: few have decoding times that nobody has set
constexpr unsigned halved_sizes = 1U << 17;  ///< holds a picture in sizes, each half as large as the one before
}  // namespace encoder_fact

struct EncoderFacts {
    std::string_view name;  ///< FFmpeg's; "" for one that has no row
    unsigned facts = 0;     ///< of encoder_fact::
    PassStatistics passes = PassStatistics::none;
    EncoderQuality quality{};
    const char* parameters = nullptr;           ///< its option that is a list of its library's
    HdrParameters hdr{};                        ///< among those
    std::array<std::string_view, 3> goes_by{};  ///< its options of how many bits, those that count first
    std::array<const char*, 2> alpha{};         ///< the option that alpha wants, and its value
    std::array<EncoderSetting, 6> settings{};   ///< what comes later wins
    std::span<const KnownWords> words{};

    [[nodiscard]] constexpr bool has(unsigned fact) const { return (facts & fact) != 0; }
    /// Whether it goes by one of these options of how many bits, where it is told both.
    [[nodiscard]] constexpr bool prefers(std::string_view option, std::string_view other) const {
        const auto place = std::ranges::find(goes_by, option);
        return option != other && std::find(place, goes_by.end(), other) != goes_by.end();
    }
};

/// Of x264 and x265, by which hardware's encoders name theirs.
inline constexpr std::array<std::string_view, 10> known_presets{
    "ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow", "placebo"};

namespace encoder_rows {

using enum EncoderSetting::When;
using enum EncoderQuality::Usual;

inline constexpr std::string_view x264_tunes[] = {"film", "animation",  "grain",       "stillimage", "psnr",
                                                  "ssim", "fastdecode", "zerolatency", "touhou"};
inline constexpr std::string_view x264_profiles[] = {"baseline", "main", "high", "high10", "high422", "high444"};
inline constexpr KnownWords x264_words[] = {
    {"preset", "", known_presets, true}, {"tune", ",./-+", x264_tunes}, {"profile", "", x264_profiles}};

constexpr unsigned of_x264 = encoder_fact::named_presets | encoder_fact::wide_tree;
constexpr unsigned of_x265 =
    encoder_fact::named_presets | encoder_fact::narrow_tree | encoder_fact::own_stderr | encoder_fact::late_delay;
constexpr unsigned of_libvpx = encoder_fact::second_alpha | encoder_fact::rate_or_crf;
constexpr unsigned of_mpeg = encoder_fact::frees_twice | encoder_fact::time_codes;
constexpr EncoderQuality quantiser{nullptr, 1, 31, 3, set};
// By its own default a thread that hands over pictures waits for the one that chooses their types; the same bytes.
constexpr EncoderSetting looks_ahead{recorded, "x264-params", "sync-lookahead=8"};
// Without the first neither quality nor rate is aimed at; without the second it is 2 Mbit/s.
constexpr std::array<EncoderSetting, 6> of_nvenc{
    {{always, "rc", "vbr"}, {without_rate, "b", "0"}, {live, "tune", "ll"}, {live, "delay", "0"}}};

// Live, the rate has to be kept, and what an encoder looks ahead is lost with the power.
inline constexpr EncoderFacts all[] = {
    {.name = "libx264",
     .facts = of_x264,
     .passes = PassStatistics::own_file,
     .quality = {"crf", 0, 51, 23},
     .parameters = "x264-params",
     .hdr = {"mastering-display", "cll"},
     .goes_by = {"crf", "qp", "b"},
     .settings = {{looks_ahead, {live, "preset", "veryfast"}, {live, "tune", "zerolatency"}}},
     .words = x264_words},
    {.name = "libx264rgb",
     .facts = of_x264,
     .passes = PassStatistics::own_file,
     .quality = {"crf", 0, 51, 23},
     .parameters = "x264-params",
     .goes_by = {"crf", "qp", "b"},
     .settings = {{looks_ahead}},
     .words = x264_words},
    {.name = "libx265",
     .facts = of_x265,
     .passes = PassStatistics::parameters,
     .quality = {"crf", 0, 51, 28},
     .parameters = "x265-params",
     .hdr = {"master-display", "max-cll"},
     .goes_by = {"crf", "b", "qp"},
     .settings = {{{live, "preset", "ultrafast"}, {live, "tune", "zerolatency"}}}},
    // libvpx aims at 256 kbit/s whatever the picture's size.
    {.name = "libvpx-vp9",
     .facts = of_libvpx,
     .passes = PassStatistics::text,
     .quality = {"crf", 0, 0, 31, told},
     .settings = {{{without_rate, "b", "0"},
                   {always, "row-mt", "1"},
                   {always, "cpu-used", "4"},
                   {live, "deadline", "realtime"},
                   {live, "cpu-used", "8"},
                   {live, "lag-in-frames", "0"}}}},
    {.name = "libvpx",
     .facts = of_libvpx | encoder_fact::from_qmin,
     .passes = PassStatistics::text,
     .quality = {"crf", 4, 63, 10, told},
     .alpha = {"auto-alt-ref", "0"},
     .settings = {{{without_rate, "b", "4M"}, {live, "deadline", "realtime"}, {live, "lag-in-frames", "0"}}}},
    {.name = "libaom-av1",
     .passes = PassStatistics::text,
     .quality = {"crf", 0, 0, 30, told},
     .settings = {{{always, "cpu-used", "6"}}}},
    {.name = "libsvtav1",
     .quality = {"crf", 0, 0, 32, told},
     .parameters = "svtav1-params",
     .hdr = {"mastering-display", "content-light", true},
     .settings = {{{always, "preset", "8"}}}},
    // NVENC's quality 0 is none.
    {.name = "h264_nvenc", .facts = encoder_fact::nvidia, .quality = {"cq", 1, 51, 23, told}, .settings = of_nvenc},
    {.name = "hevc_nvenc", .facts = encoder_fact::nvidia, .quality = {"cq", 1, 51, 28, told}, .settings = of_nvenc},
    {.name = "av1_nvenc", .facts = encoder_fact::nvidia, .quality = {"cq", 1, 51, 32, told}, .settings = of_nvenc},
    {.name = "prores", .facts = encoder_fact::profile_alpha},
    {.name = "prores_aw", .facts = encoder_fact::profile_alpha},
    // By its vendor some programs know ProRes at all.
    {.name = "prores_ks", .facts = encoder_fact::profile_alpha, .settings = {{{always, "vendor", "apl0"}}}},
    {.name = "libwebp",
     .facts = encoder_fact::halves_chroma | encoder_fact::no_rate | encoder_fact::lone_pictures,
     .quality = {"quality", 100, 0, 90, set}},
    {.name = "libwebp_anim", .facts = encoder_fact::halves_chroma | encoder_fact::no_rate | encoder_fact::one_packet},
    {.name = "libopenjpeg", .facts = encoder_fact::no_rate | encoder_fact::halved_sizes},
    // It leaves out the zero that ends a row, without which other readers fail.
    {.name = "sgi", .settings = {{{always, "rle", "0"}}}},
    {.name = "hap", .facts = encoder_fact::chosen_alpha, .alpha = {"format", "hap_alpha"}},
    {.name = "gif", .passes = PassStatistics::palette},
    // Libavcodec's default is 200 kbit/s for all of these.
    {.name = "mpeg4", .facts = encoder_fact::frees_twice, .passes = PassStatistics::text, .quality = quantiser},
    {.name = "mpeg2video", .facts = of_mpeg, .passes = PassStatistics::text, .quality = quantiser},
    {.name = "mpeg1video", .facts = of_mpeg, .passes = PassStatistics::text, .quality = quantiser},
    {.name = "libxvid", .passes = PassStatistics::text, .quality = quantiser},
    {.name = "mjpeg", .quality = {nullptr, 1, 31, 2, set}},
    {.name = "msmpeg4", .quality = quantiser},
    {.name = "msmpeg4v2", .quality = quantiser},
    {.name = "wmv1", .quality = quantiser},
    {.name = "wmv2", .quality = quantiser},
    {.name = "flv", .quality = quantiser},
    {.name = "h263", .quality = quantiser},
    {.name = "h263p", .quality = quantiser},
    {.name = "libtheora", .quality = {nullptr, 10, 0, 8, set}},
};
inline constexpr EncoderFacts none{};

}  // namespace encoder_rows

constexpr const EncoderFacts& encoder_facts(std::string_view name) {
    const auto* const row = std::ranges::find(encoder_rows::all, name, &EncoderFacts::name);
    return row == std::end(encoder_rows::all) ? encoder_rows::none : *row;
}

/// Names of encoders that people use, and the encoders that are meant, the best one first. FFmpeg's own codecs and
/// encoders need no row, but where its first encoder is not what anybody wants: libaom takes minutes where SVT-AV1
/// takes seconds.
struct CommonEncoder {
    std::string_view name;
    std::array<const char*, 3> encoders;
};
inline constexpr CommonEncoder common_encoders[] = {
    {"x264", {"libx264"}},
    {"h264", {"libx264", "h264_nvenc", "libopenh264"}},
    {"avc", {"libx264", "h264_nvenc", "libopenh264"}},
    {"x265", {"libx265"}},
    {"h265", {"libx265", "hevc_nvenc"}},
    {"hevc", {"libx265", "hevc_nvenc"}},
    {"av1", {"libsvtav1", "libaom-av1", "librav1e"}},
    {"avif", {"libaom-av1", "libsvtav1", "librav1e"}},
    {"vp9", {"libvpx-vp9"}},
    {"vp8", {"libvpx"}},
    {"webp", {"libwebp"}},
    {"jpeg2000", {"libopenjpeg", "jpeg2000"}},  // FFmpeg's own has wrong samples of more than 8 bits
    {"prores", {"prores_ks", "prores"}},
    {"dnxhr", {"dnxhd"}},
};

/// The encoder that a common name stands for where FFmpeg has it; any other name is one itself.
constexpr std::string_view usual_encoder(std::string_view name) {
    const auto* const row = std::ranges::find(common_encoders, name, &CommonEncoder::name);
    return row == std::end(common_encoders) ? name : row->encoders.front();
}

/// Hardware whose encoders are not used, which the ends of their names tell.
struct EncodingHardware {
    std::string_view ending;
    bool own_memory = false;  ///< they take no pictures that are not in it, where none are
};
inline constexpr EncodingHardware encoding_hardware[] = {{"_vaapi", true},  {"_vulkan", true}, {"_qsv"},
                                                         {"_v4l2m2m"},      {"_amf"},          {"_mf"},
                                                         {"_videotoolbox"}, {"_omx"},          {"_rkmpp"}};

/// Null for an encoder of the CPU's, and for NVIDIA's.
constexpr const EncodingHardware* hardware_of(std::string_view encoder) {
    const auto* const row = std::ranges::find_if(
        encoding_hardware, [&](const EncodingHardware& kind) { return encoder.ends_with(kind.ending); });
    return row == std::end(encoding_hardware) ? nullptr : row;
}

}  // namespace vfilter
