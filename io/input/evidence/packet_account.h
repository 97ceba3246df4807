#pragma once
// What is wrong with the packets of an input: what its demuxer says of them, and what is missing at the end.

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "config/io_options.h"
#include "io/damage.h"
#include "io/input/evidence/promises.h"
#include "io/input/packet_source.h"

namespace vfilter {

/// Packets of one input, which may be opened several times, against what it promises. One thread. With --strict the
/// first damaged packet and the first complaint of the demuxer throw Error(damaged).
class PacketAccount {
public:
    /// `options` and `format`, the input's streams, must outlive it. `filtered` are the videos that are filtered,
    /// `rates` the pictures per second by stream.
    PacketAccount(const InputOptions& options, const AVFormatContext& format, std::vector<int> filtered,
                  std::vector<AVRational> rates);

    /// The input was opened, once more: its demuxer has not complained yet. What is missing of it whatever is read.
    void opened(const Damage& lasting) {
        told_complaints_ = 0;
        lasting_ += lasting;
        damage_ += lasting;
    }
    /// A packet as the demuxer gave it, what the demuxer has logged so far, and PacketSource::faults_so_far().
    void came(const AVPacket& packet, const Complaints& complaints, std::optional<std::int64_t> faults = std::nullopt);
    /// What the source of the packets has found by itself.
    void found(const Damage& damage) { damage_ += damage; }
    /// A packet as it is given on, when its time is mended. The same one may come several times.
    void given(const AVPacket& packet);
    /// The input is read from another place: what came until now is forgotten, and not all of it will come.
    void sought();
    /// What a demuxer says of landing in the middle is about no damage.
    void forgive() { damage_ = lasting_; }

    /// The end: the error that reading gave, and where the video ends by its header, in microseconds.
    void end(int error, bool interrupted, PacketSource& source, std::int64_t told_end);

    [[nodiscard]] const Damage& damage() const { return damage_; }
    /// Where the filtered videos end by the packets that were given, microseconds; AV_NOPTS_VALUE if none was.
    [[nodiscard]] std::int64_t pictures_end() const { return pictures_end_; }
    /// Whether a stream has any packet, wherever it lies: as far as was read, or the container tells.
    [[nodiscard]] bool has_packets(int stream) const;
    /// After the end: packets of a stream that the container has and the demuxer did not give.
    [[nodiscard]] std::int64_t empty_packets(int stream) const;

private:
    void note_corrupt(const AVPacket& packet, std::optional<std::int64_t> faults);
    void refuse_corrupt() const;
    void note_complaint(const Complaints& complaints, const AVPacket* packet);
    void judge_corrupt_packets(const ContainerScan* scan);
    void judge_duration(const ContainerScan* scan, std::int64_t told_end);
    void tell_early_end() const;
    [[nodiscard]] double seconds(std::int64_t time, int stream) const;

    const InputOptions& options_;
    const AVFormatContext& format_;
    std::vector<int> filtered_;
    std::vector<AVRational> rates_;  // by stream
    bool live_;
    bool from_beginning_ = true;         // nothing was sought: what came can be held against what is promised
    std::vector<StreamTally> tallies_;   // by stream
    std::set<int> seen_;                 // streams of which a packet came, wherever it was read
    std::int64_t end_ = AV_NOPTS_VALUE;  // of the latest packet given, microseconds
    std::int64_t pictures_end_ = AV_NOPTS_VALUE;
    Damage marked_;  // packets that the demuxer has marked
    std::int64_t told_complaints_ = 0;
    Damage lasting_;
    Damage damage_;
};

/// Shows every packet of one opening to the account.
class Counted final : public PacketLayer {
public:
    /// `account` must outlive it.
    Counted(std::unique_ptr<PacketSource> inner, PacketAccount& account)
        : PacketLayer(std::move(inner)), account_(account) {
        account_.opened(lasting_damage());
    }

    int read(AVPacket& packet) override {
        const int got = inner().read(packet);
        account_.found(inner().take_damage());
        if (got >= 0) {
            account_.came(packet, *complaints(), inner().faults_so_far());
        }
        return got;
    }
    int seek(int stream, std::int64_t latest, int flags) override {
        account_.sought();
        return PacketLayer::seek(stream, latest, flags);
    }

private:
    PacketAccount& account_;
};

}  // namespace vfilter
