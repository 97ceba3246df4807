#pragma once
// What a run decides of an encoder: OutputOptions has what the user says of it.

#include <string>
#include <vector>

namespace vfilter {

/// A plain value. A run has one for all of its encoders, and each video a copy with what is decided for it alone.
struct EncodeTask {
    bool streamed = false;                ///< goes to an address, where somebody watches it
    std::vector<std::string> pix_fmts{};  ///< FFmpeg's names of pixel formats that the output takes; empty for all
    int pass = 0;                         ///< 1 or 2 of two passes, 0 without
    std::string pass_folder{};            ///< where the encoder's statistics of two passes are
    // Of a single video.
    bool trial = false;        ///< an encoder opened to see what comes of it, without messages
    bool limit_range = false;  ///< the output cannot be tagged full range: full-range pictures become limited ones
    bool full_range = false;   ///< the output is taken for full range, whatever it says: limited pictures become full
};

}  // namespace vfilter
