#pragma once
// The headers of AAC packets (ADTS), which most containers store once for the whole stream.

#include <map>

#include "io/handles.h"

namespace vfilter {

/// Whether AAC loses the headers of its packets in this container, which has one for all of them.
bool has_one_sound_header(const AVOutputFormat& container);

/// For one output's copied streams, by their number in the input.
class AdtsHeaders {
public:
    /// From now on strip() removes them from the packets of a stream, which is `to` in the output.
    void add(int stream, const AVStream& to);
    /// Whether a packet of `from` has another format than the first one, which the container cannot express.
    bool is_of_another_format(const AVPacket& packet, const AVStream& from, const AVOutputFormat& container);
    /// Prepares the packet for a stream with these parameters. Returns FFmpeg's code: negative if the packet is
    /// refused.
    int strip(AVPacket& packet, int stream, const AVCodecParameters& codec);

private:
    std::map<int, BitstreamFilterPtr> removers_;  // null if nothing is to be removed
    std::map<int, unsigned> formats_;             // the first one, stored in the container's header
};

}  // namespace vfilter
