#pragma once
// What killed batches have left unfinished in a folder; whoever holds the folder's journal knows that nobody is using
// it.

#include <string>
#include <vector>

#include "config/options.h"
#include "pipeline/batch/batch_plan.h"
#include "pipeline/batch/journal.h"

namespace vfilter {

/// For --skip-existing, called before mark_existing(). If a batch was killed between a check and the renaming that
/// follows it, or during the renaming, the .part is what was checked, and gets its name now.
void name_checked(const Options& options, const Journal& journal, const std::string& hash,
                  const std::vector<BatchFile>& files);

/// Removes .part files and folders of outputs that earlier batches had started, and reports how many there were. Those
/// that were checked but not yet renamed are reported and kept, unless they have other options or another input and
/// their output is made again. Without --skip-existing the folders are reported; whoever writes a file reports its
/// leftovers.
void remove_leftovers(const Options& options, const Journal& journal, const std::string& hash,
                      const std::vector<BatchFile>& files);

/// A clause that says where the written part of an output is, to follow a sentence that says why it ended; "" if there
/// is none.
std::string kept_clause(const std::string& folder, const BatchFile& file);

}  // namespace vfilter
