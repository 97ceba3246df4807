#pragma once
// Options of what an output holds: streams, sound, tags, container.

#include <span>

#include "config/option_table.h"

namespace vfilter {

/// Their rows, for option_table().
std::span<const OptionDef> stream_options();

}  // namespace vfilter
