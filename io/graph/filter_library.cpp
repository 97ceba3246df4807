#include "io/graph/filter_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace vfilter {

namespace {

[[noreturn]] void refuse_library(const std::string& name, const std::string& what) {
    throw Error(
        ExitCode::usage,
        fmt::format(
            "{}, FFmpeg's library of filters for --vf and --af, {}; the package is libavfilter{} (Debian, Ubuntu)",
            name, what, LIBAVFILTER_VERSION_MAJOR));
}

FilterLibrary load_filter_library() {
    const std::string name = fmt::format("libavfilter.so.{}", LIBAVFILTER_VERSION_MAJOR);
    // Never closed: pictures that its filters made may outlive it.
    void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        refuse_library(name, "cannot be loaded");
    }
    FilterLibrary loaded{};
    const auto find = [&]<class Function>(const char* symbol, Function& function) {
        function = reinterpret_cast<Function>(dlsym(library, symbol));
        if (function == nullptr) {
            refuse_library(name, fmt::format("has no {}", symbol));
        }
    };
    find("av_filter_iterate", loaded.iterate);
    find("avfilter_get_by_name", loaded.get_by_name);
    find("avfilter_graph_alloc", loaded.graph_alloc);
    find("avfilter_graph_free", loaded.graph_free);
    find("avfilter_graph_parse2", loaded.graph_parse);
    find("avfilter_graph_create_filter", loaded.graph_create_filter);
    find("avfilter_graph_config", loaded.graph_config);
    find("avfilter_inout_free", loaded.inout_free);
    find("avfilter_link", loaded.link);
    find("avfilter_insert_filter", loaded.insert_filter);
    find("avfilter_pad_get_type", loaded.pad_get_type);
    find("av_buffersrc_add_frame_flags", loaded.add_frame);
    find("av_buffersrc_close", loaded.close_source);
    find("av_buffersink_get_frame_flags", loaded.get_frame);
    find("av_buffersink_get_format", loaded.sink_format);
    find("av_buffersink_get_w", loaded.sink_width);
    find("av_buffersink_get_h", loaded.sink_height);
    find("av_buffersink_get_time_base", loaded.sink_time_base);
    find("av_buffersink_get_frame_rate", loaded.sink_frame_rate);
    find("av_buffersink_get_sample_aspect_ratio", loaded.sink_sample_aspect);
    find("av_buffersink_get_sample_rate", loaded.sink_sample_rate);
    find("av_buffersink_get_ch_layout", loaded.sink_channels);
    return loaded;
}

}  // namespace

const FilterLibrary& filter_library() {
    static const FilterLibrary library = load_filter_library();
    return library;
}

}  // namespace vfilter
