#pragma once
// What one run is made of.

#include <memory>
#include <vector>

#include "io/codec/decoder.h"
#include "io/codec/encoder.h"
#include "io/codec/frame_pool.h"
#include "io/codec/sound_converter.h"
#include "io/formats/formats.h"
#include "io/input/demuxer.h"
#include "io/output/muxer.h"
#include "io/output/output_file.h"
#include "pipeline/engine/filter_engine.h"
#include "pipeline/engine/verifier.h"
#include "pipeline/live/preview.h"
#include "pipeline/pipeline.h"
#include "pipeline/report/trace.h"

namespace vfilter {

/// One filtered video, from packets to packets.
struct VideoRun {
    int stream = -1;                        ///< its number in the input
    FramePtr first;                         ///< what its first picture tells; no samples
    AVPixelFormat given = AV_PIX_FMT_NONE;  ///< of its pictures as they are decoded
    PictureFormat pictures{};               ///< as they are filtered
    std::unique_ptr<Decoder> decoder;
    std::unique_ptr<Converter> normaliser;
    std::unique_ptr<FilterEngine> engine;  ///< the pipeline's once that is made
    std::unique_ptr<Verifier> verifier;    ///< null without --verify
    std::unique_ptr<Encoder> encoder;      ///< null if nothing is written
};

/// In the order in which they are made; each may refer to those before it. Those that a run does not need stay null.
struct RunParts {
    std::unique_ptr<Preview> preview;
    std::unique_ptr<Trace> trace;
    std::unique_ptr<FilterDevice> device;
    std::unique_ptr<OutputFile> file;        ///< where all goes to one
    std::unique_ptr<PictureFiles> pictures;  ///< where each picture is one
    std::unique_ptr<Demuxer> demuxer;
    std::unique_ptr<FramePool> pool;
    std::vector<VideoRun> videos;
    std::vector<std::unique_ptr<SoundConverter>> sounds;  ///< streams of sound that are encoded anew
    std::unique_ptr<Muxer> muxer;
    std::unique_ptr<Pipeline> pipeline;
};

}  // namespace vfilter
