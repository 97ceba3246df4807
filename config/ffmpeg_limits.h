#pragma once
// Times and numbers of pictures at which ffmpeg's input or output ends. Only what translates ffmpeg's words uses this.

#include <string>

namespace vfilter {

struct FfmpegTranslation;

/// What stands on one side of -i, as it was typed; "" for what does not stand there.
struct FfmpegLimits {
    std::string duration;  ///< -t
    std::string end;       ///< -to
};

/// From where to where, and how many pictures; "" for what is not said.
struct FfmpegPart {
    std::string start;  ///< of -ss
    bool start_before_input = false;
    FfmpegLimits input;   ///< before -i
    FfmpegLimits output;  ///< behind it
    std::string frames;   ///< of the output
    std::string rate;     ///< behind -i
};

namespace ffmpeg_words_detail {

/// Adds what ends the run there: an end of the input where that comes to the same, else a last step of --vf. Throws
/// Error(usage) where neither is what ffmpeg does.
void finish_limits(FfmpegTranslation& to);

}  // namespace ffmpeg_words_detail

}  // namespace vfilter
