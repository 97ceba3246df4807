// What graphs of filters reach, how their texts are read, and whether the table knows every filter of the libavfilter
// that is installed.

#include "io/graph/lavfi_graph.h"
#include "io/input/source_check.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

extern "C" {
#include <libavformat/version.h>
#include <libavutil/avstring.h>
#include <libavutil/log.h>
#include <libavutil/opt.h>
}

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <regex>
#include <string>
#include <vector>

#include "config/error.h"
#include "config/lavfi/facts.h"
#include "config/lavfi/graph_reader.h"
#include "io/graph/filter_library.h"
#include "io/source.h"

namespace vfilter {
namespace {

std::string names_of(std::string_view graph) {
    std::string names;
    for (const Outward& reached : reach_of(graph)) {
        names += (names.empty() ? "" : " ") + std::string(reached.filter->name);
    }
    return names;
}

TEST(LavfiGraph, FiltersAreFoundWhereverTheyStand) {
    const std::pair<const char*, const char*> rows[] = {
        {"testsrc2=s=64x48:d=1", ""},
        {"", ""},
        {"movie=a.mkv", "movie"},
        {"movie", "movie"},
        {"  movie = a.mkv ", "movie"},
        {"\n\tmovie=a", "movie"},
        {"movie@x=a.mkv", "movie"},
        {"testsrc2,lut3d=a.cube", "lut3d"},
        {"testsrc2[a];movie=b[b];[a][b]overlay", "movie"},
        {"testsrc2 [a] ; movie=b [b] ; [a] [b] overlay , lut3d=c", "movie lut3d"},
        {"sws_flags=bilinear;movie=a", "movie"},
        {"testsrc2,sendcmd=c='1 drawtext reinit textfile=b'", "sendcmd"},
        {"'movie'=a", "movie"},
        {"mov\\ie=a", "movie"},
        {"'mo'v'ie'=a", "movie"},
        {"testsrc2,subtitles=a.srt,subtitles=b.srt,ass=c", "subtitles ass"},
        {"color=c=red,drawtext=text='movie=a,lut3d=b'", ""},
        {"color=c=red,drawtext=text=a\\,movie=b", ""},
        {"testsrc2[movie];[movie]null", ""},
        {"testsrc2,movies", ""},
        {"zmq=b=tcp\\\\://*\\\\:5555", "zmq"},
        // What cannot be read is taken for everything that it names.
        {"testsrc2[a;movie=b", "movie"},
        {"sws_flags=1,movie=a", "movie"},
        {"testsrc2[a]movie;sr=b", "movie sr"},
    };
    for (const auto& [graph, names] : rows) {
        EXPECT_EQ(names_of(graph), names) << graph;
    }
}

TEST(LavfiGraph, FiltersAreHarmlessWithoutTheOptionsThatReachOutside) {
    const std::pair<const char*, const char*> rows[] = {
        {"psnr", ""},
        {"psnr=stats_version=2", ""},
        {"psnr=stats_file=a", "psnr"},
        {"psnr=f=a", "psnr"},
        {"psnr=a", "psnr"},
        {"psnr=stats_version=2:f=a", "psnr"},
        {"psnr=stats_version=2: f = a", "psnr"},
        {"psnr='stats_version=2:f=a'", "psnr"},
        {"psnr=stats_version='2:f=a'", "psnr"},  // the graph's quotes go before arguments are told apart
        {"psnr=stats_version=\\'2:f=a\\'", ""},
        {"psnr=/stats_version=a", "psnr"},
        {"drawtext=text=x:x=10", ""},
        {"drawtext=a.ttf", "drawtext"},
        {"drawtext=text=x:textfile=a", "drawtext"},
        {"drawtext=text=x\\\\:textfile=a", ""},
        {"drawtext=text=x\\:textfile=a", "drawtext"},
        {"metadata=mode=print", ""},
        {"metadata=mode=print:file=-", "metadata"},
        {"curves=preset=vintage", ""},
        {"curves=psfile=a", "curves"},
        {"curves=preset=vintage:plot=a", "curves"},
    };
    for (const auto& [graph, names] : rows) {
        EXPECT_EQ(names_of(std::string("testsrc2,") + graph), names) << graph;
    }
}

std::string refusal(const InputRequest& options) {
    try {
        check_source(options);
        return "";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::usage);
        return error.what();
    }
}

TEST(LavfiGraph, IsOpenedOnlyWithLeave) {
    InputRequest movie;
    movie.path = "lavfi:movie=a.mkv";
    EXPECT_EQ(refusal(movie),
              "lavfi:movie=a.mkv: its filter 'movie' can reach files and addresses: that needs --allow-files and "
              "--allow-network");
    movie.allow_files = true;
    EXPECT_NE(refusal(movie).find("'movie' can reach addresses: that needs --allow-network"), std::string::npos);
    movie.allow_network = true;
    EXPECT_EQ(refusal(movie), "");
    movie.allow_files = false;
    EXPECT_NE(refusal(movie).find("'movie' can reach files: that needs --allow-files"), std::string::npos);

    InputRequest library;
    library.path = "lavfi:testsrc2,frei0r=glow";
    EXPECT_NE(refusal(library).find("'frei0r' can reach files and libraries: that needs --allow-files"),
              std::string::npos);
    library.allow_files = true;
    EXPECT_EQ(refusal(library), "");

    // The device takes this option instead of the name.
    InputRequest option;
    option.path = "lavfi:testsrc2";
    EXPECT_EQ(refusal(option), "");
    option.input_options = {{"graph", "lut3d=a.cube"}};
    EXPECT_NE(refusal(option).find("'lut3d'"), std::string::npos);

    InputRequest file;
    file.path = "movie=a.mkv";
    EXPECT_EQ(refusal(file), "") << "a file's name";
}

/// The beginning of libavfilter's AVFilter, the same from 5.1 to 7.1: its headers need not be installed.
struct Filter {
    const char* name;
    const char* description;
    const void* inputs;
    const void* outputs;
    const AVClass* options;
};

// Options that sound like files and are none.
constexpr std::string_view harmless[] = {
    "drawbox.box_source",    // where in the frame's data a box stands
    "drawtext.fontsize",     // a number
    "drawtext.font",         // a name for fontconfig
    "drawtext.text_source",  // side data
    "hwmap.derive_device",   // hardware that is there already
    "hwupload.derive_device",
    "ssim360.heatmap_str",  // the map itself
};

TEST(LavfiGraph, KnowsAllFiltersOfTheInstalledLibrary) {
    constexpr int major = LIBAVFORMAT_VERSION_MAJOR - 51;  // 8 with 59, 9 with 60, 10 with 61
    void* const library = dlopen(fmt::format("libavfilter.so.{}", major).c_str(), RTLD_NOW);
    if (library == nullptr) {
        GTEST_SKIP() << dlerror();
    }
    auto* const iterate = reinterpret_cast<const Filter* (*)(void**)>(dlsym(library, "av_filter_iterate"));
    ASSERT_NE(iterate, nullptr);
    const std::regex names(
        "(^|_)(file|filename|path|url|uri|model|lib|library|plugin|addr|address|dir|directory|host|"
        "socket|fontfile|textfile|psfile|axisfile|dumpfile|logfile|sofa|script|cmd|source|device)s?(_|$)|"
        "(file|path|url)$");
    const std::regex helps("\\b(file|filename|path|url|uri|library|plugin|address|directory|folder|socket|host)\\b",
                           std::regex::icase);
    void* state = nullptr;
    int looked_at = 0;
    int gated = 0;
    while (const Filter* const filter = iterate(&state)) {
        const AVClass* options = filter->options;
        const AVOption* option = nullptr;
        while (options != nullptr && (option = av_opt_next(&options, option)) != nullptr) {
            if (option->type != AV_OPT_TYPE_STRING && option->type != AV_OPT_TYPE_DICT &&
                option->type != AV_OPT_TYPE_BINARY) {
                continue;
            }
            ++looked_at;
            const std::string full = fmt::format("{}.{}", filter->name, option->name);
            const std::string help = option->help != nullptr ? option->help : "";
            const bool outward = std::regex_search(option->name, names) || std::regex_search(help, helps);
            if (!outward || std::ranges::find(harmless, full) != std::end(harmless)) {
                continue;
            }
            ++gated;
            const std::string graph = fmt::format("{}={}=a", filter->name, option->name);
            EXPECT_EQ(names_of(graph), filter->name)
                << full << " (" << help
                << ") is missing in config/lavfi/filters_of_*.h, or here among what is harmless";
        }
    }
    EXPECT_GT(looked_at, 300);
    EXPECT_GT(gated, 30);
}

// Calls act(text) for each text of so many of these letters.
template <typename Act>
void for_each_text(std::string_view letters, std::size_t length, Act act) {
    std::vector<std::size_t> at(length, 0);
    std::string text(length, letters.front());
    for (std::size_t i = 0; i < length;) {
        if (i == 0) {
            act(text);
        }
        at[i] = (at[i] + 1) % letters.size();
        text[i] = letters[at[i]];
        i = at[i] == 0 ? i + 1 : 0;
    }
}

TEST(LavfiGraph, TokensAreThoseOfLibavutil) {
    int texts = 0;
    for (std::size_t length = 1; length <= 7; ++length) {
        for_each_text("a '\\,", length, [&](const std::string& text) {
            const char* rest = text.c_str();
            char* const token = av_get_token(&rest, ",");
            lavfi::TextReader reader(text);
            const std::string read = reader.token(",");
            if (read != token || reader.rest() != rest) {
                ADD_FAILURE() << text << ": '" << read << "' and not '" << token << "'";
            }
            av_free(token);
            ++texts;
        });
    }
    EXPECT_EQ(texts, 97655);
}

TEST(LavfiGraph, OptionsAreThoseOfLibavutil) {
    for (std::size_t length = 1; length <= 6; ++length) {
        for_each_text("a '\\:=", length, [&](const std::string& text) {
            const std::vector<lavfi::FilterOption> options = lavfi::options_in(text);
            std::size_t number = 0;
            for (const char* rest = text.c_str(); *rest != '\0'; rest += *rest != '\0' ? 1 : 0) {
                char* name = nullptr;
                char* value = nullptr;
                const int result = av_opt_get_key_value(&rest, "=", ":", AV_OPT_FLAG_IMPLICIT_KEY, &name, &value);
                // One with an empty name is none for libavutil.
                if (result >= 0 && (name == nullptr || *name != '\0') &&
                    (number >= options.size() || options[number].name != (name == nullptr ? "" : name) ||
                     options[number].value != value)) {
                    ADD_FAILURE() << text << ": option " << number << " is '" << (name == nullptr ? "" : name) << "', '"
                                  << value << "'";
                }
                av_free(name);
                av_free(value);
                ++number;
            }
            EXPECT_EQ(number, options.size()) << text;
        });
    }
}

// What libavfilter makes of texts, by a filter that keeps one.
TEST(LavfiGraph, GraphsAreReadAsByLibavfilter) {
    const FilterLibrary& library = filter_library();
    const int level = av_log_get_level();
    av_log_set_level(AV_LOG_QUIET);
    int understood = 0;
    const auto compare = [&](const std::string& text) {
        const FilterGraphPtr graph(library.graph_alloc());
        AVFilterInOut* input = nullptr;
        AVFilterInOut* output = nullptr;
        const int result = library.graph_parse(graph.get(), text.c_str(), &input, &output);
        const OpenPadsPtr inputs(input);
        const OpenPadsPtr outputs(output);
        if (result < 0) {
            return;
        }
        ++understood;
        const lavfi::GraphText read = lavfi::read_graph(text);
        EXPECT_TRUE(read.understood) << text;
        ASSERT_EQ(read.filters.size(), graph->nb_filters) << text;
        for (unsigned i = 0; i < graph->nb_filters; ++i) {
            const AVFilterContext& filter = *graph->filters[i];
            const lavfi::GraphFilter& found = read.filters[i];
            EXPECT_EQ(found.name, filter.filter->name) << text;
            std::uint8_t* value = nullptr;
            if (found.name == "metadata" && av_opt_get(filter.priv, "value", 0, &value) >= 0) {
                EXPECT_EQ(lavfi::value_of(found, "value").value_or(""), reinterpret_cast<const char*>(value)) << text;
                av_free(value);
            }
        }
    };
    for (std::size_t length = 1; length <= 4; ++length) {
        for_each_text("a '\\:,;[]", length,
                      [&](const std::string& value) { compare("metadata=mode=add:key=k:value=b" + value + ",hflip"); });
        for_each_text("l '\\[]@=", length, [&](const std::string& name) { compare("nul" + name); });
    }
    for (const char* const text : {"sws_flags=bilinear;hflip", " sws_flags=a,b;null", "[a,b]hflip[c;d]",
                                   "[a]\n[b] hstack", "'hf'l\\ip@x , null=", "split[a][b];[a]hflip[c];[b][c]hstack",
                                   "[it's];it]null[it's];it]", "null;null", "'null'"}) {
        compare(text);
    }
    av_log_set_level(level);
    EXPECT_GT(understood, 1000);
}

}  // namespace
}  // namespace vfilter
