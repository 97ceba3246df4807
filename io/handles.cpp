#include "io/handles.h"

#include <fmt/format.h>

#include <new>
#include <string_view>
#include <utility>

namespace vfilter {

OutputContextPtr make_output(const AVOutputFormat& container) {
    AVFormatContext* made = nullptr;
    if (avformat_alloc_output_context2(&made, &container, nullptr, nullptr) < 0) {
        throw std::bad_alloc();
    }
    made->strict_std_compliance = FF_COMPLIANCE_UNOFFICIAL;
    return OutputContextPtr(made);
}

DescriptionPtr make_description() {
    DescriptionPtr made(avformat_alloc_context());
    if (!made) {
        throw std::bad_alloc();
    }
    return made;
}

AVStream& add_stream(AVFormatContext& format) {
    AVStream* const made = avformat_new_stream(&format, nullptr);
    if (made == nullptr) {
        throw std::bad_alloc();
    }
    return *made;
}

AVChapter& add_chapter(AVFormatContext& format) {
    auto* const chapter = static_cast<AVChapter*>(av_mallocz(sizeof(AVChapter)));
    if (chapter == nullptr ||
        av_dynarray_add_nofree(&format.chapters, reinterpret_cast<int*>(&format.nb_chapters), chapter) < 0) {
        av_free(chapter);
        throw std::bad_alloc();
    }
    return *chapter;
}

std::vector<std::uint8_t> take_written(AVFormatContext& output) {
    std::uint8_t* buffer = nullptr;
    const int size = avio_get_dyn_buf(output.pb, &buffer);
    std::vector<std::uint8_t> bytes(buffer, buffer + (size > 0 ? size : 0));
    // It pads what it gives, over what is there where the muxer has gone back (AVI): so it is copied before.
    avio_close_dyn_buf(std::exchange(output.pb, nullptr), &buffer);
    av_free(buffer);
    return bytes;
}

PacketPtr make_packet() {
    PacketPtr packet(av_packet_alloc());
    if (!packet) {
        throw std::bad_alloc();
    }
    return packet;
}

PacketPtr reference_to(const AVPacket& packet) {
    PacketPtr reference(av_packet_clone(&packet));
    if (!reference) {
        throw std::bad_alloc();
    }
    return reference;
}

FramePtr make_frame() {
    FramePtr frame(av_frame_alloc());
    if (!frame) {
        throw std::bad_alloc();
    }
    return frame;
}

std::string av_message(int error) {
    if (error == AVERROR_EXIT) {
        return "broken off, as the run was to end";  // which FFmpeg calls an exit that was requested
    }
    char text[AV_ERROR_MAX_STRING_SIZE] = {};
    av_strerror(error, text, sizeof(text));
    return text;
}

int av_check(int value, const char* call, ExitCode code, const char* file, int line) {
    if (value >= 0) {
        return value;
    }
    const std::string_view path = file;
    throw Error(code, fmt::format("{}: {} ({}) at {}:{}", call, av_message(value), value,
                                  path.substr(path.rfind('/') + 1), line));
}

std::string Dictionary::leftovers() const {
    std::string keys;
    const AVDictionaryEntry* entry = nullptr;
    while ((entry = av_dict_get(dictionary_, "", entry, AV_DICT_IGNORE_SUFFIX)) != nullptr) {
        keys += (keys.empty() ? "" : ", ") + std::string(entry->key);
    }
    return keys;
}

}  // namespace vfilter
