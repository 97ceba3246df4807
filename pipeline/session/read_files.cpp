#include "pipeline/session/read_files.h"

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
#include <utility>

#include "config/error.h"
#include "config/lavfi/graph_reader.h"
#include "io/picture_names.h"
#include "io/source.h"

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

// Nothing where it is no name of several.
std::vector<std::string> pictures_of(const std::string& name) {
    std::optional<FoundPictures> pictures = find_pictures(name);
    return pictures ? std::move(pictures->paths) : std::vector<std::string>{};
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
            std::ranges::for_each(pictures_of(pattern), [this](const std::string& path) { add(path); });
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

class FileList {
public:
    void add(std::string_view what, const std::string& path) {
        if (!path.empty()) {
            files_.push_back({std::string(what), path});
        }
    }
    void add_all(std::string_view what, const std::vector<std::string>& paths) {
        std::ranges::for_each(paths, [&](const std::string& path) { add(what, path); });
    }
    void add_counting(const Options& options);
    [[nodiscard]] std::vector<ReadFile> take() { return std::move(files_); }

private:
    std::vector<ReadFile> files_;
};

void FileList::add_counting(const Options& options) {
    for (const FilterSpec& filter : options.filters) {
        add("a mask", filter.region.mask);
        add_all("a mask", pictures_of(filter.region.mask));
        add("a table of tracks", filter.region.tracks ? filter.region.tracks->file : "");
    }
    FileSearch graphs;
    for (const ForeignStep& step : options.foreign) {
        graphs.look_at_graph(step.graph);
    }
    graphs.look_at_graph(options.output.sound_graph);
    add_all("a file that a graph names", graphs.found());
    FileSearch values;
    for (const OptionPairs* const pairs : {&options.output.encoder_options, &options.input.input_options}) {
        for (const auto& [name, value] : *pairs) {
            values.look_at_value(value);
        }
    }
    add_all("a file that an option names", values.found());
}

}  // namespace

std::vector<ReadFile> read_files(const Options& options) {
    FileList files;
    if (options.input.path == "-" || is_file_input(options.input.path)) {
        files.add("the input", options.input.path);
        files.add_all("a picture of the input", pictures_of(options.input.path));
    }
    for (const AddedFile& added : options.input.added) {
        files.add("an added file", added.path);
    }
    files.add_all("an appended file", options.input.appended);
    files.add_all("a configuration file", options.config_files);
    for (const FilterSpec& filter : options.filters) {
        files.add("a matrix", filter.matrix_file);
    }
    files.add_counting(options);
    return files.take();
}

std::vector<std::string> files_that_count(const Options& options) {
    FileList files;
    files.add_counting(options);
    std::vector<std::string> paths;
    for (ReadFile& file : files.take()) {
        paths.push_back(std::move(file.path));
    }
    return paths;
}

}  // namespace vfilter
