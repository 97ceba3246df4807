#include "io/graph/lavfi_graph.h"

extern "C" {
#include <libavutil/avstring.h>
#include <libavutil/mem.h>
}

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <new>

namespace vfilter {

namespace {

// tests/io/graph/lavfi_graph_test.cpp looks through the libavfilter that is installed and names what is missing here.
// Some are of later versions. Whatever opens its file by libavformat takes an address for one, too.
//   name, options, files, network, libraries
constexpr OutwardFilter filters[] = {
    {"ametadata", "file", true, true, false},
    {"amovie", "", true, true, false},
    {"arnndn", "", true, false, false},
    {"asendcmd", "", true, false, false},  // its commands give other filters names of files
    {"asr", "", true, false, false},
    {"ass", "", true, false, false},
    {"azmq", "", true, true, false},
    {"cellauto", "filename|f", true, false, false},
    {"cover_rect", "", true, true, false},
    {"curves", "psfile|plot", true, false, false},
    {"derain", "", true, true, true},
    {"deshake", "filename", true, false, false},
    {"dnn_classify", "", true, true, true},
    {"dnn_detect", "", true, true, true},
    {"dnn_processing", "", true, true, true},
    {"drawtext", "fontfile|textfile", true, false, false},
    {"drawvg", "file", true, false, false},
    {"fieldhint", "", true, false, false},
    {"find_rect", "", true, true, false},
    {"firequalizer", "dumpfile", true, false, false},
    {"flite", "textfile", true, false, false},
    {"frei0r", "", true, false, true},
    {"frei0r_src", "", true, false, true},
    {"fsync", "", true, true, false},
    {"ladspa", "", true, false, true},
    {"lensfun", "db_path", true, false, false},
    {"libplacebo", "custom_shader_path|lut|extra_opts", true, false, false},
    {"libvmaf", "model_path|model|log_path|feature", true, false, false},
    {"libvmaf_cuda", "model_path|model|log_path|feature", true, false, false},
    {"life", "filename|f", true, false, false},
    {"lut1d", "", true, false, false},
    {"lut3d", "", true, false, false},
    {"lv2", "", true, false, true},
    {"metadata", "file", true, true, false},
    {"movie", "", true, true, false},
    {"nnedi", "", true, false, false},
    {"ocr", "", true, false, false},
    {"openclsrc", "", true, false, false},
    {"paletteuse", "debug_kdtree", true, false, false},
    {"program_opencl", "", true, false, false},
    {"psnr", "stats_file|f", true, false, false},
    {"qrencode", "textfile", true, false, false},
    {"qrencodesrc", "textfile", true, false, false},
    {"removelogo", "", true, true, false},
    {"selectivecolor", "psfile", true, false, false},
    {"sendcmd", "", true, false, false},
    {"showcqt", "fontfile|axisfile", true, true, false},
    {"signature", "filename", true, false, false},
    {"sofalizer", "", true, false, false},
    {"sr", "", true, true, true},
    {"ssim", "stats_file|f", true, false, false},
    {"ssim360", "stats_file|f", true, false, false},
    {"subtitles", "", true, true, false},
    {"vidstabdetect", "", true, false, false},
    {"vidstabtransform", "", true, false, false},
    {"vmafmotion", "stats_file", true, false, false},
    {"whisper", "", true, true, false},
    {"xfade_opencl", "source|kernel", true, false, false},
    {"xpsnr", "stats_file|f", true, false, false},
    {"zmq", "", true, true, false},
};

constexpr std::string_view blanks = " \n\t\r";

/// Text read with libavutil's quotes and escapes, as libavfilter reads it.
class Reader {
public:
    explicit Reader(std::string_view text) : text_(text), at_(text_.c_str()) {}

    [[nodiscard]] char next() const { return *at_; }
    void step() { at_ += *at_ == '\0' ? 0 : 1; }
    void skip_blanks() {
        while (*at_ != '\0' && blanks.find(*at_) != std::string_view::npos) {
            ++at_;
        }
    }
    [[nodiscard]] std::string_view rest() const { return at_; }
    void skip(std::size_t letters) { at_ += letters; }

