#pragma once
// Streams as options name them: "1", "ger", "@1" of the first added file, "@1.0", "@1.ger", with a question mark where
// there may be none.

#include <string>
#include <string_view>

#include "config/io_options.h"

namespace vfilter {

/// A number, which is all that videos have, or a language. Throws Error(usage).
StreamChoice parse_stream_choice(std::string_view option, unsigned kind, std::string text);
/// What parse_stream_choice() takes.
std::string show_stream_choice(const StreamChoice& choice);

}  // namespace vfilter
