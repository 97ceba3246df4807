#pragma once
// Pixel formats along a chain: in which ones pictures are filtered, and which ones graphs receive and may return.

#include <string>
#include <string_view>
#include <vector>

#include "config/options.h"
#include "io/codec/encode_task.h"
#include "io/handles.h"

namespace vfilter {

/// The format in which pictures are filtered, which is reported if it differs. Throws Error(input) for formats that
/// have none, and names what rounds them.
AVPixelFormat native_format(AVPixelFormat given);

/// The format that a libavfilter graph receives for pictures of `given`: the same one, except that floating-point
/// samples are given in the format that the graph prefers. Libswscale takes gray floats for limited range, and for
/// colours it is some steps away from the nearest sample.
AVPixelFormat format_for_graph(std::string_view graph, AVPixelFormat given);

/// The formats that pictures may have at the end of a chain, so that they are converted only once; empty for any.
std::vector<AVPixelFormat> wanted_formats(const Options& options, const EncodeTask& task,
                                          const AVOutputFormat* container);

/// Whether the pictures of a graph at the end of a chain may have any format: those of filters that name something, as
/// ffmpeg's options do. Converting them for the encoder is then our task, which is closer to the exact value, keeps the
/// range and is reported.
bool leaves_samples(const std::string& graph, AVPixelFormat given);

/// What a setparams filter of a graph sets that option to; the last one if there are several, and only if no later
/// filter converts pictures; "" if it does not set it.
std::string named_by(std::string_view graph, std::string_view option);

/// The matrix named by a graph for which leaves_samples() is true; unspecified if none.
AVColorSpace named_matrix(std::string_view graph);

}  // namespace vfilter
