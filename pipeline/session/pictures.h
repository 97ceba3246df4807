#pragma once
// Where the output goes: one file, or pictures, how many there may be, and which names they take.

#include <cstdint>
#include <functional>
#include <string>

#include "config/options.h"
#include "pipeline/session/run_parts.h"

namespace vfilter {

/// Once the input is open. Makes `parts.pictures` and returns true if the output is a sequence. Throws Error(usage)
/// where it is one picture and the input holds more, Error(output) where a picture's name is taken. `given_up` as for
/// OutputFile.
bool open_pictures(const Options& options, std::function<bool()> given_up, RunParts& parts);

/// The one file of an output that is no sequence: `parts.file`. Throws Error(output) where it cannot be made,
/// Error(usage) where a pipe cannot have it.
void open_output_file(const Options& options, const AVOutputFormat& container, std::function<bool()> given_up,
                      RunParts& parts);

/// At the end. Throws Error(output) where more than one picture was written to a name that holds one, and discards the
/// file, if there is one.
void check_one_picture(const Options& options, std::int64_t written, OutputFile* file);

/// Sequences among the names: no picture that is written may be a file that is read or written otherwise. Throws
/// Error(usage).
void check_picture_names(const Options& options);

/// What stands where the output will be, for people: a file's name, of a sequence how many more there are; "" if
/// nothing does.
std::string existing_output(const Options& options);

}  // namespace vfilter
