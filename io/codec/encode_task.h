#pragma once
// What a run decides about encoding. What the user says about it is OutputOptions.

#include <string>
#include <vector>

namespace vfilter {

/// A plain value. A run has one for all its encoders, and each video a copy with what is decided for that video alone.
struct EncodeTask {
    bool streamed = false;                ///< the output is an address, where somebody is watching
    std::vector<std::string> pix_fmts{};  ///< FFmpeg's names of the pixel formats that the output takes; empty for all
    int pass = 0;                         ///< 1 or 2 of two passes, 0 if there is only one
    std::string pass_folder{};            ///< holds the encoders' statistics of two passes
    // For a single video.
    bool trial = false;        ///< the encoder is opened only to see what comes of it, without messages
    bool limit_range = false;  ///< the output cannot be tagged as full range: full-range pictures become limited
    bool full_range = false;   ///< readers assume full range whatever the output says: limited pictures become full
};

}  // namespace vfilter
