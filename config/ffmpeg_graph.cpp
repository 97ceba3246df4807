#include "config/ffmpeg_graph.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <iterator>

#include "config/option_values.h"
#include "filters/names.h"

namespace vfilter {

namespace {

struct FilterEffect {
    std::string_view name;
    GraphEffect effect;
};

// What filters of libavfilter's do to numbers and times; those that are not here give a picture for each.
constexpr FilterEffect filter_effects[] = {
    {"bwdif", GraphEffect::numbers},
    {"ccrepack", GraphEffect::numbers},
    {"concat", GraphEffect::times},
    {"decimate", GraphEffect::numbers},
    {"dejudder", GraphEffect::numbers},
    {"detelecine", GraphEffect::numbers},
    {"doubleweave", GraphEffect::numbers},
    {"estdif", GraphEffect::numbers},
    {"fps", GraphEffect::numbers},
    {"framepack", GraphEffect::numbers},
    {"framerate", GraphEffect::numbers},
    {"framestep", GraphEffect::numbers},
    {"fsync", GraphEffect::times},
    {"graphmonitor", GraphEffect::numbers},
    {"interlace", GraphEffect::numbers},
    {"interleave", GraphEffect::numbers},
    {"libplacebo", GraphEffect::numbers},
    {"loop", GraphEffect::times},
    {"metadata", GraphEffect::numbers},
    {"minterpolate", GraphEffect::numbers},
    {"mpdecimate", GraphEffect::numbers},
    {"nnedi", GraphEffect::numbers},
    {"palettegen", GraphEffect::numbers},
    {"pullup", GraphEffect::numbers},
    {"random", GraphEffect::numbers},
    {"repeatfields", GraphEffect::numbers},
    {"reverse", GraphEffect::times},
    {"select", GraphEffect::numbers},
    {"separatefields", GraphEffect::numbers},
    {"setpts", GraphEffect::times},
    {"shuffleframes", GraphEffect::numbers},
    {"sidedata", GraphEffect::numbers},
    {"stereo3d", GraphEffect::numbers},
    {"tblend", GraphEffect::numbers},
    {"telecine", GraphEffect::numbers},
    {"thumbnail", GraphEffect::numbers},
    {"tile", GraphEffect::numbers},
    {"tinterlace", GraphEffect::numbers},
    {"tpad", GraphEffect::times},
    {"trim", GraphEffect::numbers},
    {"untile", GraphEffect::times},
    {"w3fdif", GraphEffect::numbers},
    {"weave", GraphEffect::numbers},
    {"xfade", GraphEffect::times},
    {"yadif", GraphEffect::numbers},
    {"zoompan", GraphEffect::times},
};

// Filters each of whose pictures is made of the one at its time alone, of each input, whatever its time or number has
// to do with it. What is in no list may be made of any.
constexpr std::string_view of_one_picture =
    "addroi alphaextract alphamerge ass avgblur bbox bench bilateral bitplanenoise blackdetect blackframe blend "
    "blockdetect blurdetect bm3d boxblur cas chromahold chromakey chromanr chromashift ciescope codecview color "
    "colorbalance colorchannelmixer colorcontrast colorcorrect colorhold colorize colorkey colorlevels colormap "
    "colormatrix colorspace colorspectrum colortemperature convolution convolve copy corr cover_rect crop cropdetect "
    "curves datascope dblur dctdnoiz deband deblock deconvolve deflate delogo derain despill dilation displace "
    "dnn_classify dnn_detect dnn_processing drawbox drawgrid drawtext edgedetect entropy epx eq erosion exposure "
    "extractplanes fade fftfilt field fieldorder fillborders find_rect floodfill format framestep freezedetect fspp "
    "gblur geq gradfun grayworld guided haldclut haldclutsrc hflip histeq histogram hqx hstack hsvhold hsvkey hue "
    "huesaturation hysteresis idet il inflate kirsch latency lenscorrection lensfun limitdiff limiter lumakey lut "
    "lut1d lut2 lut3d lutrgb lutyuv maskedclamp maskedmax maskedmerge maskedmin maskedthreshold maskfun median "
    "mergeplanes midequalizer mix monochrome morpho movie msad multiply negate nlmeans noformat noise normalize null "
    "nullsrc ocr oscilloscope overlay owdenoise pad paletteuse perms perspective pixelize pixscope pp pp7 premultiply "
    "prewitt pseudocolor qp readeia608 readvitc realtime remap removegrain removelogo rgbashift roberts rotate sab "
    "scale scale2ref scdet scharr scroll select selectivecolor sendcmd setdar setfield setparams setrange setsar settb "
    "shear showinfo showpalette shuffleplanes sidedata signalstats signature siti smartblur smptebars smptehdbars "
    "sobel split spp sr stereo3d subtitles super2xsai swaprect swapuv sws_flags threshold tonemap transpose trim "
    "unpremultiply "
    "unsharp uspp v360 vaguedenoiser varblur vectorscope vflip vfrdet vibrance vidstabdetect vidstabtransform vif "
    "vignette vmafmotion vstack waveform xbr xcorrelate xmedian xstack yaepblur zmq zscale";
// And of that one and those before it.
constexpr std::string_view of_earlier_pictures =
    "backgroundkey deshake hqdn3d kerndeint lagfun metadata mpdecimate phase photosensitivity tblend tlut2 tmix";

// And of the next one: without it the last picture is made as that at the end of a video is.
constexpr std::string_view of_the_next_picture = "bwdif estdif nnedi w3fdif yadif";

/// Words of a filter's options with which it is not as the lists above have it.
struct OtherwiseWith {
    std::string_view filter;
    std::string_view words;
};
constexpr OtherwiseWith otherwise[] = {{"noise", "a"},
                                       {"normalize", "smoothing"},
                                       {"paletteuse", "diff_mode new"},
                                       {"pp", "tn tmpnoise"},
                                       {"stereo3d", "al ar"}};

// Filters of sound without delay, whose results end with what they are given.
constexpr std::string_view following_filters[] = {
    "acompressor", "acrusher",   "aemphasis", "aeval",       "afade",     "aformat",     "agate",      "allpass",
    "anull",       "aresample",  "ashowinfo", "asoftclip",   "astats",    "bandpass",    "bandreject", "bass",
    "biquad",      "channelmap", "crossfeed", "dcshift",     "equalizer", "extrastereo", "highpass",   "highshelf",
    "lowpass",     "lowshelf",   "pan",       "stereotools", "treble",    "tremolo",     "volume",     "volumedetect"};

// Those that are made for a time or a number, or bring pictures with times of their own.
constexpr std::string_view timed_filters[] = {"ass",          "cellauto",   "fade",    "fieldhint",        "framestep",
                                              "freezeframes", "gradients",  "life",    "mandelbrot",       "movie",
                                              "mptestsrc",    "random",     "sendcmd", "shuffleframes",    "sierpinski",
                                              "subtitles",    "telecine",   "testsrc", "testsrc2",         "thumbnail",
                                              "tile",         "tinterlace", "trim",    "vidstabtransform", "zmq"};
// What expressions call times and numbers.
constexpr std::string_view timed_words[] = {
    "N",      "PTS", "T",     "n",          "prev_pts", "prev_selected_n", "prev_selected_pts", "prev_selected_t",
    "prev_t", "pts", "scene", "selected_n", "t"};

// Times that begin with 0.
constexpr std::string_view from_zero = "setpts=PTS-STARTPTS";

// Options that are names and texts, and filters of which the first one is.
constexpr std::string_view literal_options[] = {
    "charenc",  "cover",    "datapath",    "expansion", "f",          "file",     "filename", "font",    "fontcolor",
    "fontfile", "fontsdir", "force_style", "input",     "labels",     "language", "model",    "object",  "path",
    "plot",     "preset",   "psfile",      "result",    "stats_file", "text",     "textfile", "timecode"};
constexpr std::string_view of_a_file[] = {"amovie",     "ass",   "cover_rect", "curves",        "drawtext",
                                          "find_rect",  "lut1d", "lut3d",      "movie",         "psnr",
                                          "removelogo", "ssim",  "subtitles",  "vidstabdetect", "vidstabtransform"};

GraphEffect effect_of_filter(std::string_view name) {
    const auto* const found = std::ranges::find(filter_effects, name, &FilterEffect::name);
    return found == std::end(filter_effects) ? GraphEffect::none : found->effect;
}

// The end of what begins there: one of these letters that is neither quoted nor escaped.
std::size_t end_of(std::string_view graph, std::size_t at, std::string_view letters) {
    for (bool quoted = false; at < graph.size(); ++at) {
        const char letter = graph[at];
        quoted = quoted != (letter == '\'');
        at += letter == '\\' && !quoted ? 1 : 0;
        if (!quoted && letters.find(letter) != std::string_view::npos) {
            break;
        }
    }
    return std::min(at, graph.size());
}

// Without the labels of its inputs, "[a][b]".
std::string_view without_labels(std::string_view filter) {
    constexpr std::string_view blanks = " \t\r\n";
    for (;;) {
        filter.remove_prefix(std::min(filter.find_first_not_of(blanks), filter.size()));
        const std::size_t end = filter.find(']');
        if (!filter.starts_with('[') || end == std::string_view::npos) {
            return filter;
        }
        filter.remove_prefix(end + 1);
    }
}

template <typename Act>
void for_each_filter(std::string_view graph, Act act) {
    for (std::size_t begin = 0; begin < graph.size();) {
        const std::size_t end = end_of(graph, begin, ",;");
        const std::string_view filter = without_labels(graph.substr(begin, end - begin));
        act(filter, filter.substr(0, filter.find_first_of("=@[ \t\r\n")));
        begin = end + 1;
    }
}

// Whether a word for which `wanted` is true stands by itself in an option's value; beside a dot it is a file's name.
template <typename Wanted>
bool has_own_word(std::string_view value, Wanted wanted) {
    const auto is_part = [](unsigned char letter) { return std::isalnum(letter) != 0 || letter == '_'; };
    for (auto at = value.begin(); at != value.end();) {
        const auto begin = std::find_if(at, value.end(), is_part);
        const auto end = std::find_if_not(begin, value.end(), is_part);
        const std::string_view word(begin, end);
        const bool named = (end != value.end() && *end == '.') || (begin != value.begin() && *std::prev(begin) == '.');
        if (!named && wanted(word)) {
            return true;
        }
        at = end;
    }
    return false;
}

bool has_timed_word(std::string_view value) {
    return has_own_word(
        value, [](std::string_view word) { return std::ranges::find(timed_words, word) != std::end(timed_words); });
}

// Of a filter, as "=w=t:h=9", or behind the name that it has in the graph.
bool has_timed_option(std::string_view filter, std::string_view options) {
    options.remove_prefix(std::min(options.find('='), options.size()));
    bool first = std::ranges::find(of_a_file, filter) != std::end(of_a_file);
    while (!options.empty()) {
        options.remove_prefix(1);
        std::string_view value = options.substr(0, end_of(options, 0, ":"));
        options.remove_prefix(value.size());
        const std::string_view name = value.substr(0, std::min(value.find('='), value.size()));
        const bool is_named = name.size() < value.size();
        value.remove_prefix(is_named ? name.size() + 1 : 0);
        const bool literal = is_named ? std::ranges::find(literal_options, name) != std::end(literal_options) : first;
        // Texts have expressions within %{}.
        if ((!literal || value.find("%{") != std::string_view::npos) && has_timed_word(value)) {
            return true;
        }
        first = false;
    }
    return false;
}

/// Of which pictures one is made.
enum class MadeOf { own, earlier, next, later };

MadeOf made_of(std::string_view filter, std::string_view name) {
    const std::string_view options = filter.substr(name.size());
    const auto* const other = std::ranges::find(otherwise, name, &OtherwiseWith::filter);
    if (other != std::end(otherwise) &&
        has_own_word(options, [&](std::string_view word) { return has_word(other->words, word); })) {
        return MadeOf::later;
    }
    return has_word(of_one_picture, name) || filter.starts_with(from_zero) ? MadeOf::own
           : has_word(of_earlier_pictures, name)                           ? MadeOf::earlier
           : has_word(of_the_next_picture, name)                           ? MadeOf::next
                                                                           : MadeOf::later;
}

// Of "fps=10", "fps=fps=30000/1001" and "fps"; nothing of others.
std::optional<double> rate_of(std::string_view filter, std::string_view name) {
    constexpr std::string_view usual = "25";
    constexpr std::string_view key = "fps=";
    if (name != "fps") {
        return std::nullopt;
    }
    std::string_view value = filter.substr(name.size());
    value = value.empty() ? usual : value.starts_with('=') ? value.substr(1) : "";
    value.remove_prefix(value.starts_with(key) ? key.size() : 0);
    const std::size_t slash = value.find('/');
    double over = 0;
    double under = 1;
    const bool read = parse_number(value.substr(0, slash), over) &&
                      (slash == std::string_view::npos || parse_number(value.substr(slash + 1), under));
    return read && over > 0 && under > 0 ? std::optional(over / under) : std::nullopt;
}

constexpr double whole_enough = 1e-6;

}  // namespace

bool follows_sound(std::string_view graph) {
    bool follows = true;
    for_each_filter(graph, [&follows](std::string_view /*filter*/, std::string_view name) {
        follows = follows && std::ranges::find(following_filters, name) != std::end(following_filters);
    });
    return follows;
}

GraphEffect effect_of_graph(std::string_view graph) {
    GraphEffect effect = GraphEffect::none;
    for_each_filter(graph, [&effect](std::string_view filter, std::string_view name) {
        // Times begin with 0 as it is: only what was left out before moves them.
        const bool moves = effect != GraphEffect::none || !filter.starts_with(from_zero);
        effect = moves ? std::max(effect, effect_of_filter(name)) : effect;
    });
    return effect;
}

bool begins_alike(std::string_view graph, std::optional<double> start) {
    bool alike = true;
    for_each_filter(graph, [&](std::string_view filter, std::string_view name) {
        const std::optional<double> rate = rate_of(filter, name);
        const double places = start.value_or(0) * rate.value_or(0);
        // Places of a new rate are the same where one of them is there.
        const bool place = rate && start && std::abs(places - std::round(places)) < whole_enough;
        alike = alike && (place || made_of(filter, name) == MadeOf::own);
    });
    return alike && !looks_at_time(graph);
}

namespace {

bool ends_like(std::string_view graph, std::optional<double> length, MadeOf latest) {
    bool alike = true;
    for_each_filter(graph, [&](std::string_view filter, std::string_view name) {
        const std::optional<double> rate = rate_of(filter, name);
        const double places = length.value_or(0) * rate.value_or(0);
        const double over = places - std::floor(places + whole_enough);
        // It rounds: up to the middle between two of its places a picture would be wanted that comes behind that.
        const bool place = rate && length && (over < whole_enough || over >= 0.5);
        alike = alike && (place || made_of(filter, name) <= latest);
    });
    return alike;
}

}  // namespace

bool ends_alike(std::string_view graph, std::optional<double> length) {
    return ends_like(graph, length, MadeOf::earlier);
}

bool ends_nearly_alike(std::string_view graph, std::optional<double> length) {
    return ends_like(graph, length, MadeOf::next);
}

bool looks_at_time(std::string_view graph) {
    bool looks = false;
    for_each_filter(graph, [&looks](std::string_view filter, std::string_view name) {
        const bool timed = std::ranges::find(timed_filters, name) != std::end(timed_filters);
        looks = looks || timed || filter.find("enable=") != std::string_view::npos ||
                (effect_of_filter(name) != GraphEffect::times && has_timed_option(name, filter.substr(name.size())));
    });
    return looks;
}

}  // namespace vfilter
