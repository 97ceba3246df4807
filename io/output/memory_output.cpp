#include "io/output/memory_output.h"

#include <cerrno>
#include <new>

namespace vfilter {

namespace {

// What fails for want of memory says nothing of the container.
bool is_taken(int result) {
    if (result == AVERROR(ENOMEM)) {
        throw std::bad_alloc();
    }
    return result >= 0;
}

}  // namespace

MemoryOutput::MemoryOutput(const AVOutputFormat& container) : context_(make_output(container)) {
    if (avio_open_dyn_buf(&context_->pb) < 0) {
        throw std::bad_alloc();
    }
}

MemoryOutput::~MemoryOutput() {
    take();
}

AVStream& MemoryOutput::add_copy(const AVStream& from) {
    AVStream& copy = add_stream(*context_);
    if (avcodec_parameters_copy(copy.codecpar, from.codecpar) < 0) {
        throw std::bad_alloc();
    }
    copy.codecpar->codec_tag = 0;
    copy.time_base = from.time_base;
    copy.disposition = from.disposition;
    copy.sample_aspect_ratio = from.sample_aspect_ratio;
    return copy;
}

bool MemoryOutput::begins() {
    return is_taken(avformat_init_output(context_.get(), nullptr));
}

bool MemoryOutput::writes_header(AVDictionary** settings) {
    return is_taken(avformat_write_header(context_.get(), settings));
}

std::vector<std::uint8_t> MemoryOutput::take() {
    return context_->pb != nullptr ? take_written(*context_) : std::vector<std::uint8_t>{};
}

}  // namespace vfilter
