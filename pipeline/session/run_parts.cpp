#include "pipeline/session/run_parts.h"

#include <utility>

namespace vfilter {

PipelineParts pipeline_parts(RunParts& run, Stats& stats) {
    PipelineParts parts{.demuxer = *run.demuxer,
                        .videos = {},
                        .sounds = {},
                        .pool = *run.pool,
                        .muxer = run.muxer.get(),
                        .trace = run.trace.get(),
                        .stats = stats,
                        .preview = run.preview != nullptr,
                        .max_latency = {},
                        .hook = {},
                        .hurried = {}};
    for (VideoRun& video : run.videos) {
        std::vector<SegmentParts> segments;
        for (SegmentRun& segment : video.segments) {
            segments.push_back({.graph = segment.graph.get(),
                                .place = segment.place,
                                .engine = std::move(segment.engine),
                                .filters = segment.filters,
                                .verifier = segment.verifier.get()});
        }
        parts.videos.push_back({.stream = video.stream,
                                .decoder = *video.source,
                                .normaliser = *video.normaliser,
                                .segments = std::move(segments),
                                .encoder = video.encoder.get()});
    }
    for (const std::unique_ptr<SoundConverter>& sound : run.sounds) {
        parts.sounds.push_back(sound.get());
    }
    return parts;
}

}  // namespace vfilter
