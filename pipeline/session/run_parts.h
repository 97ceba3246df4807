#pragma once
// What a run consists of.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "io/codec/decode_device.h"
#include "io/codec/encode_task.h"
#include "io/codec/encoder.h"
#include "io/codec/frame_source.h"
#include "io/codec/sound/sound_converter.h"
#include "io/formats/formats.h"
#include "io/formats/frame_pool.h"
#include "io/input/demuxer.h"
#include "io/output/muxer.h"
#include "io/output/output_file.h"
#include "io/output/picture_files.h"
#include "io/output/virtual_camera.h"
#include "pipeline/engine/filter_engine.h"
#include "pipeline/engine/verifier.h"
#include "pipeline/live/preview.h"
#include "pipeline/pipeline.h"
#include "pipeline/report/outcome.h"
#include "pipeline/report/stats.h"
#include "pipeline/report/trace.h"
#include "pipeline/session/first_pictures.h"
#include "pipeline/stages/stage.h"

namespace vfilter {

/// Where a video is decoded.
struct DecodeChoice {
    bool gpu = false;
    std::string why{};  ///< for display
};

/// Filters of a chain that run one after another, and the graph before them.
struct SegmentRun {
    std::unique_ptr<FilterGraph> graph;    ///< null in the first segment, and only there
    ForeignPlace place{};                  ///< of the graph
    bool filters = false;                  ///< whether the engine has anything to do
    PictureFormat pictures{};              ///< as filtered
    std::unique_ptr<FilterEngine> engine;  ///< belongs to the pipeline once that has been created
    std::unique_ptr<Verifier> verifier;    ///< null without --verify
};

/// One filtered video, from packets to packets.
struct VideoRun {
    int stream = -1;                       ///< its number in the input
    FramePtr first;                        ///< the properties of its first picture at the end of the chain; no samples
    AVPixelFormat kept = AV_PIX_FMT_NONE;  ///< the format to encode, if the encoder takes it
    std::unique_ptr<Converter> normaliser;
    std::vector<FilterSpec> filters;      ///< ours, for the whole chain, with numbers where they requested the noise
    std::vector<MeasuredNoise> noise;     ///< that they requested
    std::vector<SegmentRun> segments;     ///< the chain; at least one
    std::unique_ptr<FrameSource> source;  ///< of decoded pictures
    DescriptionPtr made;                  ///< the stream that its graphs produce; null if there are none
    AVRational made_rate{};               ///< frames per second of that
    GraphedFormats graphed{};             ///< PictureStream's
    std::unique_ptr<Encoder> encoder;     ///< null if nothing is written
};

/// In the order of creation; each may refer to those before it. Parts that a run does not need stay null.
struct RunParts {
    EncodeTask task{};  ///< what the run decides for all its encoders
    std::unique_ptr<Preview> preview;
    std::unique_ptr<Trace> trace;
    std::unique_ptr<FilterDevice> device;
    std::vector<std::unique_ptr<DecodeDevice>> decoding;  ///< if hardware decodes
    DecodeChoice decode_choice{};                         ///< of the first video
    std::unique_ptr<OutputFile> file;                     ///< if everything goes to one
    std::unique_ptr<OutputPeer> peer;                     ///< if everything goes to an address
    std::unique_ptr<PictureFiles> pictures;               ///< if each picture is a file
    std::unique_ptr<VirtualCamera> camera;                ///< if other programs see them as a camera's
    std::unique_ptr<Demuxer> demuxer;
    std::vector<FirstPictures> first_pictures;  ///< of the demuxer's videos, until those have been created
    std::unique_ptr<FramePool> pool;
    std::vector<VideoRun> videos;
    std::vector<std::unique_ptr<SoundConverter>> sounds;  ///< audio streams that are re-encoded
    std::unique_ptr<Muxer> muxer;
    std::unique_ptr<Pipeline> pipeline;
};

/// The stream of a video's pictures at the end of its chain.
inline PictureStream stream_of(const VideoRun& video, const Demuxer& input) {
    return video.made
               ? PictureStream(*video.made->streams[0], video.made_rate, input.live(), video.graphed, input.told_from())
               : PictureStream(input, video.stream);
}

/// The same for the muxer. Its encoder and first picture must exist.
inline EncodedVideo encoded_video(const VideoRun& video, const Demuxer& input) {
    return {video.stream, stream_of(video, input).stream, video.encoder.get(), video.first.get()};
}

/// The maximum number in the chain of a video.
inline std::size_t pictures_between_stages(const VideoRun& video) {
    std::size_t sum = frames_ahead;
    for (const SegmentRun& segment : video.segments) {
        sum += frames_ahead + segment.engine->slots();
    }
    return sum;
}

/// The parts for the pipeline, which takes their engines and segments.
PipelineParts pipeline_parts(RunParts& run, Stats& stats);

}  // namespace vfilter
