#pragma once
// What an encoder that does not open says, in the user's words.

#include <string>
#include <string_view>

#include "config/error.h"
#include "config/io_options.h"
#include "io/handles.h"

namespace vfilter {

/// The error of an encoder that does not open. `context` is what it was given, `complaint` what it said. Where it
/// complains of an option of the user's, that is named as it is written on the command line.
Error encoder_refusal(const OutputOptions& options, const std::string& encoder, const AVCodecContext& context,
                      const std::string& complaint);

/// libavcodec's name of an option that encoders' own programs call otherwise: "bf" of "bframes"; "" of any other.
std::string option_meant(std::string_view typed);

/// Why an encoder without loss would lose something of pictures of this size and format; "" where it does not.
std::string lost_by_size(const AVCodecContext& context);

/// The same of an encoder that is open.
std::string lost_in_slices(const AVCodecContext& context);

/// Whether what an encoder's library says of a parameter is of one that stands in a list of the user's, "x264-params".
bool is_in_list_of_user(const OutputOptions& options, const std::string& refused);

}  // namespace vfilter
