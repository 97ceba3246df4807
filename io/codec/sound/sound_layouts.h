#pragma once
// Channels of sound, and where they are heard.

#include <string>
#include <vector>

#include "io/handles.h"

namespace vfilter {

/// What becomes of the channels of one layout in another.
struct ChannelPlaces {
    /// For each channel of the other one, in its order, which one of the first it is: -1 for silence. Empty where they
    /// have to be mixed.
    std::vector<int> sources;
    std::vector<std::string> mixed;  ///< channels of the first that have no place of their own: "FLC", "LFE"
};

/// Left and right at the side and at the back are one place where only one of them is there: 5.1 and 5.1(side).
ChannelPlaces places_of(const AVChannelLayout& from, const AVChannelLayout& to);

/// The layout that keeps most channels, in the fewest, of those that the encoder makes and that can be read from the
/// container.
AVChannelLayout nearest_layout(const AVOutputFormat& container, const AVCodec& encoder, const AVChannelLayout& given);

/// "5.1(side)", "stereo", "3 channels".
std::string name_of_layout(const AVChannelLayout& layout);

/// Gives channels of which a decoder does not say where they are the usual places.
void complete_layout(AVChannelLayout& channels);

}  // namespace vfilter
