#pragma once
// The chain of a video: its filters, and between them libavfilter graphs, each created for what the previous part
// produces.

#include "config/options.h"
#include "pipeline/session/run_parts.h"

namespace vfilter {

/// What a chain is created from and for.
struct ChainParts {
    const Options& options;
    const AVOutputFormat* container;             ///< null if nothing is written
    const RunParts& run;                         ///< with demuxer, device, pool
    std::unique_ptr<FilterEngine> first_engine;  ///< created in advance for the first segment, or null
};

/// Fills in everything in `video` except the encoder. `first` describes its pictures as decoded, and afterwards as the
/// chain outputs them. Throws Error.
void make_chain(ChainParts parts, VideoRun& video);

/// Puts other filters, as many as before, into effect, segment by segment. Throws Error if they cannot be created.
void change_chain(const Options& options, const std::vector<FilterSpec>& before, const std::vector<FilterSpec>& after,
                  const RunParts& parts);

/// How to interpret the times of a video's pictures as they come from the input.
PictureClock clock_of(const Demuxer& input, const AVStream& stream);

/// The pictures of a video as our filters process them, determined from the first one as decoded; without a format if
/// that has no native one.
PictureFormat first_format(const AVFrame& first, const Demuxer& input, int stream);

/// The engine of the first segment that has filters, or else of the last.
const FilterEngine& engine_of(const VideoRun& video);

}  // namespace vfilter
