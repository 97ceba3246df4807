#pragma once
// What the header says of the colours of a video that is copied, and another container may have no place for.

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
    bool full = false;                                   ///< YUV in the full range, which its format does not say
    AVChromaLocation siting = AVCHROMA_LOC_UNSPECIFIED;  ///< where it is neither MPEG-2's nor JPEG's
    bool dolby_vision = false;
    bool hdr = false;  ///< mastering display or light level, which the bit stream has no place for
};

/// Nothing of streams that are no video, and of those that say nothing of it.
std::optional<CopiedSays> copied_says(const AVStream& stream);

/// What of it `found` does not say, which may be null: "colours bt2020/smpte2084/bt2020nc", "full range". It is to know
/// what its packets say (avformat_find_stream_info).
std::vector<std::string> lost_of_copy(const CopiedSays& sent, const AVStream* found);

}  // namespace vfilter
