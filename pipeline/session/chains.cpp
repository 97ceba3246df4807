#include "pipeline/session/chains.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "config/error.h"
#include "config/lavfi/graph_reader.h"
#include "io/codec/encoder_choice.h"
#include "io/codec/picture_changes.h"
#include "io/compat.h"
#include "io/formats/format_facts.h"
#include "io/graph/field_trial.h"
#include "io/output/sink.h"
#include "io/packet_times.h"
#include "io/stills.h"
#include "pipeline/engine/passing_engine.h"
#include "pipeline/session/coloured_grey.h"
#include "pipeline/session/colours.h"
#include "pipeline/session/graph_formats.h"
#include "pipeline/session/graph_notes.h"
#include "pipeline/session/idle_filters.h"
#include "pipeline/session/orientation.h"

namespace vfilter {

namespace {

// Floating-point samples have the full range, for which libswscale does not take gray without a tag.
AVColorRange unsaid_range(AVPixelFormat format) {
    return is_gray(format) && has_floats(format) ? AVCOL_RANGE_JPEG : AVCOL_RANGE_UNSPECIFIED;
}

bool tells_fields(const AVCodecParameters& codec) {
    return codec.field_order > AV_FIELD_PROGRESSIVE;
}

bool is_rate(AVRational rate) {
    return rate.num > 0 && rate.den > 0;
}

// Where time begins for graphs, as for those of the ffmpeg program: with the wanted part, or with the input. Not with
// priming: fps rounds the first picture to there, where containers have none.
std::int64_t begin_of(const Demuxer& input) {
    if (input.part().shift != 0) {
        return input.part().shift;
    }
    const std::int64_t first = input.format().start_time;
    if (is_priming(first)) {
        return std::min<std::int64_t>(input.part().first_picture, 0);
    }
    return first == AV_NOPTS_VALUE ? 0 : first;
}

// A chain while it is made: what its pictures are so far.
class ChainMaker {
public:
    ChainMaker(ChainParts parts, VideoRun& video)
        : parts_(std::move(parts)),
          video_(video),
          input_(*parts_.run.demuxer),
          stream_(*input_.format().streams[video.stream]),
          segments_(segments_of(parts_.options.filters, parts_.options.foreign)) {}

    void make();

private:
    void make_first();
    void make_next(std::size_t number);
    void check_graph(const FilterGraph& graph, const GraphPlace& place, bool first);
    void look_at_made(SegmentRun& segment, const GraphPlace& place, const AVFrame& before);
    void look_at_range(const std::string& graph, bool as_given, const std::vector<AVPixelFormat>& wanted);
    [[nodiscard]] bool writes_video() const;
    void make_engine(SegmentRun& segment, const std::vector<FilterSpec>& filters);
    void finish();

    ChainParts parts_;
    VideoRun& video_;
    const Demuxer& input_;
    const AVStream& stream_;
    std::vector<ChainSegment> segments_;

