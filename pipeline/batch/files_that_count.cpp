#include "pipeline/batch/files_that_count.h"

extern "C" {
#include <libavutil/avstring.h>
#include <libavutil/mem.h>
}

#include <algorithm>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

#include "config/error.h"
#include "config/lavfi/graph_reader.h"
#include "io/picture_names.h"

namespace vfilter {

namespace {

// Up to each of the letters, as FFmpeg reads it: without the quotes and backslashes by which a part holds such letters.
std::vector<std::string> parts_of(const std::string& text, const char* ends) {
    std::vector<std::string> parts;
    for (const char* at = text.c_str(); *at != '\0'; at += *at != '\0' ? 1 : 0) {
        const std::unique_ptr<char, decltype(&av_free)> part(av_get_token(&at, ends), av_free);
        if (!part) {
            throw std::bad_alloc();
        }
        parts.emplace_back(part.get());
    }
    return parts;
}

// Looks for names of files in texts of which only their filters and encoders know what they mean: words that name no
// file name none there either.
class FileSearch {
public:
    void look_at_graph(const std::string& graph) {
        look_at_words(graph);
        for (const lavfi::GraphFilter& filter : lavfi::read_graph(graph).filters) {
            look_at_arguments(filter.arguments);
        }
    }
    void look_at_value(const std::string& value) {
        look_at_words(value);
        note(value);
        look_at_arguments(value);
    }
    [[nodiscard]] std::vector<std::string> found() const { return found_; }

private:
    // Whatever quotes and backslashes mean in it.
    void look_at_words(const std::string& text) {
        constexpr std::string_view ends = "=:,;[]'\\ ";
        std::string word;
        for (const char letter : text + " ") {
            if (ends.find(letter) == std::string_view::npos) {
                word += letter;
            } else {
                note(word);
                word.clear();
            }
        }
    }
    // "NAME=VALUE:NAME=VALUE", and values alone. One may be a list, or a text with names in it.
    void look_at_arguments(const std::string& arguments) {
        for (const std::string& argument : parts_of(arguments, ":")) {
            note(argument);
            const std::string value = argument.substr(argument.find('=') + 1);
            note(value);
            for (const std::string& word : parts_of(value, "=:|,; \t\n")) {
                note(word);
            }
        }
    }
    void note(std::string_view name) {
        constexpr std::string_view protocol = "file:";
        if (name.starts_with(protocol)) {
            name.remove_prefix(protocol.size());
        }
        const std::string path(name);
        std::error_code none;  // it may be too long for a name
        if (path.empty()) {
            return;
        }
        if (std::filesystem::is_regular_file(path, none)) {
            add(path);
        } else if (PictureNames::parse(path)) {
            add_pictures(path);
        }
    }
    void add_pictures(const std::string& pattern) {
        try {
            const std::optional<FoundPictures> pictures = find_pictures(pattern);
            if (pictures) {
                std::ranges::for_each(pictures->paths, [this](const std::string& path) { add(path); });
            }
        } catch (const Error&) {
            return;  // of a folder that cannot be read, which whoever is to read them tells
        }
    }
    void add(const std::string& path) {
        if (seen_.insert(path).second) {
            found_.push_back(path);
        }
    }

    std::vector<std::string> found_;
    std::set<std::string> seen_;
};

}  // namespace

std::vector<std::string> files_that_count(const Options& options) {
    std::vector<std::string> files;
    for (const FilterSpec& filter : options.filters) {
        if (!filter.region.mask.empty()) {
            const std::optional<FoundPictures> masks = find_pictures(filter.region.mask);
            files.insert(files.end(), 1, filter.region.mask);
            if (masks) {
                files.insert(files.end(), masks->paths.begin(), masks->paths.end());
            }
        }
        if (filter.region.tracks) {
            files.push_back(filter.region.tracks->file);
        }
    }
    FileSearch search;
    for (const ForeignStep& step : options.foreign) {
        search.look_at_graph(step.graph);
    }
    search.look_at_graph(options.output.sound_graph);
    for (const OptionPairs* const pairs : {&options.output.encoder_options, &options.input.input_options}) {
        for (const auto& [name, value] : *pairs) {
            search.look_at_value(value);
        }
    }
    const std::vector<std::string> named = search.found();
    files.insert(files.end(), named.begin(), named.end());
    return files;
}

}  // namespace vfilter
