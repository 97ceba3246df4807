#include "io/graph/graph_ends.h"

#include <fmt/format.h>

#include <new>

namespace vfilter {

AVFilterContext* GraphEnds::add(const char* filter, const char* name, const std::string& arguments) {
    AVFilterContext* made = nullptr;
    check(library_.graph_create_filter(&made, library_.get_by_name(filter), name, arguments.c_str(), nullptr, &graph_));
    return made;
}

void GraphEnds::link(AVFilterContext* from, unsigned from_pad, AVFilterContext* to, unsigned to_pad) {
    check(library_.link(from, from_pad, to, to_pad));
}

void GraphEnds::configure() {
    check(library_.graph_config(&graph_, nullptr));
}

void GraphEnds::check(int result) const {
    if (result == AVERROR(ENOMEM)) {
        throw std::bad_alloc();
    }
    if (result < 0) {
        throw Error(ExitCode::usage,
                    fmt::format("{} {}: {}", option_of(kind_), text_, told_by(complaints_, av_message(result))));
    }
}

void fail_graph(GraphKind kind, const std::string& text, int result, const ThreadComplaints& complaints) {
    if (result == AVERROR(ENOMEM)) {
        throw std::bad_alloc();
    }
    throw Error(ExitCode::internal,
                fmt::format("{} {}: {}", option_of(kind), text, told_by(complaints, av_message(result))));
}

}  // namespace vfilter
