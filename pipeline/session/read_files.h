#pragma once
// The files that a run reads.

#include <string>
#include <vector>

#include "config/options.h"

namespace vfilter {

/// One of them, and what it is: "a mask". The path of an input or an added file may be "-".
struct ReadFile {
    std::string what;
    std::string path;
};

/// All that are known before anything is opened: the input and the files beside it and behind it, those from which
/// options were read, masks, tracks, and what graphs and options of FFmpeg's name. Each picture of a sequence is one.
/// Throws Error(input) if a sequence's folder cannot be read.
std::vector<ReadFile> read_files(const Options& options);

/// Of these the ones whose content affects the output, besides inputs, and besides those from which options were read.
std::vector<std::string> files_that_count(const Options& options);

}  // namespace vfilter
