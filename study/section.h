#pragma once
// Between what climbs the ladders and what is told of them.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "study/ladder.h"

namespace vfilter::study {

/// A configuration of a ladder and what its rungs came to, those on the CPU first.
struct Run {
    std::string ladder;   ///< "filter", "layer"
    std::string name;     ///< of the configuration
    FilterCase filter{};  ///< of the filter ladder
    std::vector<Climb> climbs{};
};
using Runs = std::vector<Run>;

/// "1080p, radius 2: naive".
std::string row_name(const Run& run, const Rung& rung);

/// How many times as fast `one` is.
double times_faster(const Climb& one, const Climb& other);

/// Tables and plots; what was not measured.
void add_tables(Section& section, const Runs& filters, const Runs& layers);
/// Sentences and promises.
void add_sentences(Section& section, const Runs& filters, const Runs& layers);

}  // namespace vfilter::study
