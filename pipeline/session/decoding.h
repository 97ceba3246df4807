#pragma once
// The decoders of a run's videos.

#include <future>
#include <memory>
#include <vector>

#include "config/options.h"
#include "io/codec/ranged/range_session.h"
#include "pipeline/session/run_parts.h"

namespace vfilter {

/// The decoders that GPUs have for pictures of one kind.
struct FoundDecoders {
    PictureKind kind{};
    std::vector<std::unique_ptr<DecodeDevice>> devices{};  ///< those with any
    std::vector<std::size_t> turns{};                      ///< the devices of the sessions, one entry per decoder
    bool resident = false;                                 ///< where `first` leaves its pictures
    std::future<std::unique_ptr<RangeSession>> first{};    ///< on the first of them, or null; not valid without
};

/// Queries the driver in another thread, which takes 0.01 s for each GPU, for the pictures that the container
/// describes. If GPUs will decode them and the first picture is available, also creates the first session, which takes
/// 0.05 s. Not valid if nobody will need the answer. `encodes`: see SourceFacts. The parts must outlive the result.
std::future<FoundDecoders> begin_to_find_decoders(const Options& options, bool encodes, const RunParts& parts);

/// What a source depends on, besides the options.
struct SourceFacts {
    bool encodes = false;                ///< the CPU also runs an encoder
    int stand_in = 0;                    ///< SessionHooks'
    PictureKind kind{};                  ///< of the first picture, as decoded
    std::future<FoundDecoders> found{};  ///< from begin_to_find_decoders, or not valid
};

/// Creates `video.source`, whose engines exist already, and `parts.decoding` if hardware decodes. Stores where and why
/// in parts.decode_choice. Throws Error: Error(device) if --decode gpu finds no GPU.
void make_source(const Options& options, SourceFacts facts, RunParts& parts, VideoRun& video);

}  // namespace vfilter
