#include "pipeline/batch/picture_folders.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "config/error.h"
#include "io/folder_names.h"
#include "io/output/file_rights.h"
#include "io/output/output_file.h"
#include "io/output/part_name.h"
#include "io/output/picture_files.h"
#include "io/picture_names.h"
#include "io/sha256.h"

namespace vfilter {

namespace {

namespace fs = std::filesystem;

// The pictures from `first` on, of which those from `second` on have other names. Their size in all, and in place of a
// time a sum over the size and time of each; no file's where one is missing.
FileFacts facts_of_pictures(const PictureNames& names, std::int64_t first, std::int64_t count,
                            const PictureNames& others, std::int64_t second) {
    FileFacts all{.size = 0};
    Sha256 sum;
    for (std::int64_t number = first; number < first + count; ++number) {
        const FileFacts one = facts_of_file((number < second ? names : others).path(number));
        if (one.size < 0) {
            return {};
        }
        all.size += one.size;
        const std::string text = fmt::format("{} {}\n", one.size, one.mtime);
        sum.add({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
    }
    constexpr std::size_t digits = 15;  // that an int64 holds
    constexpr int hexadecimal = 16;
    const std::string hex = sum.hex();
    std::from_chars(hex.data(), hex.data() + digits, all.mtime, hexadecimal);
    return all;
}

FileFacts facts_of_pictures(const PictureNames& names, std::int64_t first, std::int64_t count) {
    return facts_of_pictures(names, first, count, names, first);
}

PictureNames names_in(const std::string& folder, const std::string& pattern) {
    return PictureNames::parse((fs::path(folder) / pattern).string()).value();
}

fs::path folder_of(const BatchFile& file) {
    return file.pictures.value().folder();
}

bool is_folder_itself(const std::string& path) {
    std::error_code error;
    return fs::is_directory(fs::symlink_status(path, error));
}

bool is_done(const JournalEntry& entry) {
    return entry.code == static_cast<int>(ExitCode::finished) || entry.code == static_cast<int>(ExitCode::damaged);
}

}  // namespace

bool names_picture_folder(std::string_view name) {
    const std::size_t slash = name.find('/');
    const std::string_view folder = name.substr(0, slash);
    return slash != std::string_view::npos && name.find('/', slash + 1) == std::string_view::npos && !folder.empty() &&
           folder != "." && folder != ".." && PictureNames::parse(name.substr(slash + 1));
}

PicturePart::PicturePart(const BatchFile& file) : PicturePart(file, "") {
    const fs::path folder = folder_of(file);
    if (!make_part_folder(folder.parent_path().string(), folder.filename().string(), folder_)) {
        throw Error(ExitCode::output, fmt::format("{}: {}", folder_, std::strerror(errno)));
    }
}

PicturePart::PicturePart(const BatchFile& file, std::string folder)
    : folder_(std::move(folder)), pattern_(fs::path(file.name).filename().string()) {}

std::string PicturePart::output() const {
    return (fs::path(folder_) / pattern_).string();
}

std::vector<std::int64_t> PicturePart::numbers(std::int64_t first) const {
    return existing_numbers(names_in(folder_, pattern_), first);
}

std::int64_t PicturePart::count(std::int64_t first) const {
    return std::ssize(numbers(first));
}

bool PicturePart::is_half_placed(std::int64_t first) const {
    const std::vector<std::int64_t> here = numbers(first);
    return !here.empty() && here.front() > first;
}

FileFacts PicturePart::facts(std::int64_t first) const {
    return facts_of_pictures(names_in(folder_, pattern_), first, count(first));
}

FileFacts PicturePart::facts_beside(const BatchFile& file, std::int64_t first) const {
    const std::vector<std::int64_t> here = numbers(first);
    return here.empty() ? FileFacts{}
                        : facts_of_pictures(file.pictures.value(), first, here.back() - first + 1,
                                            names_in(folder_, pattern_), here.front());
}

void PicturePart::check(std::int64_t first, std::int64_t count) const {
    const std::vector<std::int64_t> here = numbers(first);
    const auto last = std::ranges::lower_bound(here, first + count);
    const std::int64_t missing = count - (last - here.begin());
    if (missing > 0) {
        throw Error(ExitCode::output, fmt::format("{}: {} of {} pictures {} no longer there: they, or their folder, "
                                                  "were moved or removed meanwhile",
                                                  folder_, missing, count, missing == 1 ? "is" : "are"));
    }
    if (last != here.end()) {
        throw Error(ExitCode::output, fmt::format("{}: is somebody else's, as {} pictures were made",
                                                  names_in(folder_, pattern_).path(*last), count));
    }
}

void PicturePart::place(const BatchFile& file, std::int64_t first) const {
    const fs::path folder = folder_of(file);
    const auto fail = [&](int error) {
        throw Error(ExitCode::output,
                    fmt::format("{}: {}; the pictures are in {}", folder.string(), std::strerror(error), folder_));
    };
    if (rename_to_new(folder_.c_str(), folder.c_str()) == 0) {
        sync_folder_of(folder.string());
        return;
    }
    const int why = errno;
    std::error_code error;
    if (!fs::is_directory(folder, error)) {
        fail(why);
    }
    const PictureNames& names = file.pictures.value();
    const PictureNames made = names_in(folder_, pattern_);
    const std::vector<std::int64_t> here = numbers(first);
    if (here.empty()) {
        fail(ENOENT);
    }
    if (!file.replaces && !is_half_placed(first) && !existing_numbers(names, first).empty()) {
        fail(EEXIST);  // since the batch began
    }
    for (const std::int64_t number : here) {
        const std::string from = made.path(number);
        const std::string to = names.path(number);
        if (file.replaces) {
            set_rights(from, to);
        }
        const int renamed = file.replaces ? rename(from.c_str(), to.c_str()) : rename_to_new(from.c_str(), to.c_str());
        // Both names are one picture's where a kill came between the two halves of a renaming.
        if (renamed != 0 && !(errno == EEXIST && same_file(from, to))) {
            fail(errno);
        }
    }
    sync_folder_of(names.path(first));
    remove();
    PictureFiles(names, here.back() + 1, Overwrite::no, {}).tell_older();
}

void PicturePart::remove() const {
    std::error_code error;
    fs::remove_all(folder_, error);
}

std::vector<std::pair<const BatchFile*, PicturePart>> left_picture_parts(const std::string& folder,
                                                                         const std::vector<BatchFile>& files) {
    std::map<std::string, const BatchFile*> by_name;
    for (const BatchFile& file : files) {
        if (file.pictures) {
            by_name.emplace(name_in_part(folder_of(file).filename().string()), &file);
        }
    }
    std::vector<std::pair<const BatchFile*, PicturePart>> parts;
    for_each_name(folder, [&](const std::string& name) {
        const auto found = by_name.find(std::string(output_of_part(name)));
        const std::string path = (fs::path(folder) / name).string();
        if (found != by_name.end() && is_folder_itself(path)) {
            parts.emplace_back(found->second, PicturePart(*found->second, path));
        }
    });
    return parts;
}

KnownPictures known_pictures(const Journal& journal, const BatchFile& file, std::int64_t first,
                             const std::string& hash) {
    const PictureNames& names = file.pictures.value();
    KnownPictures known{.count = std::ssize(existing_numbers(names, first))};
    const JournalEntry* const latest = journal.find(file.name);
    if (known.count == 0 || latest == nullptr) {
        return known;
    }
    known.entry = known_work(journal, file, facts_of_pictures(names, first, known.count), hash);
    if (known.entry == nullptr && latest->frames > 0 && latest->frames < known.count) {
        const JournalEntry* const entry =
            known_work(journal, file, facts_of_pictures(names, first, latest->frames), hash);
        known.entry = entry != nullptr && is_done(*entry) ? entry : nullptr;
    }
    return known;
}

void check_picture_folders(const std::vector<BatchFile>& files, const std::vector<std::string>& others) {
    std::map<std::string, const BatchFile*> folders;
    for (const BatchFile& file : files) {
        if (!file.pictures) {
            continue;
        }
        const auto [other, is_new] = folders.emplace(place_of(folder_of(file).string()), &file);
        if (!is_new) {
            throw Error(ExitCode::usage, fmt::format("the pictures of {} and {} would both come into {}; --name tells "
                                                     "them apart",
                                                     other->second->input, file.input, folder_of(file).string()));
        }
    }
    if (folders.empty()) {
        return;
    }
    const auto check = [&](const std::string& name) {
        const fs::path place = place_of(name);
        const auto found = folders.find(place.parent_path().string());
        if (found != folders.end() && found->second->pictures.value().number_of(place.filename().string())) {
            throw Error(ExitCode::usage,
                        fmt::format("{}: is named already, and would be written over by a picture of {}", name,
                                    found->second->input));
        }
    };
    for (const BatchFile& file : files) {
        check(file.input);
    }
    for (const std::string& other : others) {
        if (!other.empty()) {
            check(other);
        }
    }
}

}  // namespace vfilter
