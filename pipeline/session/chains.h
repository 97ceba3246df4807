#pragma once
// The chain of a video: its filters, and between them graphs of libavfilter's, each made for what the one before gives.

#include "config/options.h"
#include "pipeline/session/run_parts.h"

namespace vfilter {

/// What a chain is made of and for.
struct ChainParts {
    const Options& options;
    const AVOutputFormat* container;             ///< null if nothing is written
    const RunParts& run;                         ///< with demuxer, device, pool
    std::unique_ptr<FilterEngine> first_engine;  ///< made ahead for the first segment, or null
};

/// Fills what `video` lacks but for the encoder: `first` tells of its pictures as they are decoded, and then of what
/// the chain makes of them. Throws Error.
void make_chain(ChainParts parts, VideoRun& video);

/// Puts other filters, as many as before, into effect, segment by segment. Throws Error if they cannot be made.
void change_chain(const Options& options, const std::vector<FilterSpec>& before, const std::vector<FilterSpec>& after,
                  const RunParts& parts);

/// How the times of a video's pictures are to be read as they come from the input.
PictureClock clock_of(const Demuxer& input, const AVStream& stream);

/// What the pictures of a video are, as ours filter them, by the first one as it is decoded; no format where it has no
/// native one.
PictureFormat first_format(const AVFrame& first, const Demuxer& input, int stream);

/// The engine of the first segment that has filters, or else of the last.
const FilterEngine& engine_of(const VideoRun& video);

}  // namespace vfilter
