#pragma once
// What FFmpeg is told of an input that it opens, and what it did not take of that.

#include <string>

#include "config/io_options.h"
#include "io/handles.h"
#include "io/input/input_request.h"

namespace vfilter {

struct Source;

/// What FFmpeg opens, or takes for the name of what it is given.
std::string url_of(const InputOptions& options, const Source& source);

/// The format of the source's kind, or that was asked for; null where neither is. Throws Error(input) where this FFmpeg
/// has no such kind, Error(usage) where it knows no such format.
const AVInputFormat* named_format(const InputOptions& options, const Source& source);

/// The settings for the demuxer; the user's win over all but what keeps other files closed. Asks a camera what it can
/// do. Throws Error(usage) where that is not what the user wants.
void choose_settings(const InputRequest& options, const Source& source, Dictionary& settings);

/// What is set by choose_settings() is known, if not to each version: it is the user's that is to be told. `left` is
/// what FFmpeg did not take. Throws Error(usage).
void check_settings(const InputRequest& options, const AVInputFormat& format, Dictionary& left);

/// Corrects what FFmpeg makes of a movie's header; does nothing to other inputs.
void mend_movie(AVFormatContext& format);

/// Has FFmpeg look for what streams are like over a minute of an input of this format, instead of some seconds, if the
/// user has not said how far.
void look_farther(InputOptions& options, const AVInputFormat& format);

}  // namespace vfilter
