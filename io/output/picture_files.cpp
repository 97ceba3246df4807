#include "io/output/picture_files.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "io/folder_names.h"
#include "io/output/output_file.h"
#include "io/output/part_name.h"

namespace vfilter {

PictureFiles::PictureFiles(PictureNames names, std::int64_t first_number, Overwrite overwrite,
                           std::function<bool()> given_up)
    : names_(std::move(names)), first_(first_number), overwrite_(overwrite), given_up_(std::move(given_up)) {}

void PictureFiles::check_names(std::int64_t count) const {
    tell_leftovers();
    if (overwrite_ == Overwrite::yes) {
        return;
    }
    std::vector<std::int64_t> there = existing_numbers(names_, first_);
    if (count > 0) {
        std::erase_if(there, [&](std::int64_t number) { return number >= first_ + count; });
    }
    if (!there.empty()) {
        throw Error(ExitCode::output, fmt::format("{}{} exist{}; -y replaces {}", names_.path(there.front()),
                                                  there.size() > 1 ? fmt::format(" and {} more", there.size() - 1) : "",
                                                  there.size() > 1 ? "" : "s", there.size() > 1 ? "them" : "it"));
    }
}

// OutputFile tells of those of one name; to look for each would read the folder as often as there are pictures.
void PictureFiles::tell_leftovers() const {
    std::int64_t left = 0;
    std::string one;
    for_each_name(names_.folder(), [&](const std::string& name) {
        const std::string path = (std::filesystem::path(names_.folder()) / name).string();
        if (names_.number_of(output_of_part(name)) && !is_locked(path)) {
            ++left;
            one = path;
        }
    });
    if (left > 0) {
        spdlog::warn("{} unfinished picture{} of an earlier run {} still here: {}", left, left == 1 ? "" : "s",
                     left == 1 ? "is" : "are", left == 1 ? one : one + " and others");
    }
}

void PictureFiles::write(std::span<const std::uint8_t> bytes) {
    OutputFile file(names_.path(first_ + count_), overwrite_, given_up_, OutputFile::Leftovers::unseen);
    file.discard();
    avio_write(file.context(), bytes.data(), static_cast<int>(bytes.size()));
    file.flush();
    file.verify([] { return false; });
    file.commit();
    bytes_ += file.bytes();
    ++count_;
}

void PictureFiles::tell_older() const {
    const std::vector<std::int64_t> older = existing_numbers(names_, first_ + count_);
    if (!older.empty()) {
        spdlog::warn("{}{} of an earlier sequence {} behind the last picture", names_.path(older.front()),
                     older.size() > 1 ? fmt::format(" to {}", names_.path(older.back())) : "",
                     older.size() > 1 ? "are" : "is");
    }
}

}  // namespace vfilter
