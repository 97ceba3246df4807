#pragma once
// Classes that own FFmpeg's objects, and conversion of its return codes to errors.

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavcodec/bsf.h>
#include <libavformat/avformat.h>
#include <libswscale/swscale.h>
}

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/error.h"

namespace vfilter {

struct AvDelete {
    void operator()(AVPacket* packet) const { av_packet_free(&packet); }
    void operator()(AVFrame* frame) const { av_frame_free(&frame); }
    void operator()(AVCodecContext* context) const { avcodec_free_context(&context); }
    void operator()(SwsContext* context) const { sws_freeContext(context); }
    void operator()(AVBSFContext* filter) const { av_bsf_free(&filter); }
    void operator()(AVBufferRef* buffer) const { av_buffer_unref(&buffer); }
    void operator()(AVBufferPool* pool) const { av_buffer_pool_uninit(&pool); }
};

using PacketPtr = std::unique_ptr<AVPacket, AvDelete>;
using FramePtr = std::unique_ptr<AVFrame, AvDelete>;
using CodecContextPtr = std::unique_ptr<AVCodecContext, AvDelete>;
using SwsPtr = std::unique_ptr<SwsContext, AvDelete>;
using BitstreamFilterPtr = std::unique_ptr<AVBSFContext, AvDelete>;
using BufferPtr = std::unique_ptr<AVBufferRef, AvDelete>;
using BufferPoolPtr = std::unique_ptr<AVBufferPool, AvDelete>;

/// An input that was opened.
struct CloseInput {
    void operator()(AVFormatContext* context) const { avformat_close_input(&context); }
};
using InputContextPtr = std::unique_ptr<AVFormatContext, CloseInput>;
/// For a context that reads nothing itself: an output whose bytes belong to somebody else, or a description of an
/// input.
struct FreeContext {
    void operator()(AVFormatContext* context) const { avformat_free_context(context); }
};
using OutputContextPtr = std::unique_ptr<AVFormatContext, FreeContext>;
using DescriptionPtr = std::unique_ptr<AVFormatContext, FreeContext>;

/// An output that allows what every reader supports, even if no standard includes it. Throws std::bad_alloc.
OutputContextPtr make_output(const AVOutputFormat& container);
/// An object that describes an input or a stream. Throws std::bad_alloc.
DescriptionPtr make_description();
/// A new stream after the existing ones. Throws std::bad_alloc.
AVStream& add_stream(AVFormatContext& format);
/// A new chapter without contents. Throws std::bad_alloc.
AVChapter& add_chapter(AVFormatContext& format);
/// Takes from an output what was written to memory (avio_open_dyn_buf).
std::vector<std::uint8_t> take_written(AVFormatContext& output);

/// Throws std::bad_alloc instead of returning null.
PacketPtr make_packet();
/// A packet that refers to the same data. Throws std::bad_alloc.
PacketPtr reference_to(const AVPacket& packet);
FramePtr make_frame();

/// "No space left on device"
std::string av_message(int error);

/// Returns `value` if it is not negative, else throws Error(code): call, meaning, value, file:line.
int av_check(int value, const char* call, ExitCode code = ExitCode::internal, const char* file = __builtin_FILE(),
             int line = __builtin_LINE());

/// A dictionary that frees itself.
class Dictionary {
public:
    Dictionary() = default;
    ~Dictionary() { av_dict_free(&dictionary_); }
    Dictionary(const Dictionary&) = delete;
    Dictionary& operator=(const Dictionary&) = delete;
    Dictionary(Dictionary&& other) noexcept : dictionary_(std::exchange(other.dictionary_, nullptr)) {}
    Dictionary& operator=(Dictionary&& other) noexcept {
        std::swap(dictionary_, other.dictionary_);
        return *this;
    }
    void set(const std::string& key, const std::string& value) {
        av_dict_set(&dictionary_, key.c_str(), value.c_str(), 0);
    }
    [[nodiscard]] AVDictionary** get() { return &dictionary_; }
    [[nodiscard]] const AVDictionary* entries() const { return dictionary_; }
    /// Keys that FFmpeg did not accept, "" if it accepted all.
    [[nodiscard]] std::string leftovers() const;

private:
    AVDictionary* dictionary_ = nullptr;
};

}  // namespace vfilter
