#pragma once
// The input of a run: its streams, the ones to filter, the wanted part, and its packets in file order.

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "config/io_options.h"
#include "io/damage.h"
#include "io/handles.h"
#include "io/input/frame_rates.h"
#include "io/input/input_stack.h"
#include "io/input/wanted_part.h"

namespace vfilter {

/// A stream as one of several files has it that follow each other.
struct StreamOfClip {
    const AVStream& stream;  ///< by the file's own number and clock
    const AVInputFormat& container;
    AVRational frame_rate;
};

/// An input as an InputStack has it, and its wanted part.
///
/// One thread at a time; `interrupted` is called from it and from FFmpeg's own I/O, and its true ends a blocking read
/// as if the input had ended there. What format(), video() and the rest tell stays as it was when the input was opened,
/// and where, also when a live input is lost and opened again.
class Demuxer {
public:
    /// Opens the input and finds the videos to filter: the best real one, or those that --video-stream names; of a live
    /// input it waits for the first key frame. Throws Error(input), or Error(usage) where the options contradict the
    /// kind of input.
    Demuxer(InputOptions options, std::function<bool()> interrupted);
    ~Demuxer();
    Demuxer(const Demuxer&) = delete;
    Demuxer& operator=(const Demuxer&) = delete;

    /// The next packet of any stream; null at the end. With --start the first ones may lie before it. With --live on an
    /// input that is none, a packet of the video comes no earlier than its time, counted from the first one after the
    /// last unread().
    PacketPtr read();
    /// The next packet of a stream among those that were put back, or null.
    [[nodiscard]] const AVPacket* peek(int stream) const { return stack_->ahead->peek(stream); }
    /// Whether what is known of its packets by then has times: of fields that are packets of their own half may not.
    [[nodiscard]] bool timed(int stream) const { return stack_->ahead->timed(stream); }
    /// Puts packets back, to be read again in the same order.
    void unread(std::deque<PacketPtr> packets);
    /// Goes on about `moment`, microseconds of the input's clock: with the last key frame before it where the input has
    /// an index, else with any packet. Its wanted part stays what it is. False where the input cannot be sought: nobody
    /// knows then where it is.
    [[nodiscard]] bool go_to(std::int64_t moment);

