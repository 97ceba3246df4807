#pragma once
// The output: the filtered video and every other stream that the container can hold.

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/damage.h"
#include "io/input/demuxer.h"
#include "io/log/complaints.h"
#include "io/output/adts_headers.h"
#include "io/output/avi_places.h"
#include "io/output/hidden_packets.h"
#include "io/output/interleaver.h"
#include "io/output/left_out_copies.h"
#include "io/output/open_words.h"
#include "io/output/output_begin.h"
#include "io/output/output_check.h"
#include "io/output/output_file.h"
#include "io/output/output_streams.h"
#include "io/output/output_times.h"
#include "io/output/part_index.h"
#include "io/output/peer_session.h"
#include "io/output/sent_account.h"
#include "io/output/stream_map.h"
#include "io/output/whole_pictures.h"

namespace vfilter {

/// Writes one output. Set-up (constructor, begin) and packets (write, finish) may be on different threads, not at once.
class Muxer {
public:
    /// `file` may be null for a container that needs none. With `pictures` each packet of the video is passed to that
    /// by itself, and with `peer` everything goes to an address; `file` is null then. They and `input` must outlive the
    /// muxer.
    Muxer(const AVOutputFormat& container, const Demuxer& input, OutputFile* file, OutputOptions options = {},
          PictureSink* pictures = nullptr, OutputPeer* peer = nullptr);
    ~Muxer();
    Muxer(const Muxer&) = delete;
    Muxer& operator=(const Muxer&) = delete;

    /// Creates the streams and writes the header. Those of `sounds` that it keeps must outlive the muxer. Throws
    /// Error(output).
    void begin(const std::vector<EncodedVideo>& videos, const std::vector<const SoundConverter*>& sounds = {});
    /// The input's audio streams that are to be encoded, and how. Before begin(), which may leave some out.
    [[nodiscard]] const std::map<int, EncodedSound>& encoded_sounds() const { return map_.sounds(); }
    /// The tick of the container's times for pictures of the input's video `stream`, or 0/1 if it has none. After
    /// begin().
    [[nodiscard]] AVRational clock_of(int stream) const;
    /// A packet from the encoder of the input's video `stream`, in that encoder's time base.
    void write_video(PacketPtr packet, int stream, AVRational time_base);
    /// A packet from the encoder of the input's audio `stream`, in that encoder's time base.
    void write_sound(PacketPtr packet, int stream, AVRational time_base);
    /// A packet of the input, from any stream that is not encoded.
    void write_copy(PacketPtr packet);
    /// Writes what is held back, then the trailer. Throws Error(output). `go_on` is called while a file is copied to
    /// move its index to the front; if it returns false the index stays at the end.
    void finish(const std::function<bool()>& go_on = [] { return true; });

    /// Whether packets of an input stream have a place in the output.
    [[nodiscard]] bool carries(int input_index) const { return map_.carries(input_index); }
    /// Copied packets that the container refused, and that are left out: damaged ones, or more than it can hold; and
    /// the muxer's message about the last of them.
    [[nodiscard]] std::int64_t refused_packets() const { return refused_packets_; }
    [[nodiscard]] const std::string& why_refused() const { return why_refused_; }
    /// Packets of copied streams that the output cannot store unchanged.
    [[nodiscard]] Damage left_out() const {
        Damage all = left_out_copies_.damage();
        return all += left_out_;
    }
    /// Packets of all streams that an address did not receive: the one at which it was lost, those that were waiting
    /// then, and those up to the key frame after it came back. What was in buffers between here and there is not
    /// counted. Any thread.
    [[nodiscard]] std::int64_t lost_packets() const { return peer_ ? peer_->lost_packets() : 0; }
    /// How many packets of the input's video `stream` no longer wait: they were written, or are lost.
    [[nodiscard]] std::int64_t settled(int stream) const;
    /// What was written, by output stream; after finish().
    [[nodiscard]] std::vector<SentStream> sent() const;
    /// Pictures of all videos that are not displayed at their time, because the container only counts them; after
    /// finish().
    [[nodiscard]] std::int64_t displaced_pictures() const { return account_.displaced_pictures(); }
    /// What the header says in addition, before the muxer renamed any of it; after begin().
    [[nodiscard]] const Labels& labels() const { return labels_; }
    /// For an output stream that is absent from the file because it has no data: warns, and counts it as dropped.
    void name_empty(int place) { map_.name_empty(place); }
    void tell_empty(const std::vector<int>& absent) const;
    /// Descriptions of the streams that were left out.
    [[nodiscard]] const std::vector<std::string>& dropped() const { return map_.dropped(); }
    /// What the input says and FFmpeg does not read: tell_unread(); after begin().
    [[nodiscard]] const std::vector<std::string>& unread() const { return unread_; }
    /// Audio streams that are encoded, and what they become.
    [[nodiscard]] const std::vector<std::string>& encoded() const { return map_.encoded(); }

private:
    void add_streams(const std::vector<EncodedVideo>& videos, const std::vector<const SoundConverter*>& sounds);
    void add_copy(const AVStream& from);
    void label(const EncodedVideo& first);
    void shift_nothing(const std::vector<EncodedVideo>& videos);
    [[nodiscard]] std::vector<PacketPtr> covers() const;
    void watch_times(const EncodedVideo& video);
    void write_header();
    [[noreturn]] void tell_refused_header(int error, const std::vector<std::string>& heard) const;
    void repeat_output();
    void begin_sending();
    void begin_again(int error);
    [[nodiscard]] bool in_fragments() const;
    [[nodiscard]] bool is_fragmented() const;
    void keep_last_duration();
    void find_phases(const std::vector<EncodedVideo>& videos);
    [[nodiscard]] std::string what_header_cannot_tell(const AVPacket& packet);
    void prepare_copy(AVPacket& packet) const;
    void check_begin(const AVPacket& packet, int index) const;
    void write_subtitle(PacketPtr packet, int from);
    void write_subtitles(std::vector<PacketPtr> packets, int from);
    void advance_subtitles(std::int64_t time, AVRational clock);
    void finish_subtitles();
    void tell_narrow_rate() const;
    void note_late_packets();
    void write(PacketPtr packet, int index);
    void take_turns();
    void write_waiting(bool all);
    void sync_recording();
    void check(int result, const char* call);
    void check_packet(int result, const char* call);

    const Demuxer& input_;
    OutputFile* file_;
    std::optional<WholePictures> pictures_;
    std::optional<PeerSession> peer_;
    OutputOptions options_;
    OutputContextPtr format_;
    StreamMap map_;
    AdtsHeaders adts_headers_;
    LeftOutCopies left_out_copies_{input_};
    std::vector<const SoundConverter*> sounds_;
    std::optional<OutputTimes> times_;
    SentAccount account_;
    Labels labels_;
    std::vector<std::string> unread_;
    // For an mp4 or mov file, for which the position of each packet is recorded.
    std::unique_ptr<PartIndex> index_;
    std::optional<Interleaver> interleaver_;  // for that, and for live runs
    std::map<int, std::int64_t> settled_;     // by output stream
    std::optional<std::int64_t> room_;        // reserved at the beginning for the index, if it goes there
    Complaints complaints_;
    Damage left_out_;
    std::int64_t refused_packets_ = 0;
    std::string why_refused_;
    HiddenPackets hidden_;
    AviPlaces avi_places_;
    OpenWords open_words_;
    std::map<int, std::int64_t> video_packets_;  // by output stream
    PicturePhases phases_;

    using Clock = std::chrono::steady_clock;
    Clock::time_point synced_ = Clock::now();  // when a live recording was last synced to the disk
};

}  // namespace vfilter
