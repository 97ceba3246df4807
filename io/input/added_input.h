#pragma once
// A file whose sound, subtitles and attachments are added to the streams of the input.

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/damage.h"
#include "io/handles.h"
#include "io/input/earlier_subtitles.h"
#include "io/input/evidence/packet_account.h"
#include "io/input/input_request.h"
#include "io/input/opened_input.h"
#include "io/input/packet_source.h"
#include "io/input/wanted_part.h"

namespace vfilter {

/// Opened, read and checked independently, in the same way as the input, through the layers that a file needs. Its
/// streams are described after those of the input, and its packets use the input's clock. One thread.
class AddedInput {
public:
    /// `input` are the options of the input, most of which also apply to it, and `number` says which of its files this
    /// is, from 1. `interrupted` must outlive it. Throws Error(input) if the file cannot be opened or contains nothing
    /// to add.
    AddedInput(const InputRequest& input, std::size_t number, const std::function<bool()>& interrupted);

    /// Adds its streams to those of the input. The description must outlive it.
    void describe(AVFormatContext& description);
    /// The wanted part of the input, in which seeking has been done. Nothing is read before this call.
    void begin(const WantedPart& part);

    /// The next packet; null at the end.
    const AVPacket* next();
    /// When it is to be decoded, microseconds; AV_NOPTS_VALUE if it has no time.
    [[nodiscard]] std::int64_t next_time() const;
    PacketPtr take() { return std::move(next_); }

    [[nodiscard]] Damage damage() const;
    /// Adds to it.
    void found(const Damage& damage) { account_->found(damage); }
    /// Adds unread information about its tracks, as for those of the description.
    void add_unread(UnreadLabels& unread) const;
    /// For each of its own streams: the index in the description, -1 for none.
    [[nodiscard]] const std::vector<int>& places() const { return places_; }
    [[nodiscard]] const AVInputFormat& demuxer() const { return *source_->format().iformat; }
    /// Null if FFmpeg reads it without one.
    [[nodiscard]] AVIOContext* bytes() const { return source_->format().pb; }
    /// See PacketAccount::has_packets(); a stream of the description.
    [[nodiscard]] bool has_packets(int stream) const;
    [[nodiscard]] bool waits() const { return waits_; }
    [[nodiscard]] const std::string& name() const { return file_.path; }
    /// Where the input begins, if what is before that is left out; microseconds.
    [[nodiscard]] std::optional<std::int64_t> cut() const {
        return file_.later < 0 ? std::optional(first_) : std::nullopt;
    }
    /// See PacketSource::sha256().
    std::string sha256(const std::function<bool()>& stop) { return source_->sha256(stop); }

private:
    void open();
    void seek(std::int64_t wanted);
    void refuse_nothing() const;
    [[nodiscard]] bool is_heard(const AVPacket& packet) const;
    [[nodiscard]] bool lands_early_enough(std::int64_t wanted);
    PacketPtr read();
    PacketPtr read_fitted();
    void give_shown();
    [[nodiscard]] std::int64_t own_begin() const;
    [[nodiscard]] bool is_before_input(const AVPacket& packet) const;
    void make_utf8(AVPacket& packet);
    [[nodiscard]] bool is_before_part(const AVPacket& packet) const;
    void fit(AVPacket& packet) const;

    InputRequest options_;
    AddedFile file_;
    const std::function<bool()>& interrupted_;
    std::optional<PacketAccount> account_;
    std::unique_ptr<PacketSource> source_;
    UnreadLabels unread_;
    std::vector<AVRational> rates_;
    std::vector<int> places_;
    AVFormatContext* description_ = nullptr;
    EarlierSubtitles subtitles_;
    std::deque<PacketPtr> earlier_;  // those, and packets that were read ahead
    std::deque<PacketPtr> shown_;    // those that are on the screen at `begin_`, and what was read after it, adjusted
    std::int64_t first_ = 0;         // of the input
    std::int64_t offset_ = 0;        // to be added to its times, microseconds
    std::optional<std::int64_t> wanted_;
    std::int64_t begin_ = 0;            // where the part begins, without the margin for rounded times
    std::optional<std::int64_t> from_;  // what ends before this is not wanted; empty if everything is
    bool told_western_ = false;
    bool waits_ = false;
    bool ended_ = false;
    bool gave_ = false;  // any packet
    PacketPtr next_;
};

}  // namespace vfilter
