#include "pipeline/session/account.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "io/packet_times.h"

namespace vfilter {

namespace {

Damage damage_of(const RunParts& parts) {
    Damage damage =
        parts.pipeline && parts.pipeline->part_is_decoded() ? parts.demuxer->damage_of_part() : parts.demuxer->damage();
    for (const VideoRun& video : parts.videos) {
        Damage of_video = video.source->damage();
        of_video.holes = std::max<std::int64_t>(0, of_video.holes - parts.demuxer->empty_packets(video.stream));
        if (of_video.any() && parts.demuxer->has_key(video.stream)) {
            damage.note("video: what the key makes of it is damaged: the key may be a wrong one");
        }
        damage += of_video;
    }
    for (const auto& sound : parts.sounds) {
        damage += sound->damage();
    }
    if (parts.muxer) {
        damage += parts.muxer->left_out();
    }
    if (parts.muxer && damage.any()) {
        damage.packets += parts.muxer->refused_packets();  // which are as damaged as the rest
    }
    return damage;
}

std::optional<Verifier::Result> verified_of(const std::vector<VideoRun>& videos) {
    std::optional<Verifier::Result> sum;
    for (const VideoRun& video : videos) {
        for (const SegmentRun& segment : video.segments) {
            if (segment.verifier) {
                sum = sum.value_or(Verifier::Result{});
                *sum += segment.verifier->result();
            }
        }
    }
    return sum;
}

}  // namespace

void account_input(const Demuxer& demuxer, Outcome& outcome) {
    outcome.live.is_live = demuxer.live();
    outcome.counts.frames_expected = 0;
    for (const int stream : demuxer.videos()) {
        outcome.counts.frames_expected += demuxer.expected_frames(stream);
    }
    outcome.counts.frame_rate = av_q2d(demuxer.frame_rate());
    if (const std::int64_t end = demuxer.told_end(); end != AV_NOPTS_VALUE) {
        outcome.counts.input_seconds = seconds_of(end - demuxer.part().input_begin);
    }
}

void account_chains(const RunParts& parts, Outcome& outcome) {
    const Demuxer& input = *parts.demuxer;
    outcome.decode.gpu = parts.decode_choice.gpu;
    outcome.decode.why = parts.decode_choice.why;
    outcome.counts.frames_expected = 0;
    for (const VideoRun& video : parts.videos) {
        const double faster = av_q2d(stream_of(video, input).frame_rate) / av_q2d(input.frame_rate(video.stream));
        outcome.counts.frames_expected +=
            std::llround(static_cast<double>(input.expected_frames(video.stream)) * faster);
    }
    outcome.counts.frame_rate = av_q2d(stream_of(parts.videos.front(), input).frame_rate);
    outcome.setup.filters = parts.videos.front().filters;
    for (const VideoRun& video : parts.videos) {
        outcome.setup.noise.insert(outcome.setup.noise.end(), video.noise.begin(), video.noise.end());
    }
}

void account_progress(const Options& options, const Stats& stats, const RunParts& parts, Outcome& outcome) {
    outcome.counts.frames_in = stats.items(StageId::decode);
    outcome.counts.frames_added = stats.added();
    outcome.counts.frames_out = stats.items(options.records() ? StageId::write : StageId::filter);
    if (parts.muxer) {
        outcome.setup.dropped_streams = parts.muxer->dropped();
        outcome.setup.unread_labels = parts.muxer->unread();
        outcome.setup.encoded_streams = parts.muxer->encoded();
        outcome.counts.packets_lost = parts.muxer->lost_packets();
    }
    if (parts.file) {
        outcome.counts.bytes_written = parts.file->bytes();
        outcome.end.kept_part = parts.file->keeps_part() ? parts.file->written_path() : "";
    }
    if (parts.pictures) {
        outcome.counts.bytes_written = parts.pictures->bytes();
    }
    if (parts.camera) {
        outcome.counts.bytes_written = parts.camera->bytes();
    }
    if (parts.pipeline) {
        outcome.live.drops = parts.pipeline->drops();
        outcome.live.reconnects = parts.demuxer->reconnects();
        outcome.live.clock_drift = parts.pipeline->clock_drift();
    }
}

void account_end(const RunParts& parts, Outcome& outcome) {
    outcome.damage = damage_of(parts);
    outcome.decode.facts = parts.videos.front().source->facts();
    outcome.memory.pictures_allocated = parts.pool->allocations();
    outcome.memory.engine = parts.pipeline->engine().counters();
    outcome.setup.steps = parts.pipeline->step_counts();
    outcome.audit.regions.clear();
    for (const StepCount& step : outcome.setup.steps) {
        outcome.audit.regions.insert(outcome.audit.regions.end(), step.regions.begin(), step.regions.end());
    }
    outcome.verified = verified_of(parts.videos);
    outcome.counts.displaced = parts.muxer ? parts.muxer->displaced_pictures() : 0;
}

}  // namespace vfilter
