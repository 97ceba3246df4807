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

#include "io/damage.h"
#include "io/handles.h"
#include "io/input/frame_rates.h"
#include "io/input/input_request.h"
#include "io/input/input_stack.h"
#include "io/input/wanted_part.h"

namespace vfilter {

/// A stream as it is in one of several consecutive files.
struct StreamOfClip {
    const AVStream& stream;  ///< with the file's own number and clock
    const AVInputFormat& container;
    AVRational frame_rate;
};

/// An input as provided by an InputStack, and its wanted part.
///
/// One thread at a time; `interrupted` is called from it and from FFmpeg's own I/O, and if it returns true, a blocking
/// read ends as if the input had ended there. What format(), video() and the others return does not change after the
/// input has been opened, nor does its address, even if a live input is lost and opened again.
class Demuxer {
public:
    /// Opens the input and finds the videos to filter: the best real one, or those named by --video-stream; for a live
    /// input it waits for the first key frame. Throws Error(input), or Error(usage) if the options contradict the kind
    /// of input.
    Demuxer(InputRequest options, std::function<bool()> interrupted);
    ~Demuxer();
    Demuxer(const Demuxer&) = delete;
    Demuxer& operator=(const Demuxer&) = delete;

    /// The next packet of any stream; null at the end. With --start the first packets may be from before it. With
    /// --live on an input that is not live, a packet of the video is returned no earlier than its time, counted from
    /// the first one after the last unread().
    PacketPtr read();
    /// The next packet of a stream among those that were put back, or null.
    [[nodiscard]] const AVPacket* peek(int stream) const { return stack_->ahead->peek(stream); }
    /// Whether its packets known so far have times: if fields are separate packets, half of them may not.
    [[nodiscard]] bool timed(int stream) const { return stack_->ahead->timed(stream); }
    /// Puts packets back, to be read again in the same order.
    void unread(std::deque<PacketPtr> packets);
    /// Continues near `moment`, microseconds of the input's clock: from the last key frame before it if the input has
    /// an index, otherwise from any packet. Its wanted part does not change. False if seeking is impossible: the
    /// position is then unknown.
    [[nodiscard]] bool go_to(std::int64_t moment);

