#include "pipeline/batch/beside_videos.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "config/letters.h"
#include "config/printable.h"

namespace vfilter {

namespace {

namespace fs = std::filesystem;

// No ending of pictures is here, as photographs are inputs, and none of playlists, which stand for a video and are
// refused with a reason.
constexpr std::string_view endings_beside_videos[] = {
    // subtitles and lyrics
    ".ass", ".dfxp", ".idx", ".itt", ".lrc", ".sbv", ".smi", ".srt", ".ssa", ".stl", ".sub", ".sup", ".ttml", ".vtt",
    // sound
    ".aac", ".ac3", ".aif", ".aiff", ".dts", ".dtshd", ".eac3", ".flac", ".m4a", ".mka", ".mp3", ".oga", ".opus",
    ".thd", ".wav", ".wma",
    // what people, cameras and catalogues write of a film
    ".csv", ".doc", ".docx", ".htm", ".html", ".json", ".log", ".md", ".nfo", ".pdf", ".rtf", ".toml", ".torrent",
    ".txt", ".url", ".xml", ".xmp", ".yaml", ".yml",
    // checksums and what mends files
    ".crc", ".cue", ".md5", ".par2", ".sfv", ".sha1", ".sha256", ".sha512",
    // file managers
    ".db", ".ini", ".lnk"};

// What is to be told of inputs that go.
struct PassedOver {
    std::string why;  // of one
    std::string why_of_many;
};

// Takes inputs out of the list, with a line.
void pass_over(Options& options, const std::function<bool(const std::string&)>& goes, const PassedOver& told) {
    constexpr std::ptrdiff_t named = 3;
    std::vector<std::string>& inputs = options.batch.inputs;
    const auto count = std::ranges::count_if(inputs, goes);
    std::string names;
    std::ptrdiff_t at = 0;
    for (const std::string& input : inputs) {
        if (goes(input) && at++ < named) {
            const fs::path path(input);
            const fs::path name = path.filename().empty() ? path.parent_path().filename() : path.filename();
            names += (names.empty() ? "" : ", ") + printable(name.string());
        }
    }
    spdlog::warn("passed over, as {}: {}{}", count == 1 ? told.why : told.why_of_many, names,
                 count > named ? fmt::format(" and {} more", count - named) : "");
    std::ranges::copy_if(inputs, std::back_inserter(options.batch.passed_over), goes);
    std::erase_if(inputs, goes);
}

// A folder's star names its folders, too: that of the output, once there is one, and any other.
void pass_over_folders(Options& options) {
    std::vector<std::string>& inputs = options.batch.inputs;
    const auto is_folder = [](const std::string& input) {
        std::error_code error;
        return fs::is_directory(input, error);
    };
    if (std::ranges::all_of(inputs, is_folder)) {
        return;  // which is a mistake
    }
    std::erase_if(inputs, [&options](const std::string& input) {
        std::error_code error;
        return fs::equivalent(input, options.batch.folder, error) && !error;
    });
    if (std::ranges::any_of(inputs, is_folder)) {
        pass_over(options, is_folder, {"it is a folder", "they are folders"});
    }
}

}  // namespace

bool is_beside_videos(const std::string& path) {
    const std::string name = lower_case(fs::path(path).filename().string());
    // macOS keeps what a foreign disk cannot hold of film.mov in ._film.mov.
    return name == ".ds_store" || name.starts_with("._") ||
           std::ranges::find(endings_beside_videos, fs::path(name).extension().string()) !=
               std::end(endings_beside_videos);
}

void pass_over_others(Options& options) {
    pass_over_folders(options);
    const std::vector<std::string>& inputs = options.batch.inputs;
    const auto goes = [](const std::string& input) {
        std::error_code error;
        return is_beside_videos(input) && fs::is_regular_file(input, error);
    };
    const auto count = std::ranges::count_if(inputs, goes);
    if (count > 0 && count < std::ssize(inputs) && options.input.format.empty()) {
        pass_over(options, goes, {"by its name it is no video", "by their names they are no video"});
    }
}

}  // namespace vfilter
