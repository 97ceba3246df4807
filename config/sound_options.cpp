#include "config/sound_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string_view>
#include <vector>

#include "config/error.h"
#include "config/option_values.h"
#include "config/stream_choice.h"

namespace vfilter {

namespace {

using Mode = SoundOptions::Mode;

constexpr std::string_view audio_option = "audio";

constexpr std::array<Choice<Mode>, 3> plain_modes{
    {{"auto", Mode::automatic}, {"copy", Mode::copy}, {"none", Mode::none}}};

// FFmpeg's names of the layouts that people have.
constexpr std::array<std::string_view, 10> layouts{"mono", "stereo", "2.1", "3.0", "quad",
                                                   "4.0",  "5.0",    "5.1", "6.1", "7.1"};

// A number is in kbit/s, with a unit it is what --bitrate takes.
std::int64_t parse_kilobits(const std::string& text) {
    const bool bare = !text.empty() && std::isdigit(static_cast<unsigned char>(text.back())) != 0;
    return parse_bitrate(audio_option, bare ? text + "k" : text);
}

bool is_number_of_stream(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// "1", "1,2" and "eng,jpn" are what others' --audio takes; one language by itself could be a codec.
void refuse_streams(const std::string& text) {
    constexpr std::size_t language = 3;  // letters of ISO 639-2
    constexpr std::string_view codecs = "aac ape dca dts pcm tta wma";
    const std::vector<std::string_view> pieces = parts_of(text, ',');
    std::string streams = "all";
    for (const std::string_view piece : pieces) {
        const bool word = pieces.size() > 1 && piece.size() == language && !has_word(codecs, piece) &&
                          std::ranges::all_of(piece, [](unsigned char letter) { return std::isalpha(letter) != 0; });
        if (!word && !is_number_of_stream(piece)) {
            return;
        }
        streams += fmt::format(",audio:{}", piece);
    }
    refuse(audio_option,
           fmt::format("'{}' is none of auto, copy, none, CODEC; which sounds are kept says --streams {}, "
                       "by language or from 0",
                       shortened(text), shortened(streams)));
}

// "aac:192:channels=stereo:samplerate=48000"
SoundOptions parse_how(const std::string& text) {
    constexpr int slowest = 1000;
    constexpr int fastest = 768'000;
    const std::vector<std::string_view> parts = parts_of(text, ':');
    const auto* const plain = std::ranges::find(plain_modes, parts.front(), &Choice<Mode>::name);
    if (parts.front().empty() || (plain != plain_modes.end() && parts.size() > 1)) {
        refuse(audio_option, fmt::format("'{}' is none of auto, copy, none, CODEC, CODEC:KBITS", shortened(text)));
    }
    if (parts.front().find_first_of("./") != std::string_view::npos) {
        refuse(audio_option, fmt::format("'{}' is none of auto, copy, none, CODEC; the sound of a file is --add FILE",
                                         shortened(text)));
    }
    if (plain != plain_modes.end()) {
        return {.mode = plain->value, .codec = "", .channels = "", .graph = ""};
    }
    SoundOptions how{.mode = Mode::encode, .codec = std::string(parts.front()), .channels = "", .graph = ""};
    for (std::size_t i = 1; i < parts.size(); ++i) {
        const std::size_t equals = parts[i].find('=');
        const std::string_view key = parts[i].substr(0, equals == std::string_view::npos ? 0 : equals);
        const std::string value(parts[i].substr(equals == std::string_view::npos ? 0 : equals + 1));
        if (key == "channels") {
            if (std::ranges::find(layouts, value) == layouts.end()) {
                refuse(audio_option, fmt::format("'{}' is none of {}", shortened(value), fmt::join(layouts, ", ")));
            }
            how.channels = value;
        } else if (key == "samplerate") {
            how.rate = ranged<int>(audio_option, value, slowest, fastest);
        } else if (key == "kbits" || (key.empty() && i == 1)) {
            how.bitrate = parse_kilobits(value);
        } else {
            refuse(audio_option,
                   fmt::format("'{}' is none of KBITS, kbits=, channels=, samplerate=", shortened(parts[i])));
        }
    }
    return how;
}

std::string show_how(const SoundOptions& how) {
    if (how.mode != Mode::encode) {
        return std::string(std::ranges::find(plain_modes, how.mode, &Choice<Mode>::value)->name);
    }
    std::string text = how.codec;
    text += how.bitrate == 0 ? "" : fmt::format(":{}", 1e-3 * static_cast<double>(how.bitrate));
    text += how.channels.empty() ? "" : ":channels=" + how.channels;
    text += how.rate == 0 ? "" : fmt::format(":samplerate={}", how.rate);
    return text;
}

// The end of what stands before "=HOW"; npos where it is of all.
std::size_t end_of_choice(const std::string& piece) {
    const std::size_t equals = piece.find('=');
    return equals < piece.find(':') ? equals : std::string::npos;
}

}  // namespace

void parse_sound(OutputOptions& output, const std::string& text) {
    refuse_streams(text);
    bool of_all = false;
    std::vector<ChosenSound> chosen;
    SoundOptions all;
    for (const std::string_view own : parts_of(text, ',')) {
        const std::string piece(own);
        const std::size_t equals = end_of_choice(piece);
        if (piece.starts_with("audio:") || piece.starts_with("all=")) {
            refuse(audio_option,
                   fmt::format("'{}': one of several is 1=HOW or eng=HOW, and HOW alone is for all", shortened(piece)));
        }
        if (equals != std::string::npos) {
            chosen.push_back({parse_stream_choice(audio_option, kind::audio, piece.substr(0, equals)),
                              parse_how(piece.substr(equals + 1))});
        } else if (of_all) {
            refuse(audio_option, fmt::format("'{}': two ways for all sound; 1={} is for one of several",
                                             shortened(text), shortened(piece)));
        } else {
            all = parse_how(piece);
            of_all = true;
        }
    }
    const bool off = of_all ? all.mode == Mode::none : (output.kinds & kind::audio) == 0;
    if (of_all) {
        output.sounds.clear();
        output.sound = all;
    }
    // Off but for some, or whole.
    output.kinds = off && chosen.empty() ? output.kinds & ~kind::audio : output.kinds | kind::audio;
    output.sound.mode = off && !chosen.empty() ? Mode::none : off ? Mode::automatic : output.sound.mode;
    output.sounds.insert(output.sounds.end(), chosen.begin(), chosen.end());
}

std::string show_sound(const OutputOptions& output) {
    if ((output.kinds & kind::audio) == 0) {
        return "none";
    }
    std::string text = output.sound.mode == Mode::automatic ? "" : show_how(output.sound);
    for (const ChosenSound& sound : output.sounds) {
        text += (text.empty() ? "" : ",") + show_stream_choice(sound.of) + "=" + show_how(sound.how);
    }
    return text;
}

}  // namespace vfilter
