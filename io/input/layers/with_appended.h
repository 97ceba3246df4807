#pragma once
// Files after the input, as if all were one.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/input/appended_file.h"
#include "io/input/packet_source.h"

namespace vfilter {

/// Returns the packets of one file after another, with the numbers and in the clock of the first. A file begins where
/// the previous one ends according to its own information, or at the end of its last picture or sound if that is later.
/// Files that are not wanted are not opened again.
class WithAppended final : public PacketLayer {
public:
    /// `account` is that of the inner source, the first file, which ends at `end` according to its own information
    /// (AV_NOPTS_VALUE if it has none), `description` has the streams of all, and `rates` are pictures per second by
    /// stream of the first. All must outlive it.
    WithAppended(std::unique_ptr<PacketSource> inner, PacketAccount& account, std::int64_t end,
                 std::vector<std::unique_ptr<AppendedFile>> files, const AVFormatContext& description,
                 const std::vector<AVRational>& rates, const std::function<bool()>& interrupted);

    [[nodiscard]] const AVFormatContext& format() const override { return description_; }
    int read(AVPacket& packet) override;
    /// Not possible if a file does not say how long it is.
    int seek(int stream, std::int64_t latest, int flags) override;
    [[nodiscard]] const Complaints* complaints() const override;
    /// Each file is checked when it ends.
    const ContainerScan* scan() override { return nullptr; }

    /// The file with that number: 1 is the first appended one.
    [[nodiscard]] const AppendedFile& file(int clip) const { return *files_.at(static_cast<std::size_t>(clip) - 1); }
    [[nodiscard]] int count() const { return static_cast<int>(files_.size()) + 1; }
    /// See PacketAccount::forgive().
    void forgive();
    /// Damage of an appended file that others have found.
    void found(int clip, const Damage& damage) { at(clip).found(damage); }
    /// For the appended files.
    [[nodiscard]] Damage damage() const;
    /// See PacketAccount, for all files.
    [[nodiscard]] std::int64_t pictures_end() const;
    [[nodiscard]] std::int64_t empty_packets(int stream) const;
    [[nodiscard]] bool has_packets(int stream) const;
    /// For each appended file: see PacketSource::sha256().
    [[nodiscard]] std::vector<std::string> sums() const;

private:
    [[nodiscard]] AppendedFile& at(int clip) { return *files_[static_cast<std::size_t>(clip) - 1]; }
    [[nodiscard]] std::int64_t& begin_of(int clip) { return begins_[static_cast<std::size_t>(clip)]; }
    void reckon_begins();
    [[nodiscard]] int end_clip(int error);
    [[nodiscard]] std::int64_t end_in_input(const AVPacket& packet) const;
    [[nodiscard]] bool fits(AVPacket& packet);

    PacketAccount& account_;
    std::int64_t end_;  // of the first file
    std::vector<std::unique_ptr<AppendedFile>> files_;
    const AVFormatContext& description_;
    const std::vector<AVRational>& rates_;
    const std::function<bool()>& interrupted_;
    std::vector<std::int64_t> begins_;  // by clip, in the first one's clock, microseconds; as far as known
    int clip_ = 0;
    std::int64_t read_to_ = AV_NOPTS_VALUE;  // of it, in its own clock, microseconds
    int ended_ = 0;                          // the error after the last file
};

/// Which of the files a packet belongs to, 0 for the input itself.
int clip_of(const AVPacket& packet);

/// Whether an audio packet is only needed by the decoder of an appended file: what codecs put before its beginning.
bool is_before_clip(const AVPacket& packet);

/// The properties of an input, which ends at `end` (AV_NOPTS_VALUE if unknown), together with the files after it: their
/// total duration, and their chapters.
DescriptionPtr describe_appended(const AVFormatContext& input, std::int64_t end,
                                 const std::vector<std::unique_ptr<AppendedFile>>& files);

}  // namespace vfilter