    [[nodiscard]] const AVFormatContext& format() const { return *stack_->format; }
    [[nodiscard]] const AVStream& video() const { return *stack_->format->streams[video_index()]; }
    [[nodiscard]] int video_index() const { return stack_->videos.front(); }
    /// What the input says of itself and FFmpeg does not read.
    [[nodiscard]] const UnreadLabels& unread() const { return stack_->unread; }
    /// All videos that are filtered, the first of them video_index().
    [[nodiscard]] const std::vector<int>& videos() const { return stack_->videos; }
    [[nodiscard]] bool is_filtered(int stream) const;
    /// The stream of sound that --audio-device has added, -1 without.
    [[nodiscard]] int device_sound() const { return stack_->device_sound; }
    /// Pictures a second, of variable rates the finest, or 25 where the input does not tell; of a stream, or of the
    /// first video.
    [[nodiscard]] AVRational frame_rate() const { return frame_rate(video_index()); }
    [[nodiscard]] AVRational frame_rate(int stream) const {
        return stack_->frame_rates.at(static_cast<std::size_t>(stream));
    }
    /// On the average, by which numbers of pictures are reckoned.
    [[nodiscard]] double average_rate(int stream) const;
    /// Pictures of a video before the part, if somebody has counted them.
    [[nodiscard]] std::optional<std::int64_t> pictures_before(int stream) const;
    void know_pictures_before(std::map<int, std::int64_t> counts) { pictures_before_ = std::move(counts); }
    /// The wanted part of it.
    [[nodiscard]] const WantedPart& part() const { return part_; }
    /// When the input ends by what it says itself, microseconds; AV_NOPTS_VALUE where it does not.
    [[nodiscard]] std::int64_t told_end() const;
    /// After the end: where the pictures do, by their packets, microseconds; AV_NOPTS_VALUE if there was none.
    [[nodiscard]] std::int64_t pictures_end() const {
        return stack_->appended != nullptr ? stack_->appended->pictures_end() : stack_->account->pictures_end();
    }
    /// Whether pictures come when they come, and the newest is the one that counts: a camera, a network, --live.
    [[nodiscard]] bool live() const { return live_; }
    /// How often a lost input came back. Any thread.
    [[nodiscard]] int reconnects() const {
        return stack_->reconnecting != nullptr ? stack_->reconnecting->reconnects() : 0;
    }
    /// Frames to expect of a video, 0 if nobody knows.
    [[nodiscard]] std::int64_t expected_frames(int stream) const;
    /// See vfilter::indexed_key_frames().
    [[nodiscard]] std::int64_t indexed_key_frames(int stream) const {
        return vfilter::indexed_key_frames(*stack_->own, stream);
    }
    /// Packets of the video that were too late already when a live sender's pipe was opened, and are left out.
    [[nodiscard]] std::int64_t skipped() const { return stack_->backlog != nullptr ? stack_->backlog->skipped() : 0; }
    [[nodiscard]] Damage damage() const;
    /// The thread that reads is where the wanted part ends: what is read behind it, which is more or less each time,
    /// has no part in damage_of_part().
    void end_part();
    [[nodiscard]] bool part_has_ended() const { return damage_of_part_.has_value(); }
    /// All damage() where end_part() was not called.
    [[nodiscard]] Damage damage_of_part() const { return damage_of_part_ ? *damage_of_part_ : damage(); }
    /// Where FFmpeg reads a stream from; null where there are no bytes.
    [[nodiscard]] AVIOContext* bytes_of(int stream) const;
    /// After the end: packets of a stream that the container has and the demuxer did not give, as they are empty: a
    /// picture that repeats the one before it. Such a picture leaves a hole, and is not missing.
    [[nodiscard]] std::int64_t empty_packets(int stream) const {
        return stack_->appended != nullptr ? stack_->appended->empty_packets(stream)
                                           : stack_->account->empty_packets(stream);
    }
    /// Whether the other side of the input may be silent for long: a pipe, a camera, an address.
    [[nodiscard]] bool waits() const { return stack_->waits; }
    /// After the end: see PacketSource::sha256().
    std::string sha256(const std::function<bool()>& stop) { return stack_->source->sha256(stop); }
    /// The same of each added file.
    std::vector<std::string> added_sha256(const std::function<bool()>& stop);
    /// The file that a stream is of: 0 is the input, 1 the first one that is added.
    [[nodiscard]] int file_of(int stream) const;
    /// The name of the added file that a stream is of; "" of the input's own.
    [[nodiscard]] std::string added_file(int stream) const;
    /// How many files follow each other: the input, and those that --append names. See clip_of().
    [[nodiscard]] int clips() const { return stack_->appended != nullptr ? stack_->appended->count() : 1; }
    /// A stream as one of them has it; empty where that one lacks it.
    [[nodiscard]] std::optional<StreamOfClip> stream_of_clip(int stream, int clip) const;
    /// The name of an appended file, "" of the input itself.
    [[nodiscard]] std::string appended_file(int clip) const;
    /// See added_sha256().
    [[nodiscard]] std::vector<std::string> appended_sha256() const;
    /// Whether nobody can read a packet without a key: MP4's Common Encryption (ISO 23001-7), Matroska's
    /// ContentEncryption.
    [[nodiscard]] bool is_encrypted(const AVPacket& packet) const;
    /// The same of a packet that the run has a use for: it is left out, as garbage in any other file, and damage. With
    /// --strict throws Error(damaged).
    bool leaves_out(const AVPacket& packet);
    /// What the user can do about it, behind what was said; "" where there is nothing.
    [[nodiscard]] std::string way_to_decrypt(int stream) const;
    /// Whether the user has given a key for a stream of the input.
    [[nodiscard]] bool has_key(int stream) const;
    /// What reading has complained of at last; "" if of nothing.
    [[nodiscard]] std::string complaint() const;
    /// Whether there is anything of a stream that can be read, in the wanted part or elsewhere, as far as that is
    /// known.
    [[nodiscard]] bool has_packets(int stream) const;
    /// What of a stream ends before is not wanted: the part's start, or the beginning of the input, before which an
    /// added file may begin.
    [[nodiscard]] std::optional<std::int64_t> begin_of(int stream) const;
    /// See PacketSource::plays(); while nobody reads.
    [[nodiscard]] std::optional<std::int64_t> plays() const { return stack_->source->plays(); }
    [[nodiscard]] std::int64_t max_pixels() const { return options_.max_pixels; }
    /// Whether the first damage is to end the run.
    [[nodiscard]] bool strict() const { return options_.strict; }

private:
    [[nodiscard]] bool begin(bool seeks);
    [[nodiscard]] bool go_to_part();
    void begin_live();
    void find_first_picture();
    PacketPtr read_next();

    InputOptions options_;
    std::function<bool()> interrupted_;
    bool live_;
    std::unique_ptr<InputStack> stack_;
    InputClock clock_;
    WantedPart part_;
    std::optional<Damage> damage_of_part_;
    std::map<int, std::int64_t> pictures_before_;
    std::set<std::pair<int, int>> encrypted_;  // clips and streams of which something is left out
};

}  // namespace vfilter
