#pragma once
// Which streams of the input have a place in the output.

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
    SoundOptions how;  ///< as it was asked for
};

/// Streams keep their order, but for those of a kind of which some are named: they have that of their names, in the
/// places of the kind. One thread.
class StreamMap {
public:
    /// Finds a place for the filtered videos, and for what the container can hold of the others: as it is, or as
    /// another form of subtitles. Tells of those that are left out without being asked for. Input and container must
    /// outlive it.
    StreamMap(const Demuxer& input, const AVOutputFormat& container, const OutputOptions& options = {});

    /// Leaves out copies that have a place of their own, and not all of them together: a second video, more sound than
    /// one.
    void drop_refused(const std::vector<EncodedVideo>& videos, const std::vector<const SoundConverter*>& sounds = {});

    /// Names as left out what was sent to the output's stream `place`: nothing, and the container keeps no empty
    /// stream.
    void name_empty(int place);

    /// Says which streams of the output are there and empty, though the input's are not: a part may have nothing of
    /// them, or a graph (streams of `filtered_away`, of the input). `absent` are no streams of the file.
    void tell_empty(const std::vector<SentStream>& sent, const std::vector<int>& absent,
                    const std::set<int>& filtered_away) const;

    /// By stream of the input: the stream of the output, -1 for none.
    [[nodiscard]] const std::vector<int>& places() const { return places_; }
    /// Those that have a place, in the order of the output.
    [[nodiscard]] std::vector<int> in_order() const;
    /// Of a stream of the input, which may have appeared only later: its stream in the output, -1 for none.
    [[nodiscard]] int place(int stream) const;
    /// Whether packets of a stream of the input have a place; of fonts and covers all may stand in the header.
    [[nodiscard]] bool carries(int stream) const;
    /// What makes another form of the stream's subtitles; null where they stay as they are.
    [[nodiscard]] SubtitleConverter* converter(int stream);
    /// All of them, by stream of the input.
    [[nodiscard]] std::map<int, SubtitleConverter>& converters() { return converters_; }
    /// Streams of sound that are encoded, by stream of the input.
    [[nodiscard]] const std::map<int, EncodedSound>& sounds() const { return sounds_; }
    /// The same, a description each.
    [[nodiscard]] const std::vector<std::string>& encoded() const { return encoded_; }
    /// Streams that were left out, a description each.
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
