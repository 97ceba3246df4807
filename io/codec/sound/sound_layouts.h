#pragma once
// Audio channels and their positions.

#include <string>
#include <vector>

#include "io/handles.h"

namespace vfilter {

/// Where the channels of one layout go in another.
struct ChannelPlaces {
    /// For each channel of the other layout, in its order, the index of the channel of the first layout: -1 for
    /// silence. Empty if they have to be mixed.
    std::vector<int> sources;
    std::vector<std::string> mixed;  ///< channels of the first that have no place of their own: "FLC", "LFE"
};

/// Left and right at the side and at the back count as the same place if only one of them exists: 5.1 and 5.1(side).
ChannelPlaces places_of(const AVChannelLayout& from, const AVChannelLayout& to);

/// Of the layouts that the encoder supports and that can be read from the container, the one that keeps most channels
/// with the fewest of its own.
AVChannelLayout nearest_layout(const AVOutputFormat& container, const AVCodec& encoder, const AVChannelLayout& given);

/// "5.1(side)", "stereo", "3 channels".
std::string name_of_layout(const AVChannelLayout& layout);

/// Gives channels whose positions a decoder does not specify the usual ones.
void complete_layout(AVChannelLayout& channels);

}  // namespace vfilter
