#include "io/codec/palette.h"

extern "C" {
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
}

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <new>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace vfilter {

namespace {

constexpr AVPixelFormat palette_format = AV_PIX_FMT_RGB32;
constexpr int palette_side = 16;
constexpr std::size_t palette_row = 4 * palette_side;

// Pictures that wait for their palette, in pixels: mapping so many takes a second or two, and a signal waits no longer.
constexpr std::int64_t max_pixels_waiting = 4'000'000;

void write_palette(const std::string& path, const AVFrame& palette) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    for (std::ptrdiff_t y = 0; y < palette_side; ++y) {
        file.write(reinterpret_cast<const char*>(palette.data[0] + y * palette.linesize[0]), palette_row);
    }
    if (!file.flush()) {
        throw Error(ExitCode::output, fmt::format("{}: cannot be written: is the disk full?", path));
    }
}

FramePtr read_palette(const std::string& path, AVRational sample_aspect) {
    FramePtr palette = make_frame();
    palette->format = palette_format;
    palette->width = palette_side;
    palette->height = palette_side;
    palette->sample_aspect_ratio = sample_aspect;
    av_check(av_frame_get_buffer(palette.get(), 0), "av_frame_get_buffer");
    std::ifstream file(path, std::ios::binary);
    for (std::ptrdiff_t y = 0; y < palette_side; ++y) {
        file.read(reinterpret_cast<char*>(palette->data[0] + y * palette->linesize[0]), palette_row);
    }
    if (!file) {
        throw Error(ExitCode::internal, fmt::format("{}: the palette of the first pass cannot be read", path));
    }
    return palette;
}

// The filters of that kind in a graph, in the order in which its text has them.
std::vector<AVFilterContext*> filters_called(const AVFilterGraph& graph, std::string_view kind) {
    std::vector<AVFilterContext*> found;
    for (unsigned i = 0; i < graph.nb_filters; ++i) {
        if (graph.filters[i]->filter->name == kind) {
            found.push_back(graph.filters[i]);
        }
    }
    return found;
}

}  // namespace

// Pictures to those with one palette.
class Palettes::Mapper {
public:
    Mapper(const GraphPictures& pictures, FramePtr palette) : library_(filter_library()) {
        graph_.reset(library_.graph_alloc());
        if (!graph_) {
            throw std::bad_alloc();
        }
        // As the ffmpeg program converts, so that the samples are the same.
        av_opt_set(graph_.get(), "scale_sws_opts", "flags=bicubic", 0);
        av_opt_set_int(graph_.get(), "threads", 1, 0);
        GraphPictures colours = pictures;
        colours.format = palette_format;
        colours.width = palette_side;
        colours.height = palette_side;
        colours.matrix = AVCOL_SPC_UNSPECIFIED;
        colours.range = AVCOL_RANGE_UNSPECIFIED;
        const std::string text = fmt::format("buffer={}[in];buffer={}[palette];[in][palette]paletteuse,buffersink",
                                             source_arguments(pictures), source_arguments(colours));
        AVFilterInOut* input = nullptr;
        AVFilterInOut* output = nullptr;
        const int parsed = library_.graph_parse(graph_.get(), text.c_str(), &input, &output);
        const OpenPadsPtr open_input(input);
        const OpenPadsPtr open_output(output);
        av_check(parsed, "avfilter_graph_parse2");
        av_check(library_.graph_config(graph_.get(), nullptr), "avfilter_graph_config");
        const std::vector<AVFilterContext*> sources = filters_called(*graph_, "buffer");
        source_ = sources.at(0);
        AVFilterContext* const of_palette = sources.at(1);
        sink_ = filters_called(*graph_, "buffersink").at(0);
        palette->pts = 0;
        av_check(library_.add_frame(of_palette, palette.get(), 0), "av_buffersrc_add_frame");
        av_check(library_.close_source(of_palette, 1, 0), "av_buffersrc_close");
    }

