#pragma once
// What the user asked of input and output, as plain values: all that io/ knows of the command line.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vfilter {

/// Options of FFmpeg's, KEY and VALUE, in the order in which they were given.
using OptionPairs = std::vector<std::pair<std::string, std::string>>;

/// The value of the last one that is called so, which is the one that counts; null if there is none.
inline const std::string* find_option(const OptionPairs& options, std::string_view key) {
    const auto found =
        std::find_if(options.rbegin(), options.rend(), [&](const auto& option) { return option.first == key; });
    return found == options.rend() ? nullptr : &found->second;
}

/// A place in the video: seconds, a number of frames at the stream's average rate, or a chapter.
struct Position {
    double value = 0;  ///< >= 0
    bool frames = false;
    bool chapter = false;  ///< of --start and --end: its number, from 1, which the input knows the time of

    /// Of what is no chapter.
    [[nodiscard]] double seconds(double frame_rate) const { return frames ? value / frame_rate : value; }
};

/// 16K video (15360 x 8640) passes.
inline constexpr std::int64_t default_max_pixels = 160'000'000;

/// A file beside the input, whose sound, subtitles and attachments come behind its streams.
struct AddedFile {
    std::string path;
    double later = 0;  ///< seconds after the input's beginning at which it begins; before it where negative
    bool operator==(const AddedFile&) const = default;
};

/// Files that follow an input.
inline constexpr std::size_t max_appended = 1000;

struct InputOptions {
    std::string path;       ///< a file's path, or "-" for stdin
    std::string format;     ///< demuxer's name, "" to probe
    std::string framerate;  ///< of pictures, "25" or "30000/1001"; "" for 25, or what the input says
    std::vector<AddedFile> added;
    OptionPairs added_options;          ///< as input_options, of all of those files; "@2:KEY" is of the second one
    std::vector<std::string> appended;  ///< files whose streams go on where those of the input end, in their order
    std::optional<Position> start;
    std::optional<Position> end;
    std::optional<Position> duration;
    std::optional<std::int64_t> frames;  ///< at most so many frames
    bool strict = false;                 ///< the first damage ends the run
    int threads = 0;                     ///< decoder's threads, 0 for one per core
    OptionPairs input_options;           ///< private options of demuxer or device
    bool live = false;           ///< treated as a camera even if it is none: paced by its timestamps, newest frame wins
    bool allow_network = false;  ///< rtsp://, udp://, http:// and the like may be opened
    bool allow_files = false;    ///< what is asked for (graphs, input_options) may reach files, and load libraries
    std::string camera_size;     ///< "1280x720", "" for the camera's own choice
    std::optional<double> camera_fps;
    std::string audio_device;  ///< of sound beside a camera: "default", "alsa:NAME", "pulse:NAME", "" for none
    std::string video_stream;  ///< which video is filtered: its number from 0 among the videos, "all", "" for the best
    std::int64_t max_pixels = default_max_pixels;  ///< of one picture; larger ones are refused before memory is taken
    int reconnect = 0;                             ///< how often a lost live input is opened again, in a row
    double timeout = 0;  ///< seconds after which a silent live input counts as lost; 0 for ever
};

enum class Overwrite { ask, yes, no };

/// What is left out of an output because of what it tells. Each holds those before it.
enum class Strip {
    nothing,
    places,  ///< --strip gps: tags of places, and tracks of data, which may hold some
    tags,    ///< --strip metadata: all tags, titles of chapters, names of attachments, what encoders say of themselves
    extras,  ///< --strip all: attachments and covers
};

/// Kinds of streams, as bits.
namespace kind {
inline constexpr unsigned video = 1;
inline constexpr unsigned audio = 2;
inline constexpr unsigned subtitles = 4;
inline constexpr unsigned data = 8;
inline constexpr unsigned attachments = 16;  ///< and covers
inline constexpr unsigned all = 31;
}  // namespace kind

/// Streams of one kind by their place among them, by their language, or by the file that they are of.
struct StreamChoice {
    unsigned kind = 0;      ///< one of kind::
    int number = -1;        ///< from 0; -1 for those of `language`
    std::string language;   ///< ISO 639-2, of either set, or as the input has it; "" for all where there is no number
    bool optional = false;  ///< no mistake where there is none
    int file = -1;          ///< 0 is the input, 1 the first one that is added; -1 for all
    bool operator==(const StreamChoice&) const = default;
};

/// What becomes of a stream of sound.
struct SoundOptions {
    enum class Mode {
        automatic,  ///< copied; encoded where the container cannot hold it
        copy,       ///< copied, or left out where the container cannot hold it
        encode,     ///< with `codec`
        none,       ///< left out
    } mode = Mode::automatic;
    std::string codec;         ///< encoder's or codec's name
    std::int64_t bitrate = 0;  ///< bits per second, 0 for the usual
    std::string channels;      ///< FFmpeg's name of their layout, to which they are mixed; "" for those that there are
    int rate = 0;              ///< samples of each channel in a second; 0 for those that there are
    std::string graph;         ///< of libavfilter's, which it goes through before it is encoded; "" for none
};

/// And of some of them, which others say nothing of.
struct ChosenSound {
    StreamChoice of;
    SoundOptions how;
};

/// A tag of some streams; an empty value removes it.
struct StreamTag {
    StreamChoice of;
    std::string key;
    std::string value;
};

/// What some streams are for.
struct StreamPurposes {
    StreamChoice of;
    std::vector<std::string> names;  ///< FFmpeg's of dispositions: default, forced...
};

/// What the user says about the output. What a run decides about encoding is EncodeTask (io/codec/encode_task.h).
struct OutputOptions {
    std::string path;               ///< a file's path, or "-" for stdout; may be empty if the format is null
    std::string format;             ///< muxer's name, "" to choose by the path
    std::string codec;              ///< encoder's or codec's name, "" for the container's default
    std::int64_t start_number = 1;  ///< of the first picture of a sequence
    std::optional<double> crf;
    std::optional<std::int64_t> bitrate;  ///< bits per second
    std::string preset;
    std::string pix_fmt;  ///< "" keeps the input's
    OptionPairs encoder_options;
    Overwrite overwrite = Overwrite::ask;
    unsigned kinds = kind::all;         ///< those that are kept, of kind::
    std::vector<StreamChoice> choices;  ///< of kinds that have any, these alone are kept
    SoundOptions sound;
    std::vector<ChosenSound> sounds;  ///< other than `sound`; of several that name a stream the last one counts
    std::string sound_graph;          ///< of libavfilter's, through which all sound goes that is not to be copied
    Strip strip = Strip::nothing;
    std::vector<std::pair<std::string, std::string>> metadata;  ///< tags of the file; an empty value removes one
    std::vector<StreamTag> stream_tags;                         ///< besides, and in place of, those of the input
    std::vector<StreamPurposes> purposes;  ///< in place of the input's; of several for a stream the last one counts
    OptionPairs muxer_options;
    std::string video_tag;  ///< four letters by which the container names the video's codec, "" for the usual
    bool two_pass = false;  ///< the encoder sees all pictures twice
    int threads = 0;        ///< encoder's threads, 0 for its own choice
    int encoders = 1;       ///< beside each other, each with a part of the video
    int part_pictures = 0;  ///< of such a part, 0 for what is usual
};

}  // namespace vfilter