    [[nodiscard]] const AVFormatContext& format() const { return *stack_->format; }
    [[nodiscard]] const AVStream& video() const { return *stack_->format->streams[video_index()]; }
    [[nodiscard]] int video_index() const { return stack_->videos.front(); }
    /// What the input says about itself and FFmpeg does not read.
    [[nodiscard]] const UnreadLabels& unread() const { return stack_->unread; }
    /// All videos that are filtered, the first of them video_index().
    [[nodiscard]] const std::vector<int>& videos() const { return stack_->videos; }
    [[nodiscard]] bool is_filtered(int stream) const;
    /// What is lost of streams, until now and from now on, is told and counts as damage, but for those `unused` ones
    /// for which the output has no place. May throw Error(damaged).
    void settle_use(std::set<int> unused);
    /// The audio stream added by --audio-device, -1 if none.
    [[nodiscard]] int device_sound() const { return stack_->device_sound; }
    /// Pictures per second, the finest of variable rates, or 25 if the input does not say; for a stream, or for the
    /// first video.
    [[nodiscard]] AVRational frame_rate() const { return frame_rate(video_index()); }
    [[nodiscard]] AVRational frame_rate(int stream) const {
        return stack_->frame_rates.at(static_cast<std::size_t>(stream));
    }
    /// The average, from which picture numbers are computed.
    [[nodiscard]] double average_rate(int stream) const;
    /// Number of pictures of a video before the part, if they have been counted.
    [[nodiscard]] std::optional<std::int64_t> pictures_before(int stream) const;
    void know_pictures_before(std::map<int, std::int64_t> counts) { pictures_before_ = std::move(counts); }
    /// The wanted part of it.
    [[nodiscard]] const WantedPart& part() const { return part_; }
    /// When the input ends according to its own information, microseconds; AV_NOPTS_VALUE if there is none.
    [[nodiscard]] std::int64_t told_end() const;
    /// After the end: where the pictures end, according to their packets, microseconds; AV_NOPTS_VALUE if there were
    /// none.
    [[nodiscard]] std::int64_t pictures_end() const {
        return stack_->appended != nullptr ? stack_->appended->pictures_end() : stack_->account->pictures_end();
    }
    /// Whether pictures arrive at their own pace, and the newest is the one that counts: a camera, a network, --live.
    [[nodiscard]] bool live() const { return live_; }
    /// How often a lost input came back. Any thread.
    [[nodiscard]] int reconnects() const {
        return stack_->reconnecting != nullptr ? stack_->reconnecting->reconnects() : 0;
    }
    /// Number of frames to expect from a video, 0 if unknown.
    [[nodiscard]] std::int64_t expected_frames(int stream) const;
    /// See vfilter::indexed_key_frames().
    [[nodiscard]] std::int64_t indexed_key_frames(int stream) const {
        return vfilter::indexed_key_frames(*stack_->own, stream);
    }
    /// Packets of the video that were already too late when a live sender's pipe was opened, and were dropped.
    [[nodiscard]] std::int64_t skipped() const { return stack_->backlog != nullptr ? stack_->backlog->skipped() : 0; }
    [[nodiscard]] Damage damage() const;
    /// The reading thread has reached the end of the wanted part: what is read after it, which varies from run to run,
    /// is not included in damage_of_part().
    void end_part();
    [[nodiscard]] bool part_has_ended() const { return damage_of_part_.has_value(); }
    /// All of damage() if end_part() was not called.
    [[nodiscard]] Damage damage_of_part() const { return damage_of_part_ ? *damage_of_part_ : damage(); }
    /// Where FFmpeg reads a stream from; null if there are no bytes.
    [[nodiscard]] AVIOContext* bytes_of(int stream) const;
    /// After the end: number of packets of a stream that the container has and the demuxer did not return because they
    /// are empty: a picture that repeats the previous one. Such a picture leaves a gap, but is not missing.
    [[nodiscard]] std::int64_t empty_packets(int stream) const {
        return stack_->appended != nullptr ? stack_->appended->empty_packets(stream)
                                           : stack_->account->empty_packets(stream);
    }
    /// Whether the other side of the input may be silent for a long time: a pipe, a camera, an address.
    [[nodiscard]] bool waits() const { return stack_->waits; }
    /// After the end: see PacketSource::sha256().
    std::string sha256(const std::function<bool()>& stop) { return stack_->source->sha256(stop); }
    /// The same for each added file.
    std::vector<std::string> added_sha256(const std::function<bool()>& stop);
    /// The file that a stream belongs to: 0 is the input, 1 the first added one.
    [[nodiscard]] int file_of(int stream) const;
    /// The name of the added file that a stream belongs to; "" for the input's own streams.
    [[nodiscard]] std::string added_file(int stream) const;
    /// The number of consecutive files: the input, and those named by --append. See clip_of().
    [[nodiscard]] int clips() const { return stack_->appended != nullptr ? stack_->appended->count() : 1; }
    /// A stream as it is in one of them; empty if that one lacks it.
    [[nodiscard]] std::optional<StreamOfClip> stream_of_clip(int stream, int clip) const;
    /// The name of an appended file, "" for the input itself.
    [[nodiscard]] std::string appended_file(int clip) const;
    /// See added_sha256().
    [[nodiscard]] std::vector<std::string> appended_sha256() const;
    /// Whether a packet cannot be read without a key: MP4's Common Encryption (ISO 23001-7), Matroska's
    /// ContentEncryption.
    [[nodiscard]] bool is_encrypted(const AVPacket& packet) const;
    /// The same for a packet that the run needs: it is dropped, as it would be garbage in any other file, and counts as
    /// damage. With --strict throws Error(damaged).
    bool leaves_out(const AVPacket& packet);
    /// What the user can do about it, as text to follow a message; "" if nothing.
    [[nodiscard]] std::string way_to_decrypt(int stream) const;
    /// Whether the user has given a key for a stream of the input.
    [[nodiscard]] bool has_key(int stream) const;
    /// The latest error message from reading; "" if there was none.
    [[nodiscard]] std::string complaint() const;
    /// Whether a stream contains anything that can be read, in the wanted part or elsewhere, as far as that is known.
    [[nodiscard]] bool has_packets(int stream) const;
    /// What ends before this time is not wanted from a stream: the part's start, or the beginning of the input, before
    /// which an added file may begin.
    [[nodiscard]] std::optional<std::int64_t> begin_of(int stream) const;
    /// See PacketSource::plays(); while nobody reads.
    [[nodiscard]] std::optional<std::int64_t> plays() const { return stack_->source->plays(); }
    /// What to subtract from a time of the input, microseconds, before it is told: the clock of a live one began
    /// anywhere, so that its places are those in the output.
    [[nodiscard]] std::int64_t told_from() const { return live_ ? part_.shift : 0; }
    [[nodiscard]] std::int64_t max_pixels() const { return options_.max_pixels; }
    /// Whether the first damage should end the run.
    [[nodiscard]] bool strict() const { return options_.strict; }

private:
    [[nodiscard]] bool begin(bool seeks);
    [[nodiscard]] bool go_to_part();
    void begin_live();
    void find_first_picture();
    PacketPtr read_next();

    InputRequest options_;
    std::function<bool()> interrupted_;
    bool live_;
    std::unique_ptr<InputStack> stack_;
    InputClock clock_;
    WantedPart part_;
    std::optional<Damage> damage_of_part_;
    std::map<int, std::int64_t> pictures_before_;
    std::set<std::pair<int, int>> encrypted_;  // clips and streams of which something is dropped
};

}  // namespace vfilter
