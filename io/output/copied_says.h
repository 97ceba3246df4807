#pragma once
// What the header says about the colours of a copied video, and another container may be unable to store.

#include <optional>
#include <string>
#include <vector>

extern "C" {
#include <libavutil/pixfmt.h>
}

#include "io/handles.h"

namespace vfilter {

struct CopiedSays {
    AVColorPrimaries primaries = AVCOL_PRI_UNSPECIFIED;
    AVColorTransferCharacteristic curve = AVCOL_TRC_UNSPECIFIED;
    AVColorSpace matrix = AVCOL_SPC_UNSPECIFIED;
    bool full = false;                                   ///< full-range YUV, which its format does not indicate
    AVChromaLocation siting = AVCHROMA_LOC_UNSPECIFIED;  ///< if it is neither MPEG-2's nor JPEG's
    bool dolby_vision = false;
    bool hdr = false;  ///< mastering display or light level, which the bit stream cannot hold
};

/// Empty for streams other than video, and for those that say nothing about it.
std::optional<CopiedSays> copied_says(const AVStream& stream);

/// What of it is missing in `found`, which may be null: "colours bt2020/smpte2084/bt2020nc", "full range". `found` must
/// know what its packets say (avformat_find_stream_info).
std::vector<std::string> lost_of_copy(const CopiedSays& sent, const AVStream* found);

}  // namespace vfilter
