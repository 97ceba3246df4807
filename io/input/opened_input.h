#pragma once
// One opening of an input: file, standard input, camera, address. A lost input is opened anew as another one.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "io/handles.h"
#include "io/input/demuxer_holes.h"
#include "io/input/evidence/container_scan.h"
#include "io/input/file_says.h"
#include "io/input/input_bytes.h"
#include "io/input/input_patience.h"
#include "io/input/input_request.h"
#include "io/input/opened_camera.h"
#include "io/input/opening_refusals.h"
#include "io/input/packet_source.h"
#include "io/input/pictures_behind.h"
#include "io/input/playlist_streams.h"
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
    OpenedInput(const InputRequest& options, const std::function<bool()>& interrupted);
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
    [[nodiscard]] const UnreadLabels& unread() const { return says_.unread(); }
    /// Whether it is a file with streams of sound or pictures that did not begin where FFmpeg looked for them.
    [[nodiscard]] bool may_tell_more() const;
    /// Whether the bytes come through a pipe or a FIFO.
    [[nodiscard]] bool is_pipe() const { return bytes_ != nullptr && !bytes_->seekable(); }
    /// A pause that the other side makes, and not we: a pipe without a writer, a camera.
    [[nodiscard]] bool waits() const { return is_pipe() || bytes_ == nullptr; }

private:
    // Opening.
    void open();
    void make_context();
    void set_up(const Source& source, Dictionary& settings);
    void open_bytes(const std::string& url, const AVInputFormat*& format);
    void show_bytes(const AVInputFormat& format);
    void bridge_lost_fragments(const AVInputFormat& format);
    [[nodiscard]] bool lies_elsewhere(const AVInputFormat* format) const;
    int open_as_it_comes(const Source& source, const std::string& url, const AVInputFormat& format,
                         Dictionary& settings);
    void find_streams();
    [[noreturn]] void fail(int error) const;

    // Reading.
    [[nodiscard]] bool stop();
    [[nodiscard]] int read_packet(AVPacket& packet);
    void wait() const;
    void mend(AVPacket& packet) const;
    [[nodiscard]] bool goes_on_behind(int error);
    [[nodiscard]] bool is_left_out(AVPacket& packet);
    [[nodiscard]] bool is_scrambled(const AVStream& stream) const {
        return scan_ && scan_->scan().is_scrambled(stream.id);
    }
    void forgive(AVPacket& packet);
    [[nodiscard]] int end(int error);
    [[nodiscard]] int why_ended(int error);
    void note_memory(int got, const AVPacket& packet);
    void note_lost_bytes();
    void check_strictly(const Damage& damage) const;

    const InputRequest& options_;
    const std::function<bool()>& interrupted_;
    InputPatience patience_;
    bool opening_ = true;
    bool ended_ = false;          // its end was read
    bool lends_buffers_ = false;  // packets are a driver's buffers
    int largest_packet_ = 0;      // so far, bytes
    OpenedCamera camera_;
    std::unique_ptr<InputBytes> bytes_;  // null where FFmpeg opens the input: devices, addresses
    std::unique_ptr<ScanFeeder> scan_;
    FileSays says_;
    PicturesBehind behind_;
    DemuxerHoles holes_;
    PlaylistStreams streams_;
    Complaints complaints_;
    MissingParts parts_;
    Damage met_;  // while it was read, since take_damage()
    Damage scrambled_;
    OpenGuard guard_;
    AVFormatContext* format_ = nullptr;
};

}  // namespace vfilter
