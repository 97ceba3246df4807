#pragma once
// What is wrong with the packets of an input: what its demuxer reports about them, and what is missing at the end.

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "config/io_options.h"
#include "io/damage.h"
#include "io/input/evidence/promises.h"
#include "io/input/packet_source.h"
#include "io/packet_times.h"

namespace vfilter {

/// Compares the packets of one input, which may be opened several times, with what it promises. One thread. With
/// --strict the first damaged packet and the first error message of the demuxer throw Error(damaged).
class PacketAccount {
public:
    /// `options` and `format`, the input's streams, must outlive it. `filtered` are the filtered videos, `rates` the
    /// pictures per second by stream.
    PacketAccount(const InputOptions& options, const AVFormatContext& format, std::vector<int> filtered,
                  std::vector<AVRational> rates);

    /// The input was opened, possibly again: its demuxer has not reported anything yet. `lasting` is what is missing
    /// from it whatever is read.
    void opened(const Damage& lasting) {
        told_complaints_ = 0;
        lasting_ += lasting;
        damage_ += lasting;
    }
    /// A packet as returned by the demuxer, what the demuxer has logged so far, and PacketSource::faults_so_far().
    void came(const AVPacket& packet, const Complaints& complaints, std::optional<std::int64_t> faults = std::nullopt);
    /// What the source of the packets has found by itself.
    void found(const Damage& damage) { damage_ += damage; }
    /// A packet as it is passed on, after its time has been corrected. The same one may come several times.
    void given(const AVPacket& packet);
    /// The output of a live input begins here, microseconds: what is told of its places counts from there.
    void output_begins(std::int64_t time) { output_begin_ = time; }
    /// Where the output of a live input is now, seconds; empty before it has begun.
    [[nodiscard]] std::optional<double> output_place() const;
    /// A time, microseconds, as it is told: of a live input counted from where its output begins.
    [[nodiscard]] double told(std::int64_t time) const {
        return seconds_of(av_sat_sub64(time, output_begin_.value_or(0)));
    }
    /// The input is read from another position: what came until now is forgotten, and not all of it will come.
    void sought();
    /// A demuxer's messages about landing in the middle do not count as damage.
    void forgive() { damage_ = lasting_; }

    /// The end: the error from reading, and where the video ends according to its header, in microseconds.
    void end(int error, bool interrupted, PacketSource& source, std::int64_t told_end);

    [[nodiscard]] const Damage& damage() const { return damage_; }
    /// Where the filtered videos end according to the packets that were passed on, microseconds; AV_NOPTS_VALUE if
    /// there were none.
    [[nodiscard]] std::int64_t pictures_end() const { return pictures_end_; }
    /// Whether a stream has any packet, anywhere: according to what was read, or to the container.
    [[nodiscard]] bool has_packets(int stream) const;
    /// After the end: packets of a stream that the container has and the demuxer did not return.
    [[nodiscard]] std::int64_t empty_packets(int stream) const;

private:
    void note_corrupt(const AVPacket& packet, std::optional<std::int64_t> faults);
    void refuse_corrupt() const;
    void note_complaint(const Complaints& complaints, const AVPacket* packet);
    void judge_corrupt_packets(const ContainerScan* scan);
    void judge_duration(const ContainerScan* scan, std::int64_t told_end);
    void tell_early_end() const;
    [[nodiscard]] double seconds(std::int64_t time, int stream) const;
    [[nodiscard]] double place_of(std::int64_t time, int stream) const;

    const InputOptions& options_;
    const AVFormatContext& format_;
    std::vector<int> filtered_;
    std::vector<AVRational> rates_;  // by stream
    bool live_;
    bool from_beginning_ = true;         // there was no seeking: what came can be compared with what is promised
    std::vector<StreamTally> tallies_;   // by stream
    std::set<int> seen_;                 // streams from which a packet came, wherever it was read
    std::int64_t end_ = AV_NOPTS_VALUE;  // of the latest packet passed on, microseconds
    std::int64_t pictures_end_ = AV_NOPTS_VALUE;
    std::int64_t latest_ = AV_NOPTS_VALUE;      // time of the latest packet passed on, microseconds
    std::optional<std::int64_t> output_begin_;  // of a live input, microseconds
    Damage marked_;                             // packets that the demuxer has marked
    std::int64_t told_complaints_ = 0;
    Damage lasting_;
    Damage damage_;
};

/// Passes every packet of one opening to the account.
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
