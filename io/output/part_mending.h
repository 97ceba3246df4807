#pragma once
// What a killed run, or a power cut, has left of an mp4 or mov, made playable: --mend.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "config/io_options.h"

namespace vfilter {

/// What has become of a .part.
struct Mended {
    double seconds;         ///< of its longest stream
    std::int64_t left_out;  ///< bytes behind the last packet that the index tells of
    bool whole;             ///< the index is, and tells of all but what was in memory when the run ended
};

/// Makes a playable mp4 or mov of an unfinished one and its index, as far as both go. Nothing is encoded anew. `output`
/// names a container of that family. `stop` is asked for each packet, and a few times a second while nothing can be
/// written: once it is true, nothing comes of it, and nothing is left. Throws Error(input) where there is nothing to
/// mend, Error(usage) for another container, Error(output).
std::optional<Mended> mend(const std::string& part, const OutputOptions& output, const std::function<bool()>& stop);

}  // namespace vfilter
