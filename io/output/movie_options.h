#pragma once
// Settings of the muxer of mp4, mov and their family.

#include "config/io_options.h"
#include "io/handles.h"
#include "io/input/demuxer.h"

namespace vfilter {

/// Whether the user's options ask for a movie in fragments.
bool asks_for_fragments(const OptionPairs& options);
/// Throws Error(usage) where they ask for fragments so short that the times of mov_text would be lost.
void check_words_in_fragments(const OptionPairs& options);
/// Whether they leave the place of the index to us: in front of the packets, so that a browser plays what it has.
bool wants_fast_start(const OptionPairs& options);

/// `output` has its streams and tags. `fragments`: its index cannot be written at the end. Tells of tags that have no
/// room, and of fragments where nobody asked for them.
void set_movie_options(const Demuxer& input, const AVFormatContext& output, bool fragments, Dictionary& settings);

/// Adds the user's options, which win; flags are joined with those that are set already.
void add_muxer_options(const AVOutputFormat& container, const OptionPairs& options, Dictionary& settings);

}  // namespace vfilter
