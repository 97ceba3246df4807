#pragma once
// What an input's options, its display and its sound device can reach besides the input itself.

#include <string>
#include <string_view>

#include "io/input/input_request.h"

namespace vfilter {

/// Throws Error(usage) where options of FFmpeg's (--input-option, of added files --add-option) would let the input
/// reach files or the network without --allow-files or --allow-network. Opens nothing.
void check_reach(const InputRequest& options);

/// Whether a connection is made over the network to the X11 display of a screen ("HOST:0+10,20"). False without a
/// host, where the environment names the display.
bool is_remote_display(std::string_view display);

/// Whether the name of an ALSA device has one of its plug-ins write a file or read from a socket.
bool names_files_to_alsa(std::string_view device);

}  // namespace vfilter
