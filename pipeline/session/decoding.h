#pragma once
// What decodes a video of a run.

#include <future>
#include <memory>
#include <vector>

#include "config/options.h"
#include "io/codec/ranged/range_session.h"
#include "pipeline/session/run_parts.h"

namespace vfilter {

/// What GPUs have for pictures of one kind.
struct FoundDecoders {
    PictureKind kind{};
    std::vector<std::unique_ptr<DecodeDevice>> devices{};  ///< those that have any
    std::vector<std::size_t> turns{};                      ///< on which of them sessions are, one for each decoder
    bool resident = false;                                 ///< where `first` leaves its pictures
    std::future<std::unique_ptr<RangeSession>> first{};    ///< on the first of them, or null; not valid without
};

/// Asks the driver, which takes 0.01 s for each GPU, in a thread of its own, for the pictures that the container tells
/// of, and, where they will decode and the first picture is there, makes the first session, which takes 0.05 s. Not
/// valid where nobody will want to know. `encodes`: see SourceFacts. The parts have to outlive what it finds.
std::future<FoundDecoders> begin_to_find_decoders(const Options& options, bool encodes, const RunParts& parts);

/// What a source depends on, besides the options.
struct SourceFacts {
    bool encodes = false;                ///< the CPU has an encoder to run
    int stand_in = 0;                    ///< SessionHooks'
    PictureKind kind{};                  ///< of the first picture, as it is decoded
    std::future<FoundDecoders> found{};  ///< begin_to_find_decoders', or not valid
};

/// Makes `video.source`, whose engines are there, and `parts.decoding` where hardware decodes. Tells where and why, in
/// parts.decode_choice. Throws Error: Error(device) if --decode gpu finds no GPU.
void make_source(const Options& options, SourceFacts facts, RunParts& parts, VideoRun& video);

}  // namespace vfilter
