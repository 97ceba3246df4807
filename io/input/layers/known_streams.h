#pragma once
// Streams as they were when the input was opened: what appeared later, or changed its codec, has no place in the
// output.

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "io/input/evidence/packet_account.h"
#include "io/input/layers/stream_places.h"
#include "io/input/packet_source.h"
#include "io/input/stream_watch.h"

namespace vfilter {

/// Whether FFmpeg has found the codec of a video or audio stream, but not its parameters: its size, or its rate. None
/// of it was in the part that was searched.
bool lacks_parameters(const AVCodecParameters& codec);

/// Drops packets of streams that were unknown when this was created, that lacked their parameters then, or whose codec
/// has changed since. Those of pictures, sound and text count as damage.
class KnownStreams final : public PacketLayer {
public:
    /// For the `filtered` ones the decoder determines the parameters. Those that the run has no use for are dropped
    /// silently. `watch` gets what is dropped; what it throws, read() throws. take_damage() hands on what it has.
    KnownStreams(std::unique_ptr<PacketSource> inner, const std::vector<int>& filtered,
                 std::shared_ptr<StreamWatch> watch);
    /// For a live input: the streams that were known when it was first opened. What is dropped is reported at once,
    /// with the place in the output according to `account`, which must outlive it.
    KnownStreams(std::unique_ptr<PacketSource> inner, const std::vector<int>& filtered,
                 std::shared_ptr<StreamWatch> watch, std::shared_ptr<StreamPlaces> places,
                 const PacketAccount* account);

    int read(AVPacket& packet) override;
    int seek(int stream, std::int64_t latest, int flags) override;
    Damage take_damage() override;

private:
    struct Known {
        AVCodecID codec;
        bool complete;
    };

    void know(const AVStream& stream);
    [[nodiscard]] bool is_known(const AVPacket& packet);
    [[nodiscard]] std::string begin_of(const AVPacket& packet) const;
    [[nodiscard]] bool is_of_another_codec(const AVPacket& packet);
    void tell(const AVPacket& packet);
    [[nodiscard]] std::string what_is_left_out(const AVPacket& packet, int place, bool complete) const;

    std::vector<int> filtered_;
    std::shared_ptr<StreamWatch> watch_;
    std::shared_ptr<StreamPlaces> places_;  // null for files
    const PacketAccount* account_;          // the same
    bool transport_;
    std::vector<Known> known_;           // by stream
    std::optional<std::int64_t> first_;  // time of the first packet of a live input, microseconds
    std::set<int> changed_;              // streams whose codec has changed
    std::set<int> told_;
};

}  // namespace vfilter