    FramePtr map(FramePtr picture, AVRational time_base) {
        const std::int64_t pts = picture->pts;
        av_check(library_.add_frame(source_, picture.get(), 0), "av_buffersrc_add_frame");
        FramePtr mapped = make_frame();
        av_check(library_.get_frame(sink_, mapped.get(), 0), "av_buffersink_get_frame");
        if (av_rescale_q(mapped->pts, library_.sink_time_base(sink_), time_base) != pts) {
            throw std::logic_error("paletteuse gave another picture");
        }
        mapped->pts = pts;
        return mapped;
    }

private:
    const FilterLibrary& library_;
    FilterGraphPtr graph_;
    AVFilterContext* source_ = nullptr;  // the graph's
    AVFilterContext* sink_ = nullptr;    // the graph's
};

Palettes::Palettes(const GraphPictures& pictures, Scope scope, std::string file)
    : pictures_(pictures), scope_(scope), file_(std::move(file)) {
    if (scope_ == Scope::clip) {
        mapper_ = std::make_unique<Mapper>(pictures_, read_palette(file_, pictures_.sample_aspect));
    }
}

Palettes::~Palettes() = default;

bool Palettes::is_full(const AVFrame& next) const {
    const std::int64_t waiting = static_cast<std::int64_t>(pictures_.width) * pictures_.height * std::ssize(group_);
    return waiting >= max_pixels_waiting ||
           av_compare_ts(next.pts - group_.front()->pts, pictures_.time_base, 1, AVRational{1, 1}) >= 0;
}

void Palettes::send(FramePtr picture) {
    end_ = picture == nullptr;
    if (scope_ == Scope::clip) {
        if (picture) {
            ready_.push_back(std::move(picture));
        }
        return;
    }
    if (scope_ == Scope::second && !group_.empty() && (end_ || is_full(*picture))) {
        close_group();
    }
    if (picture) {
        if (!maker_) {
            maker_ = std::make_unique<FilterGraph>("palettegen", GraphPlace{.pictures = pictures_, .threads = 1});
        }
        FramePtr seen(av_frame_clone(picture.get()));
        if (!seen) {
            throw std::bad_alloc();
        }
        maker_->send(std::move(seen));
        maker_->receive();
        if (scope_ == Scope::made_for_clip) {
            ready_.push_back(blank(*picture));
        } else {
            group_.push_back(std::move(picture));
        }
    } else if (scope_ == Scope::made_for_clip && maker_) {
        close_group();
    }
}

void Palettes::close_group() {
    maker_->send(nullptr);
    FramePtr palette = maker_->receive();
    if (!palette) {
        throw Error(ExitCode::internal, "palettegen has made no palette");
    }
    maker_.reset();
    if (scope_ == Scope::made_for_clip) {
        write_palette(file_, *palette);
    } else {
        palette->sample_aspect_ratio = pictures_.sample_aspect;
        mapper_ = std::make_unique<Mapper>(pictures_, std::move(palette));
        ready_ = std::exchange(group_, {});
    }
}

// All share their samples, so that the encoder has nothing to do for the second one and on.
FramePtr Palettes::blank(const AVFrame& like) {
    if (!blank_) {
        blank_ = make_frame();
        blank_->format = AV_PIX_FMT_PAL8;
        blank_->width = pictures_.width;
        blank_->height = pictures_.height;
        av_check(av_frame_get_buffer(blank_.get(), 0), "av_frame_get_buffer");
        std::memset(blank_->buf[0]->data, 0, blank_->buf[0]->size);
    }
    FramePtr picture(av_frame_clone(blank_.get()));
    if (!picture) {
        throw std::bad_alloc();
    }
    av_check(av_frame_copy_props(picture.get(), &like), "av_frame_copy_props");
    return picture;
}

FramePtr Palettes::receive() {
    if (ready_.empty()) {
        return nullptr;
    }
    FramePtr picture = std::move(ready_.front());
    ready_.pop_front();
    return scope_ == Scope::made_for_clip ? std::move(picture) : mapper_->map(std::move(picture), pictures_.time_base);
}

}  // namespace vfilter
