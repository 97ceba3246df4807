#pragma once
// Where the output goes: one file, or pictures; how many there may be, and what they are named.

#include <cstdint>
#include <functional>
#include <string>

#include "config/options.h"
#include "pipeline/session/run_parts.h"

namespace vfilter {

/// Once the input is open. Creates `parts.pictures` and returns true if the output is a sequence. Throws Error(usage)
/// if it is one picture and the input has more, Error(output) if a picture's name is taken. `given_up` as for
/// OutputFile.
bool open_pictures(const Options& options, std::function<bool()> given_up, RunParts& parts);

/// Creates the single file of an output that is not a sequence: `parts.file`. Throws Error(output) if that fails,
/// Error(usage) if it cannot be a pipe.
void open_output_file(const Options& options, const AVOutputFormat& container, std::function<bool()> given_up,
                      RunParts& parts);

/// At the end. Throws Error(output) if more than one picture was written to a name that holds one, and discards the
/// file, if there is one.
void check_one_picture(const Options& options, std::int64_t written, OutputFile* file);

/// For sequences among the names: no picture that is written may be a file that is otherwise read or written. Throws
/// Error(usage).
void check_picture_names(const Options& options);

/// What exists where the output will be, for display: a file's name, and for a sequence how many more; "" if nothing
/// does.
std::string existing_output(const Options& options);

}  // namespace vfilter
