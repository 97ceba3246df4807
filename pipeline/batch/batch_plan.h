#pragma once
// Many inputs and what each becomes: the names of the outputs, and which of them are already finished.

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
    /// If each picture is a file, in a folder for this input alone: their names, of which `output` is the pattern.
    std::optional<PictureNames> pictures{};
    std::string place{};      ///< of the input, relative to the folder of the outputs
    std::uint64_t inode = 0;  ///< of the input
    bool finished = false;    ///< by an earlier batch, according to the journal: nothing to do
    std::int64_t frames = 0;  ///< of a finished one
    bool replaces = false;    ///< an existing output may be replaced
    std::string refusal;      ///< why it is not started; "" if nothing prevents it
    int code = 0;             ///< with a refusal: its exit code
};

/// The name of an output: `{stem}`, `{ext}` and `{n}` (the number of the input, from 1) are replaced in `pattern`; ""
/// means "{stem}.{ext}". With a / it is a folder and the names of pictures in it. Throws Error(usage).
std::string batch_name(const std::string& pattern, const std::string& input, const std::string& ending,
                       std::size_t number);

/// The files of a batch, before anything is opened. Throws Error(usage) if an input is not a file name, two inputs
/// would have the same output, or an output is also an input. Also throws if an input is missing (Error(input)), is a
/// folder, or has a name that does not indicate a format, unless the batch continues with the other files.
std::vector<BatchFile> plan_batch(const Options& options);

/// A hash of everything that determines what an input becomes: filters, encoder, container, part, version, mask files.
std::string hash_of_options(const Options& options);

/// With --skip-existing: marks what is finished, by name, content and options. Throws Error(output) if outputs exist
/// that may not be replaced, unless the batch keeps going.
void mark_existing(const Options& options, const Journal& journal, const std::string& hash,
                   std::vector<BatchFile>& files);

/// The options for one of these files, which writes to `output`: its own output, or where its pictures are made.
Options options_of_one(const Options& options, const BatchFile& file, const std::string& output);

/// A text that lists existing outputs: "done/a.mp4 and 3 more", or "".
std::string existing_outputs(const Options& options);

/// Its location, with links in its folders resolved; it need not exist.
std::string place_of(const std::string& path);

/// The journal's entry for a file that exists under an output's name or as its .part, if it was made from this input
/// and these options; null if there is none. An input that is no longer at the same place is recognized by its name, or
/// as the same file on its disk: folders may have been moved or copied since.
const JournalEntry* known_work(const Journal& journal, const BatchFile& file, const FileFacts& there,
                               const std::string& hash);

bool was_stopped(const JournalEntry& entry);

/// What exists under an output's name; `known` is null if the journal does not have it.
struct Standing {
    bool exists = false;
    const JournalEntry* known = nullptr;
};
Standing standing_of(const Options& options, const Journal& journal, const BatchFile& file, const std::string& hash);

}  // namespace vfilter
