#include "io/graph/graph_ends.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <new>
#include <span>

#include "config/lavfi/facts.h"

namespace vfilter {

AVFilterContext* GraphEnds::add(const char* filter, const char* name, const std::string& arguments) {
    AVFilterContext* made = nullptr;
    check(library_.graph_create_filter(&made, library_.get_by_name(filter), name, arguments.c_str(), nullptr, &graph_));
    return made;
}

void GraphEnds::link(AVFilterContext* from, unsigned from_pad, AVFilterContext* to, unsigned to_pad) {
    check(library_.link(from, from_pad, to, to_pad));
}

// libvidstab keeps the address of a picture that it was given, and writes there once it may work in place: to the
// pictures of others. Who holds which picture for how long is a matter of threads.
void GraphEnds::add_copies() {
    for (AVFilterContext* const filter : all_of(lavfi::keeps_given)) {
        AVFilterContext* const copy = add("copy", fmt::format("copy for {}", filter->name).c_str(), "");
        check(library_.insert_filter(filter->inputs[0], copy, 0, 0));
    }
    // It writes the next picture over one that it has given, whoever holds that.
    for (AVFilterContext* const filter : all_of(lavfi::rewrites_made)) {
        AVFilterContext* const copy = add("copy", fmt::format("copy of {}", filter->name).c_str(), "");
        check(library_.insert_filter(filter->outputs[0], copy, 0, 0));
    }
}

// They undo what made fields of a film. fieldmatch says by itself what it could not match. What goes by it gets what it
// would get from the ffmpeg program.
void GraphEnds::add_scans() {
    if (!all_of(lavfi::reads_scan).empty()) {
        return;
    }
    for (AVFilterContext* const filter : all_of(lavfi::undoes_film)) {
        AVFilterContext* const scan = add("setfield", fmt::format("scan of {}", filter->name).c_str(), "prog");
        check(library_.insert_filter(filter->outputs[0], scan, 0, 0));
    }
}

std::vector<AVFilterContext*> GraphEnds::all_of(lavfi::Facts facts) const {
    std::vector<AVFilterContext*> found;
    std::ranges::copy_if(std::span(graph_.filters, graph_.nb_filters), std::back_inserter(found),
                         [&](const AVFilterContext* filter) { return lavfi::has(filter->filter->name, facts); });
    return found;
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

void GraphFlow::fail(int result, const ThreadComplaints& complaints) const {
    if (result == AVERROR(ENOMEM)) {
        throw std::bad_alloc();
    }
    throw Error(ExitCode::usage,
                fmt::format("{} {}: {}", option_of(kind_), text_, told_by(complaints, av_message(result))));
}

// Some say what they have measured when they go.
GraphFlow::~GraphFlow() {
    const FilterResults results(tells_results_);
    graph_.reset();
}

void GraphFlow::send(const FramePtr& frame, std::int64_t end) {
    if (ended_) {
        return;
    }
    const ThreadComplaints complaints;
    const FilterResults results(tells_results_);
    const FilterLibrary& library = filter_library();
    const int sent = frame ? library.add_frame(&source_, frame.get(), AV_BUFFERSRC_FLAG_PUSH)
                           : library.close_source(&source_, end, AV_BUFFERSRC_FLAG_PUSH);
    if (sent < 0 && sent != AVERROR_EOF) {
        fail(sent, complaints);
    }
}

FramePtr GraphFlow::receive() {
    if (ended_) {
        return nullptr;
    }
    const ThreadComplaints complaints;
    const FilterResults results(tells_results_);
    FramePtr frame = make_frame();
    const int got = filter_library().get_frame(&sink_, frame.get(), 0);
    ended_ = got == AVERROR_EOF;
    if (ended_ || got == AVERROR(EAGAIN)) {
        return nullptr;
    }
    if (got < 0) {
        fail(got, complaints);
    }
    return frame;
}

}  // namespace vfilter
