#pragma once
// Which input streams have a place in the output.

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "io/codec/subtitles.h"
#include "io/input/demuxer.h"
#include "io/output/output_check.h"
#include "io/output/output_streams.h"

namespace vfilter {

/// Sound that is encoded.
struct EncodedSound {
    const AVCodec* codec = nullptr;
    SoundOptions how;  ///< as requested
};

/// Streams keep their order, except for kinds of which some are named: these are in the order of their names, in the
/// positions of that kind. One thread.
class StreamMap {
public:
    /// Finds a place for the filtered videos, and for what the container can hold of the others: unchanged, or as
    /// another subtitle format. Reports those that are left out without being asked for. Input and container must
    /// outlive it.
    StreamMap(const Demuxer& input, const AVOutputFormat& container, const OutputOptions& options = {});

    /// Leaves out copies that are possible individually, but not all together: a second video, more than one audio
    /// stream.
    void drop_refused(const std::vector<EncodedVideo>& videos, const std::vector<const SoundConverter*>& sounds = {});

    /// Reports as left out what was sent to output stream `place`: nothing, and the container keeps no empty stream.
    void name_empty(int place);

    /// Reports which output streams exist and are empty, although the input's are not: a part may contain nothing of
    /// them, or a graph may output nothing (input streams in `filtered_away`). `absent` are streams that the file does
    /// not have.
    void tell_empty(const std::vector<SentStream>& sent, const std::vector<int>& absent,
                    const std::set<int>& filtered_away) const;

    /// By input stream: the output stream, -1 for none.
    [[nodiscard]] const std::vector<int>& places() const { return places_; }
    /// Those that have a place, in output order.
    [[nodiscard]] std::vector<int> in_order() const;
    /// For an input stream, which may have appeared only later: its output stream, -1 for none.
    [[nodiscard]] int place(int stream) const;
    /// Whether packets of an input stream have a place; those of fonts and covers may be entirely in the header.
    [[nodiscard]] bool carries(int stream) const;
    /// Converts the stream's subtitles to another format; null if they stay unchanged.
    [[nodiscard]] SubtitleConverter* converter(int stream);
    /// All of them, by input stream.
    [[nodiscard]] std::map<int, SubtitleConverter>& converters() { return converters_; }
    /// Audio streams that are encoded, by input stream.
    [[nodiscard]] const std::map<int, EncodedSound>& sounds() const { return sounds_; }
    /// The same, a description each.
    [[nodiscard]] const std::vector<std::string>& encoded() const { return encoded_; }
    /// Descriptions of the streams that were left out.
    [[nodiscard]] const std::vector<std::string>& dropped() const { return dropped_; }

private:
    [[nodiscard]] bool needs_silence(const AVStream& stream) const;
    [[nodiscard]] SoundOptions sound_options(const AVStream& stream, const OutputOptions& options) const;
    [[nodiscard]] const AVCodec* sound_encoder(const AVStream& stream, const SoundOptions& how, bool raw) const;
    [[nodiscard]] bool accepts(const std::vector<EncodedVideo>& videos,
                               const std::vector<const SoundConverter*>& sounds,
                               const std::function<bool(int)>& wanted) const;
    void check_asked_sound(int stream, const std::vector<EncodedVideo>& videos,
                           const std::vector<const SoundConverter*>& sounds) const;
    [[nodiscard]] bool is_tried(int stream) const;
    [[nodiscard]] bool copies_samples(const AVStream& stream) const;
    void drop(int stream);
    void put_in_order(const std::vector<StreamChoice>& choices);

    const Demuxer& input_;
    const AVOutputFormat& container_;
    std::vector<int> places_;                      // by input stream
    std::vector<bool> header_only_;                // by input stream: all of it is in the header
    std::map<int, SubtitleConverter> converters_;  // by input stream
    std::map<int, EncodedSound> sounds_;           // by input stream
    std::vector<std::string> dropped_;
    std::vector<std::string> encoded_;
};

}  // namespace vfilter
