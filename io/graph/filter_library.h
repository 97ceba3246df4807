#pragma once
// FFmpeg's filter library, loaded when needed.

#include <cstdint>
#include <memory>

extern "C" {
#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
}

#include "io/handles.h"

namespace vfilter {

/// The functions of it that are called.
struct FilterLibrary {
    decltype(&::av_filter_iterate) iterate;
    decltype(&::avfilter_get_by_name) get_by_name;
    decltype(&::avfilter_graph_alloc) graph_alloc;
    decltype(&::avfilter_graph_free) graph_free;
    decltype(&::avfilter_graph_parse2) graph_parse;
    decltype(&::avfilter_graph_create_filter) graph_create_filter;
    decltype(&::avfilter_graph_config) graph_config;
    decltype(&::avfilter_inout_free) inout_free;
    decltype(&::avfilter_link) link;
    decltype(&::avfilter_insert_filter) insert_filter;
    decltype(&::avfilter_pad_get_type) pad_get_type;
    decltype(&::av_buffersrc_add_frame_flags) add_frame;
    decltype(&::av_buffersrc_close) close_source;
    decltype(&::av_buffersink_get_frame_flags) get_frame;
    decltype(&::av_buffersink_get_format) sink_format;
    decltype(&::av_buffersink_get_w) sink_width;
    decltype(&::av_buffersink_get_h) sink_height;
    decltype(&::av_buffersink_get_time_base) sink_time_base;
    decltype(&::av_buffersink_get_frame_rate) sink_frame_rate;
    decltype(&::av_buffersink_get_sample_aspect_ratio) sink_sample_aspect;
    decltype(&::av_buffersink_get_sample_rate) sink_sample_rate;
    decltype(&::av_buffersink_get_ch_layout) sink_channels;
};

/// The library is loaded by the first call and not linked: it brings in more than a hundred others, which would slow
/// down every start. Any thread. Throws Error(usage) if it is not installed.
const FilterLibrary& filter_library();

struct FreeGraph {
    void operator()(AVFilterGraph* graph) const { filter_library().graph_free(&graph); }
};
using FilterGraphPtr = std::unique_ptr<AVFilterGraph, FreeGraph>;

struct FreePads {
    void operator()(AVFilterInOut* pads) const { filter_library().inout_free(&pads); }
};
/// Ends of a graph that are not connected yet.
using OpenPadsPtr = std::unique_ptr<AVFilterInOut, FreePads>;

}  // namespace vfilter
