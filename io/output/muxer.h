#pragma once
// The output: the filtered video and every other stream that the container can hold.

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "config/io_options.h"
#include "io/codec/encoder.h"
#include "io/codec/subtitles.h"
#include "io/input/complaints.h"
#include "io/input/demuxer.h"
#include "io/output/output_check.h"
#include "io/output/output_file.h"
#include "io/output/part_index.h"

namespace vfilter {

/// The container that the options ask for: --format, else by the name, else Matroska for "-". Throws Error(usage).
const AVOutputFormat& choose_container(const OutputOptions& options);

/// Adds the stream of an encoded video to an output: codec, clock, tags, and what is told of its pictures. Throws
/// std::bad_alloc.
void fill_video_stream(AVFormatContext& output, const AVStream& from, const Encoder& encoder, const AVFrame& first);

/// A video that is encoded anew.
struct EncodedVideo {
    int stream;  ///< its number in the input
    const Encoder* encoder;
    const AVFrame* first;  ///< its first picture, for what is told of all
};

/// Writes one output. Set-up (constructor, begin) and packets (write, finish) may be on different threads, not at once.
class Muxer {
public:
    /// `file` may be null for a container that needs none; it and `input` must outlive the muxer.
    Muxer(const AVOutputFormat& container, const Demuxer& input, OutputFile* file);
    ~Muxer();
    Muxer(const Muxer&) = delete;
    Muxer& operator=(const Muxer&) = delete;

    /// Lays out the streams and writes the header. Throws Error(output).
    void begin(const std::vector<EncodedVideo>& videos);
    /// A packet of the encoder of the input's video `stream`, in that encoder's time base.
    void write_video(PacketPtr packet, int stream, AVRational time_base);
    /// A packet of the input, of any stream but the filtered ones.
    void write_copy(PacketPtr packet);
    /// Writes what is held back, then the trailer. Throws Error(output).
    void finish();

    /// Whether packets of a stream of the input have a place in the output.
    [[nodiscard]] bool carries(int input_index) const {
        const auto index = static_cast<std::size_t>(input_index);
        return index < map_.size() && map_[index] >= 0 && !header_only_[index];  // some appear only later
    }
    /// Copied packets that the container refused, and are left out: damaged ones, or more than it can hold; and what
    /// the muxer said of the last of them.
    [[nodiscard]] std::int64_t refused_packets() const { return refused_packets_; }
    [[nodiscard]] const std::string& why_refused() const { return why_refused_; }
    /// What was written, by output stream; after finish().
    [[nodiscard]] std::vector<SentStream> sent() const;
    /// Streams that were left out, a description each.
    [[nodiscard]] const std::vector<std::string>& dropped() const { return dropped_; }

private:
    void map_streams();
    void drop_refused(const std::vector<EncodedVideo>& videos);
    [[nodiscard]] bool accepts(const std::vector<EncodedVideo>& videos, int without) const;
    void drop(int stream);
    void add_copy(const AVStream& from);
    void add_video(const AVStream& from, const Encoder& encoder, const AVFrame& first);
    void copy_chapters();
    void copy_programs();
    [[nodiscard]] bool in_fragments() const;
    void set_movie_options(Dictionary& settings) const;
    void tell_lost_rotation() const;
    [[nodiscard]] int movie_timescale() const;
    void write(PacketPtr packet, int index);
    void queue(PacketPtr packet);
    void write_queued(bool all);
    void put(PacketPtr packet);
    void check(int result, const char* call);
    void check_packet(int result, const char* call);

    const Demuxer& input_;
    OutputFile* file_;
    AVFormatContext* format_ = nullptr;
    std::map<int, SubtitleConverter> converters_;   // by input stream
    std::map<int, BitstreamFilterPtr> bare_sound_;  // by input stream; null where nothing is to be removed
    std::vector<bool> header_only_;                 // by input stream: all of it is in the header
    std::vector<int> map_;                          // input stream -> output stream, -1 for none
    std::vector<std::string> dropped_;
    std::vector<std::int64_t> last_dts_;
    std::vector<SentStream> sent_;  // by output stream
    // Of an mp4 or mov that is a file: what FFmpeg's own queue would not tell, namely where each packet went.
    std::unique_ptr<PartIndex> index_;
    std::deque<PacketPtr> queue_;  // in the order of decoding times
    std::vector<int> queued_;      // packets in it, by output stream
    Complaints complaints_;
    std::int64_t refused_packets_ = 0;
    std::string why_refused_;
    std::map<int, std::int64_t> video_packets_;  // by output stream

    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::seconds sync_interval{1};
    Clock::time_point synced_ = Clock::now();  // when a live recording was last safe on the disk
};

}  // namespace vfilter
