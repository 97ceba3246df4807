#pragma once
// Streams as they were when the input was opened: what came later, or became something else, has no place in the
// output.

#include <set>
#include <string>
#include <vector>

#include "io/input/packet_source.h"

namespace vfilter {

/// Whether FFmpeg has found what a stream of pictures or sound is, but not what they are like: their size, or its rate.
/// None of it came where it was looked for.
bool lacks_parameters(const AVCodecParameters& codec);

/// Leaves out packets of streams that nobody knew when this was made, that lacked their parameters then, or whose codec
/// is another one since. Those of pictures, sound and words are damage.
class KnownStreams final : public PacketLayer {
public:
    /// Of the `filtered` ones the decoder finds out what they are like. With `strict` the first packet that is left
    /// out throws Error(damaged).
    KnownStreams(std::unique_ptr<PacketSource> inner, const std::vector<int>& filtered, bool strict);

    int read(AVPacket& packet) override;
    int seek(int stream, std::int64_t latest, int flags) override;
    Damage take_damage() override;

private:
    struct Known {
        AVCodecID codec;
        bool complete;
    };

    [[nodiscard]] bool is_known(const AVPacket& packet);
    [[nodiscard]] bool is_of_another_codec(const AVPacket& packet);
    void tell(const AVPacket& packet);

    std::vector<Known> known_;  // by stream
    bool transport_;
    bool strict_;
    std::set<int> changed_;  // streams that are of another codec now
    std::set<int> told_;
    Damage damage_;
};

}  // namespace vfilter
