#pragma once
// Files that are next to videos but are not videos: a folder's `*` matches them, too.

#include <string>

#include "config/options.h"

namespace vfilter {

/// Whether a name indicates a file without video, whatever wrote it: subtitles, sound, checksums, files of file
/// managers.
[[nodiscard]] bool is_beside_videos(const std::string& path);

/// Removes such files from a batch, with a message, and folders; that of the output is removed without one. If nothing
/// else is left they stay, as do files whose input format is named.
void pass_over_others(Options& options);

}  // namespace vfilter
