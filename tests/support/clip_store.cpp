#include "tests/support/clip_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <system_error>
#include <vector>

namespace vfilter::test {

namespace {

namespace fs = std::filesystem;

Result run_anew(const std::string& arguments, const fs::path& folder) {
    return run_command("ffmpeg -nostdin -v error -y " + arguments, folder);
}

// Whether the arguments alone decide what comes of them: no file is read, and nothing is written elsewhere.
bool is_generated(const std::string& arguments) {
    // Of the shell; of filters and options that read files; what ffmpeg keeps beside its output.
    static constexpr std::array<std::string_view, 8> others = {"$", "<", "|", "&", "movie", "-file", "file=", "-pass"};
    if (std::ranges::any_of(others,
                            [&](std::string_view other) { return arguments.find(other) != std::string::npos; })) {
        return false;
    }
    std::istringstream text(arguments);
    const std::vector<std::string> words{std::istream_iterator<std::string>(text), {}};
    bool generated = false;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i].starts_with('/') || words[i].starts_with("'/") || words[i] == "-attach" ||
            words[i] == "-init_hw_device") {
            return false;
        }
        if (words[i] == "-i") {
            generated = i >= 2 && words[i - 2] == "-f" && words[i - 1] == "lavfi";
            if (!generated) {
                return false;
            }
        }
    }
    // A name in a folder, or one that is none: "pipe:", "-", "tcp://".
    return generated && words.back() != "-" && words.back().find_first_of(":/") == std::string::npos;
}

// FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/
std::uint64_t hash_of(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char letter : text) {
        hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
    }
    return hash;
}

// Another ffmpeg makes other files. What it says of its version takes longer than most clips are copied.
std::string which_ffmpeg() {
    const char* const variable = std::getenv("PATH");
    std::istringstream folders(variable != nullptr ? variable : "");
    for (std::string folder; std::getline(folders, folder, ':');) {
#ifdef VFILTER_WITNESS_PROGRAMS
        if (folder == VFILTER_WITNESS_PROGRAMS) {
            continue;
        }
#endif
        const fs::path program = fs::path(folder) / "ffmpeg";
        std::error_code error;
        if (const auto size = fs::file_size(program, error); !error) {
            return fmt::format("{} {} {}", program.string(), size,
                               fs::last_write_time(program, error).time_since_epoch().count());
        }
    }
    return "";
}

}  // namespace

Result run_ffmpeg(const std::string& arguments, const fs::path& folder) {
    if (!is_generated(arguments)) {
        return run_anew(arguments, folder);
    }
    static const std::string ffmpeg = which_ffmpeg();
    const std::string made_by = fmt::format("{}\n{}", ffmpeg, arguments);
    const fs::path store = VFILTER_CLIPS;
    const fs::path entry = store / fmt::format("{:016x}", hash_of(made_by));
    const auto copy = [&](const fs::path& from) {
        fs::copy(from / "files", folder, fs::copy_options::overwrite_existing | fs::copy_options::recursive);
    };
    const Result done{.line = "ffmpeg " + arguments, .code = 0, .signalled = false, .out = {}, .err = {}};
    // It comes with its note, and by one rename: it is whole, or not there.
    if (content_of(entry / "made by") == made_by) {
        copy(entry);
        return done;
    }
    std::error_code error;
    fs::create_directories(store, error);
    std::string made = (store / "making-XXXXXX").string();
    if (mkdtemp(made.data()) == nullptr) {
        return run_anew(arguments, folder);
    }
    const fs::path files = fs::path(made) / "files";
    fs::create_directory(files, error);
    const Result result = run_anew(arguments, files);
    if (result.code != 0 || !result.err.empty()) {
        // It needed something of the folder, or a test wants the failure.
        fs::remove_all(made, error);
        return run_anew(arguments, folder);
    }
    std::ofstream(fs::path(made) / "made by", std::ios::binary) << made_by;
    copy(made);
    fs::rename(made, entry, error);
    if (error) {  // another process was faster
        fs::remove_all(made, error);
    }
    return done;
}

}  // namespace vfilter::test
