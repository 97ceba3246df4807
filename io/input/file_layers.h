#pragma once
// How a file is opened, and the layers over one opening of it.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "io/input/evidence/packet_account.h"
#include "io/input/input_request.h"
#include "io/input/opened_input.h"
#include "io/input/packet_source.h"
#include "io/input/stream_watch.h"

namespace vfilter {

/// Opens a file, a second time if it has to search farther for its streams' parameters.
std::unique_ptr<OpenedInput> open_file(InputRequest& options, const std::function<bool()>& interrupted);

/// Counted -> ClockJumps (if clocks may jump). The account must outlive the source. `asked`: see ClockJumps.
void lay_counting_layers(std::unique_ptr<PacketSource>& source, PacketAccount& account,
                         std::optional<std::chrono::steady_clock::time_point> asked = std::nullopt);

/// KnownStreams -> StrayTimes (only for regular files) -> the counting layers -> LoneHoles. `videos` are the filtered
/// ones. Without a `watch` all streams of the wanted kinds are used.
void lay_file_layers(std::unique_ptr<PacketSource>& source, const std::vector<int>& videos, const InputRequest& options,
                     PacketAccount& account, std::shared_ptr<StreamWatch> watch = nullptr);

}  // namespace vfilter
