#pragma once
// Which encoder makes the output's pictures.

#include <string>
#include <string_view>

#include "config/io_options.h"
#include "io/handles.h"

namespace vfilter {

/// The encoder that the options name, or else the container's usual one. Throws Error(encoder) if there is no such
/// encoder.
const AVCodec& choose_codec(const OutputOptions& options, const AVOutputFormat& container);

/// Its name. Throws as choose_codec().
std::string encoder_of(const OutputOptions& options, const AVOutputFormat& container);

/// Throws as choose_codec(), and Error(output) if the container cannot hold what it makes. Opens nothing.
void check_codec(const OutputOptions& options, const AVOutputFormat& container);

/// Which encoders there are instead of one of other hardware than NVIDIA's, by its name; "" for the names of others.
std::string instead_of_hardware(std::string_view encoder);

/// Whether it does more than hand the pictures on.
bool takes_work(const AVCodec& encoder);

/// Whether palettes are made from the pictures, which are most of what an encoder of GIF needs; not where the options
/// want other pixels.
bool makes_palettes(const AVCodec& encoder, const OutputOptions& options);

/// Whether the bit stream of the encoder's codec itself tells the range of its values.
bool tells_of_pictures(const std::string& encoder);

/// Encoders of video in this FFmpeg, a line each.
std::string encoder_list();

}  // namespace vfilter
