#include "pipeline/session/outputs.h"

#include <memory>
#include <utility>

#include "io/output/sink.h"
#include "pipeline/session/pictures.h"

namespace vfilter {

namespace {

// Some encoders make nothing but statistics then, and of what they make nothing is kept.
bool is_first_pass(const RunParts& parts) {
    return parts.task.pass == 1;
}

}  // namespace

void open_output(const Options& options, const AVOutputFormat& container, OutputPeer::Waiting waiting,
                 RunParts& parts) {
    const Sink* const sink = sink_of(options.output.path);
    if (sink != nullptr) {
        if (!sink->camera()) {
            parts.peer = std::make_unique<OutputPeer>(options.output.path, options.input.reconnect, std::move(waiting));
        }
    } else if (!is_first_pass(parts) && !open_pictures(options, waiting.given_up, parts) &&
               (container.flags & AVFMT_NOFILE) == 0) {
        open_output_file(options, container, waiting.given_up, parts);
    }
}

void make_muxer(const Options& options, const AVOutputFormat& container, RunParts& parts) {
    OutputOptions output = options.output;
    const bool first_pass = is_first_pass(parts);
    if (first_pass) {
        output.kinds = kind::video;
        output.sound_graph.clear();
        output.muxer_options.clear();
    }
    PictureSink* pictures = parts.pictures.get();
    pictures = parts.camera ? parts.camera.get() : pictures;
    parts.muxer = std::make_unique<Muxer>(first_pass ? *av_guess_format("null", nullptr, nullptr) : container,
                                          *parts.demuxer, parts.file.get(), output, pictures, parts.peer.get());
}

std::set<int> unused_streams(const RunParts& parts) {
    std::set<int> unused;
    const Demuxer& input = *parts.demuxer;
    for (int stream = 0; parts.muxer && stream < static_cast<int>(input.format().nb_streams); ++stream) {
        if (!input.is_filtered(stream) && !parts.muxer->carries(stream)) {
            unused.insert(stream);
        }
    }
    return unused;
}

}  // namespace vfilter
