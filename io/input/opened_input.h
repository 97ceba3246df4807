#pragma once
// One opening of an input: file, standard input, camera, address. A lost input is opened anew as another one.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/io_options.h"
#include "io/attended_clock.h"
#include "io/handles.h"
#include "io/input/evidence/container_scan.h"
#include "io/input/evidence/heif_items.h"
#include "io/input/evidence/matroska_unread.h"
#include "io/input/input_bytes.h"
#include "io/input/jpeg_parts.h"
#include "io/input/packet_source.h"
#include "io/log/complaints.h"
#include "io/log/missing_parts.h"

namespace vfilter {

struct Source;

/// Owns FFmpeg's context and whatever it reads from. One thread at a time. Nothing waits for longer than a fraction of
/// a second once `interrupted` is true.
class OpenedInput final : public PacketSource {
public:
    /// Opens the input and finds its streams. `options` and `interrupted` must outlive it. Throws Error(input), or
    /// Error(usage) for settings that FFmpeg does not know.
    OpenedInput(const InputOptions& options, const std::function<bool()>& interrupted);
    ~OpenedInput() override;

    [[nodiscard]] AVFormatContext& format() const override { return *format_; }
    /// Its packets stay valid when the input is closed.
    int read(AVPacket& packet) override;
    int seek(int stream, std::int64_t latest, int flags) override;
    [[nodiscard]] const Complaints* complaints() const override { return &complaints_; }
    const ContainerScan* scan() override;
    [[nodiscard]] std::optional<std::int64_t> faults_so_far() const override {
        return scan_ ? std::optional(scan_->scan().fault_count()) : std::nullopt;
    }
    Damage take_damage() override;
    [[nodiscard]] std::int64_t joints() const override { return parts_.joints(); }
    [[nodiscard]] std::int64_t holes() const override { return parts_.holes(); }
    [[nodiscard]] Damage lasting_damage() const override {
        Damage damage = parts_.lasting();
        damage += scrambled_;
        return damage;
    }
    [[nodiscard]] std::optional<std::int64_t> plays() const override {
        return scan_ ? scan_->scan().plays() : std::nullopt;
    }
    std::string sha256(const std::function<bool()>& stop) override;
    /// What its header says besides, and FFmpeg does not read.
    [[nodiscard]] const UnreadLabels& unread() const { return unread_; }
    /// Whether it is a file with streams of sound or pictures that did not begin where FFmpeg looked for them.
    [[nodiscard]] bool may_tell_more() const;
    /// Whether the bytes come through a pipe or a FIFO.
    [[nodiscard]] bool is_pipe() const { return bytes_ != nullptr && !bytes_->seekable(); }
    /// A pause that the other side makes, and not we: a pipe without a writer, a camera.
    [[nodiscard]] bool waits() const { return is_pipe() || bytes_ == nullptr; }

private:
    using Clock = std::chrono::steady_clock;

    static constexpr int max_streams = 1000;  // a satellite's whole transponder has a few hundred
    /// Bytes of a GIF, of which FFmpeg counts the pictures before it reads them.
    static constexpr std::size_t max_piped_gif = 64U << 20;
    /// Bytes in front of the first packet of a pipe that are looked into once it is opened.
    static constexpr std::size_t max_front = 32U << 20;

