#pragma once
// Pixel formats on the way through a chain: which ones pictures are filtered in, and which ones graphs are given and
// may give.

#include <string>
#include <string_view>
#include <vector>

#include "config/options.h"
#include "io/codec/encode_task.h"
#include "io/handles.h"

namespace vfilter {

/// As which pictures are filtered, which is told if it is another format. Throws Error(input) for those that have none,
/// with what rounds them.
AVPixelFormat native_format(AVPixelFormat given);

/// The format that a graph of libavfilter's is given for pictures of `given`: that, but for floating-point samples the
/// one for which the graph asks in front of all others. Libswscale takes gray of floats for limited, and is some steps
/// beside the nearest sample of colours.
AVPixelFormat format_for_graph(std::string_view graph, AVPixelFormat given);

/// Formats that pictures may have at the end of a chain, so that what is converted is converted once; empty for any.
std::vector<AVPixelFormat> wanted_formats(const Options& options, const EncodeTask& task,
                                          const AVOutputFormat* container);

/// Whether the pictures of a graph at the end of a chain may be of any format: those of filters that name something, as
/// words of ffmpeg do. What is made of them for the encoder is ours then, which is nearer to the exact
/// number, keeps the range and is told.
bool leaves_samples(const std::string& graph, AVPixelFormat given);

/// What setparams of a graph says with that option, the last one if there are several, and if no filter behind it
/// converts pictures; "" if it says nothing of it.
std::string named_by(std::string_view graph, std::string_view option);

/// The matrix that a graph of which leaves_samples() names; unspecified if none.
AVColorSpace named_matrix(std::string_view graph);

}  // namespace vfilter
