#pragma once
// A file whose pictures and sound come behind those of the input, as if both were one.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/io_options.h"
#include "io/damage.h"
#include "io/file_facts.h"
#include "io/handles.h"
#include "io/input/evidence/packet_account.h"
#include "io/input/packet_source.h"

namespace vfilter {

/// Where a packet of pictures or sound ends, in microseconds of its stream's clock; AV_NOPTS_VALUE of others, and where
/// nobody knows. `rate`: pictures a second, for packets that do not say how long theirs is shown.
std::int64_t end_of_packet(const AVPacket& packet, const AVStream& stream, AVRational rate);

/// Throws Error(input) where videos of a file have no times, by which files could follow each other.
void check_times(const AVFormatContext& format, const std::vector<int>& videos, const std::string& name);

/// Opened twice: at the beginning, to see what it holds, and when its turn comes. It is read and judged by itself, as
/// the input is. One thread; name(), format(), own_of() and frame_rate() stay as they are, and any thread may ask.
class AppendedFile {
public:
    /// `input` are the options of the input, all of which hold for it but the path, and `first` are the streams of the
    /// input, of which `videos` are filtered. `interrupted` must outlive it. Throws Error(input) where the file cannot
    /// be opened, lacks one of those videos, or has no times, and Error(usage) where its pictures are turned otherwise.
    AppendedFile(const InputOptions& input, std::string path, const AVFormatContext& first,
                 const std::vector<int>& videos, const std::function<bool()>& interrupted);

    [[nodiscard]] const std::string& name() const { return options_.path; }
    /// What it holds, by its own numbers and clocks.
    [[nodiscard]] const AVFormatContext& format() const { return *description_; }
    /// Which stream of the input one of its own goes on; -1 for none.
    [[nodiscard]] int place_of(int own) const;
    /// Its stream that goes on one of the input, -1 where there is none.
    [[nodiscard]] int own_of(int stream) const;
    /// Pictures a second of one of its own streams.
    [[nodiscard]] AVRational frame_rate(int own) const { return rates_.at(static_cast<std::size_t>(own)); }
    /// When it begins, by its own clock, microseconds.
    [[nodiscard]] std::int64_t begin() const { return begin_; }
    /// How long it is by what it says, or was measured, microseconds; empty where it does not say.
    [[nodiscard]] std::optional<std::int64_t> length() const { return length_; }
    /// Looks at its end, which lies behind what some containers say (the last packets of sound in MPEG-TS).
    void measure();
    /// Where a packet of its pictures or sound ends, by its own clock, microseconds; AV_NOPTS_VALUE of others.
    [[nodiscard]] std::int64_t end_of(const AVPacket& packet) const;

    /// Its beginning comes next. Throws Error(input), also where it is not the file any more that was looked at.
    void open();
    [[nodiscard]] bool is_open() const { return source_ != nullptr; }
    /// The next packet, by its own numbers and clocks, as PacketSource's.
    int read(AVPacket& packet);
    /// See PacketSource::seek(); a stream of its own. It has to be open.
    int seek(int own, std::int64_t latest, int flags) { return source_->seek(own, latest, flags); }
    /// What was said of landing in the middle is about no damage.
    void forgive() { account_->forgive(); }
    /// Adds to its damage.
    void found(const Damage& damage);
    /// Nothing more of it is wanted: what it has given since it was opened is judged by the error that ended it.
    void close(int error);
    /// As if it had never been opened.
    void forget();

    [[nodiscard]] const Complaints* complaints() const { return source_ ? source_->complaints() : nullptr; }
    [[nodiscard]] Damage damage() const;
    /// Of what was read: see PacketAccount. By its own clock; a stream of the input.
    [[nodiscard]] std::int64_t pictures_end() const { return account_ ? account_->pictures_end() : pictures_end_; }
    [[nodiscard]] std::int64_t empty_packets(int stream) const;
    [[nodiscard]] bool has_packets(int stream) const;
    /// 64 hexadecimal digits, if it was read to its end and InputOptions::sha256 asks for it; "" otherwise.
    [[nodiscard]] const std::string& sha256() const { return sum_; }

private:
    // What is left of an account when its file is closed.
    struct Tally {
        bool any = false;
        std::int64_t empty = 0;
    };

    // Errors of what `does` name the file.
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

    InputOptions options_;
    const std::function<bool()>& interrupted_;
    FileFacts facts_;
    DescriptionPtr description_;
    std::vector<int> places_;  // by stream of its own
    std::vector<int> videos_;  // of those, the filtered ones
    std::vector<AVRational> rates_;
    std::int64_t begin_ = 0;
    std::optional<std::int64_t> length_;
    std::string sum_;
    std::vector<Tally> tallies_;  // by stream of its own
    std::int64_t pictures_end_ = AV_NOPTS_VALUE;
    Damage damage_;
    std::optional<PacketAccount> account_;  // while it is open
    std::unique_ptr<PacketSource> source_;
};

}  // namespace vfilter