    void open();
    void make_context();
    [[nodiscard]] bool lies_elsewhere(const AVInputFormat* format) const;
    int open_as_it_comes(const Source& source, const std::string& url, const AVInputFormat& format,
                         Dictionary& settings);
    void tell_bare_stream(const AVInputFormat& format) const;
    [[nodiscard]] std::string url_of(const Source& source) const;
    [[nodiscard]] const AVInputFormat* named_format(const Source& source) const;
    void choose_settings(const Source& source, Dictionary& settings);
    void check_settings(Dictionary& left) const;
    void mend_movie();
    void open_bytes(const std::string& url, const AVInputFormat*& format);
    void check_y4m_size(const AVInputFormat& format, std::span<const std::uint8_t> beginning) const;
    void bridge_lost_fragments(const AVInputFormat& format);
    void find_streams();
    void check_pictures();
    void check_raw_pictures() const;
    void refuse_picture(const std::string& why) const;
    void open_nothing_else(const std::string& url);
    void keep_front(std::int64_t offset, std::span<const std::uint8_t> bytes);
    void read_unread();
    void note_scrambled();
    [[nodiscard]] bool is_scrambled(const AVStream& stream) const {
        return scan_ && scan_->scan().is_scrambled(stream.id);
    }
    void choose_camera_mode(Dictionary& settings) const;
    [[nodiscard]] bool stop();
    [[nodiscard]] std::string why_not_opened(int error) const;
    [[nodiscard]] static std::string too_many_streams();
    [[nodiscard]] int why_ended(int error);
    void note_memory(int got, const AVPacket& packet);
    void note_lost_bytes();
    void note_end(const AVPacket& packet);
    [[nodiscard]] int read_packet(AVPacket& packet);
    [[nodiscard]] bool take_picture(AVPacket& packet);
    void add_what_file_says(AVPacket& packet) const;
    [[nodiscard]] bool is_left_out(AVPacket& packet);
    [[nodiscard]] bool leave_ended_stream();
    [[nodiscard]] bool goes_on_behind(int error);
    void forgive_joint(AVPacket& packet);
    [[nodiscard]] bool is_film_trailer(const AVPacket& packet) const;
    [[nodiscard]] MissingParts::End how_ended() const;
    void check_strictly(const Damage& damage) const;
    void wait_for_camera(std::chrono::milliseconds max_wait) const;

    const InputOptions& options_;
    const std::function<bool()>& interrupted_;
    Clock::duration patience_{};  // 0 for ever
    AttendedClock attended_;
    Clock::duration heard_{};  // when something came, by that clock
    std::int64_t heard_bytes_ = 0;
    bool timed_out_ = false;
    bool opening_ = true;
    bool ended_ = false;          // its end was read
    int largest_packet_ = 0;      // so far, bytes
    bool lends_buffers_ = false;  // packets are a driver's buffers
    JpegParts jpeg_parts_;
    PacketPtr overlooked_ = make_packet();  // a picture behind another one that was read with it
    std::int64_t later_by_ = 0;             // what comes behind such pictures
    bool in_hole_ = false;                  // its demuxer has given up since the last packet
    std::int64_t given_up_ = -1;            // the byte at which its demuxer gave up last
    bool tells_previews_ = true;
    bool tells_movies_ = true;
    int camera_ = -1;                    // its descriptor, FFmpeg's own
    std::unique_ptr<InputBytes> bytes_;  // null where FFmpeg opens the input: devices, addresses
    std::unique_ptr<ScanFeeder> scan_;
    std::vector<std::uint8_t> front_;            // of a pipe, until it is opened
    std::optional<HeifItems::Said> of_picture_;  // in HEIF
    UnreadLabels unread_;
    Complaints complaints_;
    MissingParts parts_;
    Damage met_;  // while it was read, since take_damage()
    Damage scrambled_;
    std::vector<std::int64_t> ends_;      // of the streams of a playlist, microseconds
    std::vector<AVStream*> left_;         // of DASH, as they have ended
    std::vector<std::int64_t> latest_;    // the latest packet's pts of each stream of a playlist, microseconds
    std::vector<std::int64_t> forgiven_;  // by stream, packets before a joint
    std::string own_url_;                 // the only one that its demuxer may open
    AVFormatContext* format_ = nullptr;
};

/// Has FFmpeg look for what streams are like over a minute of an input of this format, instead of some seconds, if the
/// user has not said how far.
void look_farther(InputOptions& options, const AVInputFormat& format);

}  // namespace vfilter
