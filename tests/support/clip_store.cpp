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

}  // namespace

Result run_ffmpeg(const std::string& arguments, const fs::path& folder) {
    if (!is_generated(arguments)) {
        return run_anew(arguments, folder);
    }
    const fs::path store = VFILTER_CLIPS;
    const fs::path entry = store / fmt::format("{:016x}", hash_of(arguments));
    const fs::path note = entry.string() + ".arguments";
    std::error_code error;
    if (!fs::exists(note) || content_of(note) != arguments) {
        fs::create_directories(store, error);
        std::string made = (store / "making-XXXXXX").string();
        if (mkdtemp(made.data()) == nullptr) {
            return run_anew(arguments, folder);
        }
        const Result result = run_anew(arguments, made);
        if (result.code != 0 || !result.err.empty()) {
            // It needed something of the folder, or a test wants the failure.
            fs::remove_all(made, error);
            return run_anew(arguments, folder);
        }
        fs::rename(made, entry, error);
        if (error) {  // another process was faster
            fs::copy(made, folder, fs::copy_options::overwrite_existing | fs::copy_options::recursive);
            fs::remove_all(made, error);
            return result;
        }
        const std::string part = fmt::format("{}.part", made);
        std::ofstream(part, std::ios::binary) << arguments;
        fs::rename(part, note);
    }
    fs::copy(entry, folder, fs::copy_options::overwrite_existing | fs::copy_options::recursive);
    return {.line = "ffmpeg " + arguments, .code = 0, .out = {}, .err = {}};
}

}  // namespace vfilter::test
