#pragma once
// Settings for the muxer of mp4, mov and related formats.

#include "config/io_options.h"
#include "io/handles.h"
#include "io/input/demuxer.h"

namespace vfilter {

/// Whether the user's options request a fragmented movie.
bool asks_for_fragments(const OptionPairs& options);
/// Throws Error(usage) if they request fragments so short that the times of mov_text would be lost.
void check_words_in_fragments(const OptionPairs& options);
/// Whether they leave the position of the index to us: before the packets, so that a browser plays what it has.
bool wants_fast_start(const OptionPairs& options);

/// `output` must have its streams and tags. `fragments`: its index cannot be written at the end. Reports tags that
/// cannot be stored, and fragments that nobody requested.
/// room, and of fragments where nobody asked for them.
void set_movie_options(const Demuxer& input, const AVFormatContext& output, bool fragments, Dictionary& settings);

/// Adds the user's options, which take precedence; flags are combined with those that are set already.
void add_muxer_options(const AVOutputFormat& container, const OptionPairs& options, Dictionary& settings);

}  // namespace vfilter