    /// Up to one of the letters, which stays, without quotes and escapes.
    std::string token(const char* ends) {
        const std::unique_ptr<char, decltype(&av_free)> token(av_get_token(&at_, ends), av_free);
        if (!token) {
            throw std::bad_alloc();
        }
        return token.get();
    }

private:
    std::string text_;
    const char* at_;
};

bool lists(std::string_view options, std::string_view option) {
    while (!options.empty()) {
        const std::string_view one = options.substr(0, options.find('|'));
        if (one == option) {
            return true;
        }
        options.remove_prefix(std::min(options.size(), one.size() + 1));
    }
    return false;
}

bool is_name_letter(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
           letter == '_';
}

bool is_key_letter(char letter) {
    return is_name_letter(letter) || std::string_view("-/.").find(letter) != std::string_view::npos;
}

enum class Given { no, by_name, without_name };

// Whether arguments give a filter one of the options, or might: what has no name may be any, and a name that begins
// with a slash means a file in some versions.
Given gives(const std::string& arguments, std::string_view options) {
    Reader reader(arguments);
    while (reader.next() != '\0') {
        reader.skip_blanks();
        std::string key;
        while (is_key_letter(reader.next())) {
            key += reader.next();
            reader.step();
        }
        reader.skip_blanks();
        if (reader.next() != '=' || key.empty()) {
            return Given::without_name;
        }
        if (key.front() == '/' || lists(options, key)) {
            return Given::by_name;
        }
        reader.step();
        reader.token(":");
        reader.step();
    }
    return Given::no;
}

/// Looks for filters of the table in a graph.
class Search {
public:
    // False where libavfilter would not understand the text either.
    bool run(std::string_view graph) {
        Reader reader(graph);
        reader.skip_blanks();
        if (reader.rest().starts_with("sws_flags=")) {
            const std::size_t end = reader.rest().find(';');
            if (end == std::string_view::npos) {
                return false;
            }
            reader.skip(end + 1);
        }
        for (;;) {
            if (!skip_labels(reader)) {
                return false;
            }
            const std::string name = reader.token("=,;[");
            std::string arguments;
            if (reader.next() == '=') {
                reader.step();
                arguments = reader.token("[],;");
            }
            note(name.substr(0, name.find('@')), arguments);
            if (!skip_labels(reader)) {
                return false;
            }
            const char separator = reader.next();
            if (separator != ',' && separator != ';') {
                return separator == '\0';
            }
            reader.step();
        }
    }

    // By names alone, wherever they stand.
    void take_all_in(std::string_view graph) {
        while (!graph.empty()) {
            const auto* const end = std::ranges::find_if_not(graph, is_name_letter);
            const std::string_view word = graph.substr(0, static_cast<std::size_t>(end - graph.begin()));
            const auto* const filter = std::ranges::find(filters, word, &OutwardFilter::name);
            if (filter != std::end(filters)) {
                add(*filter);
            }
            graph.remove_prefix(std::min(graph.size(), word.size() + 1));
        }
    }

    [[nodiscard]] std::vector<const OutwardFilter*> found() const { return found_; }
    /// Whether it was found for the sake of an argument without a name alone.
    [[nodiscard]] bool is_guess(const OutwardFilter* filter) const {
        return std::ranges::find(guessed_, filter) != guessed_.end();
    }
    /// Of all filters.
    [[nodiscard]] std::vector<std::string> names() const { return names_; }

private:
    static bool skip_labels(Reader& reader) {
        reader.skip_blanks();
        while (reader.next() == '[') {
            reader.step();
            reader.token("]");
            if (reader.next() != ']') {
                return false;
            }
            reader.step();
            reader.skip_blanks();
        }
        return true;
    }

    void note(const std::string& name, const std::string& arguments) {
        names_.push_back(name);
        const auto* const filter = std::ranges::find(filters, name, &OutwardFilter::name);
        if (filter == std::end(filters)) {
            return;
        }
        const Given given = filter->options.empty() ? Given::by_name : gives(arguments, filter->options);
        if (given == Given::without_name) {
            guessed_.push_back(filter);
        }
        if (given != Given::no) {
            add(*filter);
        }
    }

    void add(const OutwardFilter& filter) {
        if (std::ranges::find(found_, &filter) == found_.end()) {
            found_.push_back(&filter);
        }
    }

    std::vector<const OutwardFilter*> found_;
    std::vector<const OutwardFilter*> guessed_;
    std::vector<std::string> names_;
};

}  // namespace

std::span<const OutwardFilter> outward_filters() {
    return filters;
}

std::vector<const OutwardFilter*> reach_of(std::string_view graph) {
    Search search;
    if (!search.run(graph)) {
        search.take_all_in(graph);
    }
    return search.found();
}

std::string overreach(std::string_view graph, const InputOptions& options) {
    Search search;
    if (!search.run(graph)) {
        search.take_all_in(graph);
    }
    for (const OutwardFilter* const filter : search.found()) {
        const bool files = filter->files && !options.allow_files;
        const bool libraries = filter->libraries && !options.allow_files;
        const bool network = filter->network && !options.allow_network;
        if (files || libraries || network) {
            return fmt::format(
                "its filter '{}' can reach {}{}{}{}{}: that needs {}{}{}{}", filter->name, files ? "files" : "",
                files && libraries ? " and " : "", libraries ? "libraries" : "", files && network ? " and " : "",
                network ? "addresses" : "", files || libraries ? "--allow-files" : "",
                (files || libraries) && network ? " and " : "", network ? "--allow-network" : "",
                search.is_guess(filter) ? R"(, as an argument without a name may be a file's; a ':' that )"
                                          R"(belongs to a value is '\:' in quotes: text='10\:30')"
                                        : "");
        }
    }
    return "";
}

std::vector<std::string> filters_of(std::string_view graph) {
    Search search;
    return search.run(graph) ? search.names() : std::vector<std::string>{};
}

}  // namespace vfilter
