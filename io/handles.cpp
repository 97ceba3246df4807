#include "io/handles.h"

#include <fmt/format.h>

#include <new>
#include <string_view>

namespace vfilter {

PacketPtr make_packet() {
    PacketPtr packet(av_packet_alloc());
    if (!packet) {
        throw std::bad_alloc();
    }
    return packet;
}

FramePtr make_frame() {
    FramePtr frame(av_frame_alloc());
    if (!frame) {
        throw std::bad_alloc();
    }
    return frame;
}

std::string av_message(int error) {
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
