#include "pipeline/batch/beside_videos.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

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

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

}  // namespace

bool is_beside_videos(const std::string& path) {
    const std::string name = lower(fs::path(path).filename().string());
    // macOS keeps what a foreign disk cannot hold of film.mov in ._film.mov.
    return name == ".ds_store" || name.starts_with("._") ||
           std::ranges::find(endings_beside_videos, fs::path(name).extension().string()) !=
               std::end(endings_beside_videos);
}

void pass_over_others(Options& options) {
    std::vector<std::string>& inputs = options.batch.inputs;
    const auto goes = [](const std::string& input) {
        std::error_code error;
        return is_beside_videos(input) && fs::is_regular_file(input, error);
    };
    const auto count = std::ranges::count_if(inputs, goes);
    if (count == 0 || count == std::ssize(inputs) || !options.input.format.empty()) {
        return;
    }
    constexpr std::ptrdiff_t named = 3;
    std::string names;
    std::ptrdiff_t at = 0;
    for (const std::string& input : inputs) {
        if (goes(input) && at++ < named) {
            names += (names.empty() ? "" : ", ") + printable(fs::path(input).filename().string());
        }
    }
    spdlog::warn("passed over, as by {} no video: {}{}", count == 1 ? "its name it is" : "their names they are", names,
                 count > named ? fmt::format(" and {} more", count - named) : "");
    std::ranges::copy_if(inputs, std::back_inserter(options.batch.passed_over), goes);
    std::erase_if(inputs, goes);
}

}  // namespace vfilter
