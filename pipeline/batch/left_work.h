#pragma once
// What killed batches have left unfinished in a folder, at which nobody is at work where its journal is had.

#include <string>
#include <vector>

#include "config/options.h"
#include "pipeline/batch/batch_plan.h"
#include "pipeline/batch/journal.h"

namespace vfilter {

/// Where a batch was killed between a check and the renaming that follows it, or in the middle of that: the .part is
/// what was checked, and gets its name now. With --skip-existing, before mark_existing().
void name_checked(const Options& options, const Journal& journal, const std::string& hash,
                  const std::vector<BatchFile>& files);

/// Removes the .part files and folders of outputs that earlier batches had begun, and says how many they were. Those
/// that were checked, but have not got their name, are told and stay, unless they are of other options or of another
/// input and their output is made anew. Without --skip-existing the folders are told; whoever writes a file tells of
/// those that it has left.
void remove_leftovers(const Options& options, const Journal& journal, const std::string& hash,
                      const std::vector<BatchFile>& files);

/// Where what was written of an output is, behind a sentence that says why it ended; "" if there is nothing.
std::string kept_clause(const std::string& folder, const BatchFile& file);

}  // namespace vfilter
