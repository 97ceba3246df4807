#pragma once
// How a file is opened, and what lies over one opening of it.

#include <functional>
#include <memory>
#include <vector>

#include "config/io_options.h"
#include "io/input/evidence/packet_account.h"
#include "io/input/opened_input.h"
#include "io/input/packet_source.h"

namespace vfilter {

/// One opening of a file, or a second one where it looks farther for what its streams are like.
std::unique_ptr<OpenedInput> open_file(InputOptions& options, const std::function<bool()>& interrupted);

/// Counted -> ClockJumps (where clocks jump). The account must outlive the source.
void lay_counting_layers(std::unique_ptr<PacketSource>& source, PacketAccount& account);

/// KnownStreams -> StrayTimes (of files proper) -> the counting ones -> LoneHoles. `videos` are those that are
/// filtered.
void lay_file_layers(std::unique_ptr<PacketSource>& source, const std::vector<int>& videos, const InputOptions& options,
                     PacketAccount& account);

}  // namespace vfilter
