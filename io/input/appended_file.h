#pragma once
// A file whose pictures and sound follow those of the input, as if both were one.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/damage.h"
#include "io/file_facts.h"
#include "io/handles.h"
#include "io/input/evidence/packet_account.h"
#include "io/input/input_request.h"
#include "io/input/packet_source.h"

namespace vfilter {

/// Where a packet of pictures or sound ends, in microseconds of its stream's clock; AV_NOPTS_VALUE for others, and if
/// unknown. `rate`: pictures per second, for packets without a duration.
std::int64_t end_of_packet(const AVPacket& packet, const AVStream& stream, AVRational rate);

/// Throws Error(input) if videos of a file have no times, which are needed for files to follow each other.
void check_times(const AVFormatContext& format, const std::vector<int>& videos, const std::string& name);

/// Opened twice: at the beginning, to examine its contents, and when its turn comes. It is read and checked
/// independently, in the same way as the input. One thread; name(), format(), own_of() and frame_rate() never change,
/// and may be called from any thread.
class AppendedFile {
public:
    /// `input` are the options of the input, all of which also apply to it except the path, and `first` are the streams
    /// of the input, of which `videos` are filtered. `interrupted` must outlive it. Throws Error(input) if the file
    /// cannot be opened, lacks one of those videos, or has no times, and Error(usage) if its pictures have a different
    /// orientation.
    AppendedFile(const InputRequest& input, std::string path, const AVFormatContext& first,
                 const std::vector<int>& videos, const std::function<bool()>& interrupted);

    [[nodiscard]] const std::string& name() const { return options_.path; }
    /// Its contents, with its own numbers and clocks.
    [[nodiscard]] const AVFormatContext& format() const { return *description_; }
    /// The stream of the input that is continued by one of its own streams; -1 for none.
    [[nodiscard]] int place_of(int own) const;
    /// Its own stream that continues one of the input, -1 if there is none.
    [[nodiscard]] int own_of(int stream) const;
    /// Pictures per second of one of its own streams.
    [[nodiscard]] AVRational frame_rate(int own) const { return rates_.at(static_cast<std::size_t>(own)); }
    /// When it begins, in its own clock, microseconds.
    [[nodiscard]] std::int64_t begin() const { return begin_; }
    /// Its duration as it says or as measured, microseconds; empty if it does not say.
    [[nodiscard]] std::optional<std::int64_t> length() const { return length_; }
    /// Reads its end, which may be later than some containers say (the last sound packets in MPEG-TS).
    void measure();
    /// Where a packet of its pictures or sound ends, in its own clock, microseconds; AV_NOPTS_VALUE for others.
    [[nodiscard]] std::int64_t end_of(const AVPacket& packet) const;

    /// Opens it at its beginning. Throws Error(input), also if it is no longer the file that was examined.
    void open();
    [[nodiscard]] bool is_open() const { return source_ != nullptr; }
    /// The next packet, with its own numbers and clocks, as for PacketSource.
    int read(AVPacket& packet);
    /// See PacketSource::seek(); one of its own streams. It must be open.
    int seek(int own, std::int64_t latest, int flags) { return source_->seek(own, latest, flags); }
    /// Messages about landing in the middle do not count as damage.
    void forgive() { account_->forgive(); }
    /// Adds to its damage.
    void found(const Damage& damage);
    /// Nothing more of it is wanted: what it has returned since it was opened is checked, given the error that ended
    /// it.
    void close(int error);
    /// Resets it as if it had never been opened.
    void forget();

    [[nodiscard]] const Complaints* complaints() const { return source_ ? source_->complaints() : nullptr; }
    [[nodiscard]] Damage damage() const;
    /// For what was read: see PacketAccount. In its own clock; a stream of the input.
    [[nodiscard]] std::int64_t pictures_end() const { return account_ ? account_->pictures_end() : pictures_end_; }
    [[nodiscard]] std::int64_t empty_packets(int stream) const;
    [[nodiscard]] bool has_packets(int stream) const;
    /// 64 hexadecimal digits, if it was read to its end and InputRequest::sha256 requests it; otherwise "".
    [[nodiscard]] const std::string& sha256() const { return sum_; }

private:
    // What is kept of an account when its file is closed.
    struct Tally {
        bool any = false;
        std::int64_t empty = 0;
    };

    // Errors thrown by `does` get the file's name.
    template <class Does>
    auto named(const Does& does) {
        try {
            return does();
        } catch (const Error& error) {
            throw Error(error.code(), name() + ": " + error.what());
        }
    }
    void check_decoder(const AVCodecParameters& codec) const;
    void judge(int error);
    void look();
    void find_places(const AVFormatContext& first, const std::vector<int>& videos);

    InputRequest options_;
    const std::function<bool()>& interrupted_;
    FileFacts facts_;
    DescriptionPtr description_;
    std::vector<int> places_;  // by its own streams
    std::vector<int> videos_;  // the filtered ones among them
    std::vector<AVRational> rates_;
    std::int64_t begin_ = 0;
    std::optional<std::int64_t> length_;
    std::string sum_;
    std::vector<Tally> tallies_;  // by its own streams
    std::int64_t pictures_end_ = AV_NOPTS_VALUE;
    Damage damage_;
    std::optional<PacketAccount> account_;  // while it is open
    std::unique_ptr<PacketSource> source_;
};

}  // namespace vfilter
