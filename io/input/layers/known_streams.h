#pragma once
// Streams as they were when the input was opened: what came later, or became something else, has no place in the
// output.

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "io/input/layers/same_streams.h"
#include "io/input/packet_source.h"

namespace vfilter {

/// Whether FFmpeg has found what a stream of pictures or sound is, but not what they are like: their size, or its rate.
/// None of it came where it was looked for.
bool lacks_parameters(const AVCodecParameters& codec);

/// Leaves out packets of streams that nobody knew when this was made, that lacked their parameters then, or whose codec
/// is another one since. Those of pictures, sound and words are damage.
class KnownStreams final : public PacketLayer {
public:
    /// Of the `filtered` ones the decoder finds out what they are like. Those of kinds that are not `wanted`, of
    /// kind::, go without a word. With `strict` the first packet that is left out throws Error(damaged).
    KnownStreams(std::unique_ptr<PacketSource> inner, const std::vector<int>& filtered, unsigned wanted, bool strict);
    /// Of a live input: the streams that were known when it was first opened. What is left out is told at once.
    KnownStreams(std::unique_ptr<PacketSource> inner, const std::vector<int>& filtered, unsigned wanted, bool strict,
                 std::shared_ptr<StreamPlaces> places);

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

    std::vector<int> filtered_;
    unsigned wanted_;
    bool strict_;
    std::shared_ptr<StreamPlaces> places_;  // null of files
    bool transport_;
    std::vector<Known> known_;           // by stream
    std::optional<std::int64_t> first_;  // time of the first packet of a live input, microseconds
    std::set<int> changed_;              // streams that are of another codec now
    std::set<int> told_;
    Damage damage_;
};

}  // namespace vfilter