    GraphPictures pictures_;
    AVPixelFormat given_ = AV_PIX_FMT_NONE;
    bool even_ = false;
    bool turned_ = false;
    bool hdr_ = false;
    bool interlaced_ = false;  // before any graph
    bool mixed_ = false;
    bool lost_fields_ = false;
    bool new_matrix_ = false;
    AVColorSpace guess_ = AVCOL_SPC_UNSPECIFIED;         // of RGB, see matrix_of_guess
    AVPixelFormat unbound_ = AV_PIX_FMT_NONE;            // GraphedFormats'
    AVColorSpace named_matrix_ = AVCOL_SPC_UNSPECIFIED;  // the same
};

void ChainMaker::make() {
    make_first();
    for (std::size_t i = 1; i < segments_.size(); ++i) {
        make_next(i);
    }
    if (segments_.size() > 1) {
        finish();
    }
}

void ChainMaker::make_first() {
    AVFrame& first = *video_.first;
    const auto given = static_cast<AVPixelFormat>(first.format);
    const bool only = segments_.size() == 1;
    const bool filters = only || !segments_.front().filters.empty();
    given_ = given;
    hdr_ = is_hdr_curve(first.color_trc);
    interlaced_ = is_interlaced(first);
    if (first.colorspace == AVCOL_SPC_RGB && !may_be_identity(given) && !may_be_identity(nearest_native(given))) {
        first.colorspace = AVCOL_SPC_UNSPECIFIED;  // FFmpeg 7 says so of gray PNG
    }
    video_.kept = kept_format(given);
    if (filters) {
        first.format = native_format(given);
        video_.normaliser = std::make_unique<Converter>(Converter::to_native(first.width, first.height, given));
    } else {
        const AVPixelFormat taken = format_for_graph(segments_[1].graph, given);
        first.format = taken;
        video_.normaliser =
            std::make_unique<Converter>(Converter::from_native(first.width, first.height, taken, taken));
    }
    if (first.color_range == AVCOL_RANGE_UNSPECIFIED) {
        first.color_range = unsaid_range(static_cast<AVPixelFormat>(first.format));
    }
    SegmentRun& segment = video_.segments.emplace_back();
    segment.filters = filters;
    segment.pictures = first_format(first, input_, video_.stream);
    if (parts_.first_engine) {
        segment.engine = std::move(parts_.first_engine);
    }
    make_engine(segment, segments_.front().filters);
    const AVRational aspect =
        stream_.sample_aspect_ratio.num > 0 ? stream_.sample_aspect_ratio : first.sample_aspect_ratio;
    pictures_ = {.format = static_cast<AVPixelFormat>(first.format),
                 .width = first.width,
                 .height = first.height,
                 .time_base = stream_.time_base,
                 .frame_rate = input_.frame_rate(video_.stream),
                 .sample_aspect = aspect,
                 .matrix = first.colorspace,
                 .range = first.color_range};
    even_ = is_rate(stream_.avg_frame_rate) && av_cmp_q(stream_.avg_frame_rate, stream_.r_frame_rate) == 0;
}

void ChainMaker::make_engine(SegmentRun& segment, const std::vector<FilterSpec>& filters) {
    if (!segment.filters) {
        segment.engine = std::make_unique<PassingEngine>();
        return;
    }
    tell_coloured_grey(filters, segment.pictures);
    tell_idle_arguments(filters, segment.pictures);
    if (!segment.engine) {
        segment.engine =
            parts_.run.device->make_engine(filters, segment.pictures, *parts_.run.pool, parts_.run.trace.get());
    }
    if (parts_.options.verify) {
        segment.verifier = std::make_unique<Verifier>(filters, segment.pictures);
    }
}

// What is wrong with it, and what is told of it, before it sees a picture.
void ChainMaker::check_graph(const FilterGraph& graph, const GraphPlace& place, bool first) {
    // Whoever reads a pipe ends it, and whoever is at a camera.
    if (graph.is_endless() && parts_.options.records() && parts_.options.output.path != "-" &&
        sink_of(parts_.options.output.path) == nullptr && !input_.live()) {
        throw Error(ExitCode::usage,
                    fmt::format("--vf {}: makes pictures without end: behind it trim=duration=SECONDS or "
                                "trim=end_frame=NUMBER ends them (--duration and --frames are of the input)",
                                graph.text()));
    }
    if (const WantedPart& part = input_.part(); parts_.options.input.start && parts_.run.task.pass != 2) {
        tell_late_words(parts_.options.foreign, graph.text(), seconds_of(part.shift - part.input_begin));
    }
    if (!mixed_ && !input_.live() && (is_interlaced(*video_.first) || (first && tells_fields(*stream_.codecpar))) &&
        mixes_fields(graph.text(), place, *video_.first)) {
        mixed_ = true;
        spdlog::warn(
            "--vf {}: mixes or swaps the two fields of interlaced pictures although its result is still "
            "marked as interlaced; --vf bwdif before it deinterlaces them{}",
            graph.text(),
            lavfi::names_filter(graph.text(), "scale") ? ", and scale=...:interl=1 scales each field by itself" : "");
    }
}

// What is not said of the pictures, and what they have lost, by the graph that they come from.
void ChainMaker::look_at_made(SegmentRun& segment, const GraphPlace& place, const AVFrame& before) {
    const FilterGraph& graph = *segment.graph;
    AVFrame& first = *video_.first;
    tell_lost_part(graph.text(), picture_data_of(before) & ~picture_data_of(first));
    if (keeps_no_fields(graph.text(), before, first)) {
        lost_fields_ = true;
        tell_lost_fields(graph.text(), before);
    }
    segment.place.matrix = unsaid_matrix(graph, place.pictures, first, guess_);
    if (segment.place.matrix != AVCOL_SPC_UNSPECIFIED) {
        first.colorspace = segment.place.matrix;
        new_matrix_ = new_matrix_ || !is_yuv(place.pictures.format) || said(before.colorspace) == AVCOL_SPC_UNSPECIFIED;
        if (writes_video()) {
            tell_matrix(graph.text(), place.pictures, first);
        }
    }
    guess_ = matrix_of_guess(graph, place.pictures, graph.made().format, guess_);
    // The whole graph gives what its end takes, so that another one tells what it would give.
    if (!segment.filters && !place.taken.empty() && graph.converts_with_loss()) {
        GraphPlace unbound = place;
        unbound.taken.clear();
        unbound_ = richer_format(parts_.options.foreign, given_, FilterGraph(graph.text(), unbound).made().format);
    }
}

// RGB that is to be YUV has no range that could be kept.
void ChainMaker::look_at_range(const std::string& graph, bool as_given, const std::vector<AVPixelFormat>& wanted) {
    AVFrame& first = *video_.first;
    const auto format = static_cast<AVPixelFormat>(first.format);
    const AVPixelFormat encoded = as_given && is_rgb(format) ? nearest_of(wanted, format) : format;
    if (encoded != format && is_yuv(encoded)) {
        first.color_range = AVCOL_RANGE_UNSPECIFIED;
        tell_lost_range(graph, encoded, AVCOL_RANGE_MPEG);
    } else {
        tell_lost_range(graph, format, first.color_range);
    }
}

// Whose file may say what its pictures are. Those of JPEG and WebP have one matrix.
bool ChainMaker::writes_video() const {
    if (parts_.container == nullptr || (parts_.container->flags & AVFMT_NOFILE) != 0 ||
        stills_of(parts_.options.output)) {
        return false;
    }
    const AVCodecID codec = choose_codec(parts_.options.output, *parts_.container).id;
    return codec != AV_CODEC_ID_MJPEG && codec != AV_CODEC_ID_WEBP;
}

void ChainMaker::make_next(std::size_t number) {
    const ChainSegment& asked = segments_[number];
    const bool last = number + 1 == segments_.size();
    GraphPlace place{.pictures = pictures_, .threads = parts_.options.threads};
    if (number == 1) {
        place.turn = display_turn(*video_.first, stream_);
        turned_ = place.turn != DisplayTurn{};
    }
    const std::vector<AVPixelFormat> wanted = wanted_formats(parts_.options, parts_.run.task, parts_.container);
    const bool as_given =
        last && asked.filters.empty() && parts_.container != nullptr && leaves_samples(asked.graph, pictures_.format);
    place.taken = !asked.filters.empty() ? native_formats() : last && !as_given ? wanted : std::vector<AVPixelFormat>{};
    if (as_given && is_rgb(pictures_.format)) {
        named_matrix_ = named_matrix(asked.graph);
    }
    SegmentRun& segment = video_.segments.emplace_back();
    segment.graph = std::make_unique<FilterGraph>(asked.graph, place);
    segment.graph->tell_results();
    segment.filters = !asked.filters.empty();
    check_graph(*segment.graph, place, number == 1);
    const std::int64_t pts = video_.first->pts;
    const AVRational clock = pictures_.time_base;
    const FramePtr before = std::exchange(video_.first, try_graph(asked.graph, place, *video_.first));
    const bool retimed = is_retimed(asked.graph);
    segment.place = {.time_base = pictures_.time_base,
                     .begin = begin_of(input_),
                     .told_from = input_.told_from(),
                     .frame_rate = pictures_.frame_rate,
                     .sample_aspect = pictures_.sample_aspect,
                     .retimed = retimed,
                     .turned = number == 1 && turned_,
                     .upright = segment.filters,
                     .pool = parts_.run.pool.get(),
                     .range = unsaid_range(pictures_.format)};
    look_at_made(segment, place, *before);
    if (last && !segment.filters) {
        look_at_range(asked.graph, as_given, wanted);
    }
    const AVFrame& first = *video_.first;
    pictures_ = segment.graph->made();
    pictures_.time_base = time_base_after(segment.place, pictures_.time_base);
    // Where the graph leaves it; one that moves it is found by what comes out.
    video_.first->pts = pts == AV_NOPTS_VALUE ? pts : av_rescale_q(pts, clock, pictures_.time_base);
    pictures_.matrix = first.colorspace;
    pictures_.range = first.color_range;
    const bool rated = is_rate(pictures_.frame_rate);
    even_ =
        rated && !retimed && (even_ || av_cmp_q(segment.graph->made().time_base, av_inv_q(pictures_.frame_rate)) == 0);
    pictures_.frame_rate = rated ? pictures_.frame_rate : segment.place.frame_rate;
    segment.pictures = {.format = pictures_.format,
                        .width = pictures_.width,
                        .height = pictures_.height,
                        .full_range = is_full_range(pictures_.format, first.color_range),
                        .matrix = colour_matrix(first.colorspace, pictures_.width, pictures_.height),
                        .orientation = {},
                        .clock = clock_of(input_, stream_),
                        .unknown_matrix = unknown_matrix(first.colorspace)};
    segment.pictures.clock.time_base = pictures_.time_base;
    if (!segment.pictures.clock.cut) {
        segment.pictures.clock.rate = av_q2d(pictures_.frame_rate);
    }
    make_engine(segment, asked.filters);
}

void ChainMaker::finish() {
    AVFrame& first = *video_.first;
    const bool tone_mapped = hdr_ && !is_hdr_curve(first.color_trc);
    if (tone_mapped) {
        drop_hdr_data(first);
    }
    video_.kept = pictures_.format;
    // Who asks for that format gets it.
    const bool asked = names_format(parts_.options.foreign, pictures_.format);
    video_.graphed = {.before = asked ? AV_PIX_FMT_NONE : given_,
                      .unbound = asked ? AV_PIX_FMT_NONE : unbound_,
                      .new_matrix = new_matrix_,
                      .named_matrix = named_matrix_,
                      .guessed_rgb = guess_ != AVCOL_SPC_UNSPECIFIED};
    video_.made = describe_made_stream(
        stream_, {.made = pictures_,
                  .even = even_,
                  .turned = turned_,
                  .tone_mapped = tone_mapped,
                  .progressive = !is_interlaced(first) && !lost_fields_ &&
                                 (interlaced_ || stream_.codecpar->field_order == AV_FIELD_PROGRESSIVE)});
    video_.made_rate = pictures_.frame_rate;
}

}  // namespace

PictureClock clock_of(const Demuxer& input, const AVStream& stream) {
    return {.time_base = stream.time_base,
            .first = seconds_of(input.part().input_begin),
            .first_picture = seconds_of(input.part().first_picture),
            .rate = input.average_rate(stream.index),
            .before = input.pictures_before(stream.index).value_or(0),
            .cut = input.part().start && !input.pictures_before(stream.index)};
}

PictureFormat first_format(const AVFrame& first, const Demuxer& input, int stream) {
    const AVStream& from = *input.format().streams[stream];
    return {.format = nearest_native(static_cast<AVPixelFormat>(first.format)),
            .width = first.width,
            .height = first.height,
            .full_range = is_full_range(static_cast<AVPixelFormat>(first.format), first.color_range),
            .matrix = colour_matrix(first.colorspace, first.width, first.height),
            .orientation = orientation_of(first, from),
            .clock = clock_of(input, from),
            .unknown_matrix = unknown_matrix(first.colorspace)};
}

void make_chain(ChainParts parts, VideoRun& video) {
    ChainMaker(std::move(parts), video).make();
}

void change_chain(const Options& options, const std::vector<FilterSpec>& before, const std::vector<FilterSpec>& after,
                  const RunParts& parts) {
    const VideoRun& video = parts.videos.front();
    const std::vector<ChainSegment> was = segments_of(before, options.foreign);
    const std::vector<ChainSegment> is = segments_of(after, options.foreign);
    const auto same = [](const FilterSpec& a, const FilterSpec& b) { return to_string(a) == to_string(b); };
    for (std::size_t i = 0; i < is.size(); ++i) {
        if (!std::ranges::equal(was[i].filters, is[i].filters, same)) {
            parts.pipeline->replace_engine(i, parts.device->make_engine(is[i].filters, video.segments[i].pictures,
                                                                        *parts.pool, parts.trace.get()));
        }
    }
}

const FilterEngine& engine_of(const VideoRun& video) {
    const auto found = std::ranges::find_if(video.segments, &SegmentRun::filters);
    return *(found != video.segments.end() ? *found : video.segments.back()).engine;
}

}  // namespace vfilter
