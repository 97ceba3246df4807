#include "pipeline/batch/left_work.h"

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

void place_or_tell(const PicturePart& part, const BatchFile& file, std::int64_t first) {
    try {
        part.place(file, first);
    } catch (const Error& error) {
        spdlog::warn("{}", error.what());
    }
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
    const std::int64_t first = options.output.start_number;
    for (const auto& [file, part] : left_picture_parts(options.batch.folder, files)) {
        BatchFile placed = *file;
        placed.replaces = is_free(options, standing_of(options, journal, *file, hash));
        if (placed.replaces && part.count(first) > 0 &&
            known_work(journal, *file, part.facts(first), hash) != nullptr) {
            place_or_tell(part, placed, first);
        }
    }
}

void remove_leftovers(const Options& options, const Journal& journal, const std::vector<BatchFile>& files) {
    int removed = 0;
    for (const auto& [file, part] : left_picture_parts(options.batch.folder, files)) {
        if (!options.batch.skip_existing) {
            spdlog::warn("unfinished pictures of an earlier run are still here: {}", part.folder());
        } else if (journal.find(file->name) != nullptr) {
            part.remove();
            ++removed;
        }
    }
    if (!options.batch.skip_existing) {
        return;
    }
    for (const auto& [file, part] : left_parts(options.batch.folder, files)) {
        if (journal.find(file->name) != nullptr && !file->finished) {
            unlink(index_of(part).c_str());
            removed += unlink(part.c_str()) == 0 ? 1 : 0;
        }
    }
    removed += remove_left_passes(options.batch.folder);
    if (removed > 0) {
        spdlog::info("{}: {} unfinished file{} of a killed run removed", options.batch.folder, removed,
                     removed == 1 ? "" : "s");
    }
}

}  // namespace vfilter
