#pragma once
// A live input is entered in the middle: nothing before its first key frame can be displayed.

#include <memory>

#include "io/input/packet_source.h"

namespace vfilter {

/// Drops every packet before the first key frame of the stream `video`, or before its 601st packet if there is no key
/// frame until then.
class FromKeyFrame final : public PacketLayer {
public:
    FromKeyFrame(std::unique_ptr<PacketSource> inner, int video) : PacketLayer(std::move(inner)), video_(video) {}

    int read(AVPacket& packet) override;

private:
    int video_;
    bool found_ = false;
    int skipped_ = 0;  // packets of the video
};

}  // namespace vfilter
