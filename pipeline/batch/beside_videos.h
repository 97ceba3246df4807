#pragma once
// Files that lie beside videos and are none: a folder's `*` names them, too.

#include <string>

#include "config/options.h"

namespace vfilter {

/// Whether a name is of what holds no video, whoever wrote it: words, sound, checksums, what file managers leave.
[[nodiscard]] bool is_beside_videos(const std::string& path);

/// Leaves such files out of a batch, with a line, and folders, that of the output without one. Where there is nothing
/// else they stay, and files where the input's format is named.
void pass_over_others(Options& options);

}  // namespace vfilter
