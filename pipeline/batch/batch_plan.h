#pragma once
// Many inputs, and what each becomes: names, and which of them is finished already.

#include <string>
#include <vector>

#include "config/options.h"
#include "pipeline/batch/journal.h"

namespace vfilter {

/// One input of a batch.
struct BatchFile {
    std::string input;
    std::string name;       ///< of the output, in the folder
    std::string output;     ///< its path
    FileFacts facts;        ///< of the input
    bool finished = false;  ///< by an earlier batch, as the journal knows: nothing is to be done
    bool replaces = false;  ///< what stands there may be replaced
    std::string refusal;    ///< why it is not begun; "" if nothing speaks against it
    int code = 0;           ///< with a refusal: its exit code
};

/// The name of an output: `{stem}`, `{ext}` and `{n}` (the number of the input, from 1) in `pattern`; "" is
/// "{stem}.{ext}". Throws Error(usage).
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

/// Outputs that exist, for people: "done/a.mp4 and 3 more", or "".
std::string existing_outputs(const Options& options);

/// Where a batch was killed between a check and the renaming that follows it: the .part is what was checked, and gets
/// its name now. With --skip-existing, before mark_existing().
void name_checked(const Options& options, const Journal& journal, const std::string& hash,
                  const std::vector<BatchFile>& files);

/// Removes the .part files of outputs that a killed batch had begun, and says how many they were.
void remove_leftovers(const Options& options, const Journal& journal, const std::vector<BatchFile>& files);

}  // namespace vfilter
