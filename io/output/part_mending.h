#pragma once
// Makes what a killed run, or a power cut, has left of an mp4 or mov playable: --mend.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "config/io_options.h"

namespace vfilter {

/// The result for a .part.
struct Mended {
    double seconds;         ///< of its longest stream
    std::int64_t left_out;  ///< bytes after the last packet in the index
    bool whole;             ///< the index is complete, and lists all but what was in memory at the end
};

/// Makes a playable mp4 or mov from an unfinished one and its index, as far as both go. Nothing is re-encoded. `output`
/// names a container of that family. `stop` is called for each packet, and a few times a second while nothing can be
/// written: once it returns true, nothing is made, and nothing is left behind. Throws Error(input) if there is nothing
/// to mend, Error(usage) for another container, Error(output).
std::optional<Mended> mend(const std::string& part, const OutputOptions& output, const std::function<bool()>& stop);

}  // namespace vfilter
