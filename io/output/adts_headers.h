#pragma once
// The headers of AAC's packets (ADTS), which most containers have once for all.

#include <map>

#include "io/damage.h"
#include "io/handles.h"

namespace vfilter {

/// Of one output's copied streams, by their number in the input.
class AdtsHeaders {
public:
    /// From now on strip() takes them off the packets of a stream, which is `to` in the output.
    void add(int stream, const AVStream& to);
    /// Whether a packet of `from` says that it is of another format than the first one was, which the container has no
    /// way to tell. Counts it in `left_out` then, and notes where that begins.
    bool is_of_another_format(const AVPacket& packet, const AVStream& from, const AVOutputFormat& container,
                              Damage& left_out);
    /// What is left is for a stream with these parameters. FFmpeg's code: negative where the packet is refused.
    int strip(AVPacket& packet, int stream, const AVCodecParameters& codec);

private:
    struct Format {
        unsigned first;  // which the container's header tells
        bool told_another;
    };

    std::map<int, BitstreamFilterPtr> removers_;  // null where nothing is to be removed
    std::map<int, Format> formats_;
};

}  // namespace vfilter
