#pragma once
// Many inputs, and what each becomes: names, and which of them is finished already.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/options.h"
#include "io/picture_names.h"
#include "pipeline/batch/journal.h"

namespace vfilter {

/// One input of a batch.
struct BatchFile {
    std::string input;
    std::string name;    ///< of the output, in the folder
    std::string output;  ///< its path
    FileFacts facts;     ///< of the input
    /// Where each picture is a file, in a folder of this input's alone: their names, of which `output` is the pattern.
    std::optional<PictureNames> pictures{};
    std::string place{};      ///< of the input, seen from the folder of the outputs
    std::uint64_t inode = 0;  ///< of the input
    bool finished = false;    ///< by an earlier batch, as the journal knows: nothing is to be done
    std::int64_t frames = 0;  ///< of a finished one
    bool replaces = false;    ///< what stands there may be replaced
    std::string refusal;      ///< why it is not begun; "" if nothing speaks against it
    int code = 0;             ///< with a refusal: its exit code
};

/// The name of an output: `{stem}`, `{ext}` and `{n}` (the number of the input, from 1) in `pattern`; "" is
/// "{stem}.{ext}". With a / it is a folder and the names of pictures in it. Throws Error(usage).
std::string batch_name(const std::string& pattern, const std::string& input, const std::string& ending,
                       std::size_t number);

/// The files of a batch, before anything is opened. Throws Error(usage) where an input is no file's name, two would
/// make one output, or an output is a file that is read. So it does, unless the batch keeps going with others, where
/// one is missing (Error(input)), is a folder, or has a name that tells no format.
std::vector<BatchFile> plan_batch(const Options& options);

/// What decides what becomes of an input, as a hash: filters, encoder, container, part, version, files of masks.
std::string hash_of_options(const Options& options);

/// With --skip-existing: marks what is finished, by name, content and options. Throws Error(output) where outputs exist
/// that may not be replaced, unless the batch keeps going.
void mark_existing(const Options& options, const Journal& journal, const std::string& hash,
                   std::vector<BatchFile>& files);

/// Of the run of one of them, which writes to `output`: its own, or where its pictures are made.
Options options_of_one(const Options& options, const BatchFile& file, const std::string& output);

/// Outputs that exist, for people: "done/a.mp4 and 3 more", or "".
std::string existing_outputs(const Options& options);

/// Where it is, through links of its folders; it need not exist.
std::string place_of(const std::string& path);

/// What is known of a file that stands under an output's name or as its .part, if it is of this input and these
/// options; null where there is none. An input that is no longer where it was is known by its name, or as the same file
/// of its disk: folders may have been moved since, and copied.
const JournalEntry* known_work(const Journal& journal, const BatchFile& file, const FileFacts& there,
                               const std::string& hash);

bool was_stopped(const JournalEntry& entry);

/// What stands under an output's name: `known` is null where nobody knows it.
struct Standing {
    bool exists = false;
    const JournalEntry* known = nullptr;
};
Standing standing_of(const Options& options, const Journal& journal, const BatchFile& file, const std::string& hash);

}  // namespace vfilter
