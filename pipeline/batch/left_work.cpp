#include "pipeline/batch/left_work.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <utility>

#include "config/error.h"
#include "io/folder_names.h"
#include "io/output/output_file.h"
#include "io/output/part_index.h"
#include "io/output/part_name.h"
#include "pipeline/batch/picture_folders.h"
#include "pipeline/session/two_pass.h"

namespace vfilter {

namespace {

namespace fs = std::filesystem;

// The .part files of outputs at which nobody is at work.
std::vector<std::pair<const BatchFile*, std::string>> left_parts(const std::string& folder,
                                                                 const std::vector<BatchFile>& files) {
    std::map<std::string, const BatchFile*> by_name;
    for (const BatchFile& file : files) {
        by_name.emplace(name_in_part(file.name), &file);
    }
    std::vector<std::pair<const BatchFile*, std::string>> parts;
    for_each_name(folder, [&](const std::string& name) {
        const auto found = by_name.find(std::string(output_of_part(name)));
        const std::string path = (fs::path(folder) / name).string();
        if (found != by_name.end() && !is_locked(path)) {
            parts.emplace_back(found->second, path);
        }
    });
    return parts;
}

// What may be put in the place of what stands there.
bool is_free(const Options& options, const Standing& standing) {
    return !standing.exists || options.output.overwrite == Overwrite::yes ||
           (standing.known != nullptr && was_stopped(*standing.known));
}

// Gives its name to what was checked as these facts, or the rest of it where that was broken off: then what was
// allowed before is allowed still.
void place_if_known(const Options& options, const Journal& journal, const std::string& hash, const BatchFile& file,
                    const PicturePart& part) {
    const std::int64_t first = options.output.start_number;
    const JournalEntry* const entry = known_work(journal, file, part.facts_beside(file, first), hash);
    if (entry == nullptr) {
        return;
    }
    BatchFile placed = file;
    placed.replaces = is_free(options, standing_of(options, journal, file, hash));
    if (part.is_half_placed(first)) {
        placed.replaces = placed.replaces || entry->replaces;
    } else if (!placed.replaces) {
        return;
    }
    try {
        part.place(placed, first);
    } catch (const Error& error) {
        spdlog::warn("{}", error.what());
    }
}

// Whether a .part of these facts is to stay, which is told.
bool is_kept(const Journal& journal, const std::string& hash, const BatchFile& file, const std::string& part,
             const FileFacts& facts) {
    const bool checked = facts.size >= 0 && journal.find(file.name, facts) != nullptr;
    if (!checked || file.finished || (file.refusal.empty() && known_work(journal, file, facts, hash) == nullptr)) {
        return false;
    }
    spdlog::warn("{}: an earlier run has finished it, but could not give it its name: it stays in {}", file.output,
                 part);
    return true;
}

}  // namespace

void name_checked(const Options& options, const Journal& journal, const std::string& hash,
                  const std::vector<BatchFile>& files) {
    for (const auto& [file, part] : left_parts(options.batch.folder, files)) {
        const bool free = is_free(options, standing_of(options, journal, *file, hash));
        const bool checked = known_work(journal, *file, facts_of_file(part), hash) != nullptr;
        if (checked && free && rename(part.c_str(), file->output.c_str()) == 0) {
            unlink(index_of(part).c_str());
        }
    }
    for (const auto& [file, part] : left_picture_parts(options.batch.folder, files)) {
        place_if_known(options, journal, hash, *file, part);
    }
}

void remove_leftovers(const Options& options, const Journal& journal, const std::string& hash,
                      const std::vector<BatchFile>& files) {
    int removed = 0;
    for (const auto& [file, part] : left_picture_parts(options.batch.folder, files)) {
        if (!options.batch.skip_existing) {
            spdlog::warn("unfinished pictures of an earlier run are still here: {}", part.folder());
        } else if (journal.find(file->name) != nullptr &&
                   !is_kept(journal, hash, *file, part.folder(),
                            part.facts_beside(*file, options.output.start_number))) {
            part.remove();
            ++removed;
        }
    }
    if (!options.batch.skip_existing) {
        return;
    }
    for (const auto& [file, part] : left_parts(options.batch.folder, files)) {
        if (journal.find(file->name) != nullptr && !file->finished &&
            !is_kept(journal, hash, *file, part, facts_of_file(part))) {
            unlink(index_of(part).c_str());
            removed += unlink(part.c_str()) == 0 ? 1 : 0;
        }
    }
    removed += remove_left_passes(options.batch.folder);
    if (removed > 0) {
        spdlog::info("{}: {} leftover{} of earlier runs removed", options.batch.folder, removed,
                     removed == 1 ? "" : "s");
    }
}

std::string kept_clause(const std::string& folder, const BatchFile& file) {
    const std::string wanted = name_in_part(file.name);
    std::string latest;
    for_each_name(folder, [&](const std::string& name) {
        const std::string path = (fs::path(folder) / name).string();
        if (output_of_part(name) == wanted && !is_locked(path) &&
            (latest.empty() || facts_of_file(path).mtime > facts_of_file(latest).mtime)) {
            latest = path;
        }
    });
    return latest.empty() ? ""
                          : fmt::format("; what was written up to there is kept as {}{}", latest,
                                        has_index(latest) ? "; --mend makes it playable" : "");
}

}  // namespace vfilter
