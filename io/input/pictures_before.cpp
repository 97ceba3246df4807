#include "io/input/pictures_before.h"

#include <sys/stat.h>

#include <algorithm>

#include "config/error.h"
#include "io/input/demuxer.h"
#include "io/packet_times.h"
#include "io/picture_names.h"
#include "io/source.h"

namespace vfilter {

namespace {

// A regular file, or pictures.
bool comes_again(const std::string& path) {
    struct stat status {};
    return is_file_input(path) &&
           ((stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode)) || find_pictures(path));
}

// A parser puts the fields of MPEG-2 together; of others each may be a packet.
bool may_have_fields(const AVCodecParameters& codec) {
    return codec.codec_id != AV_CODEC_ID_MPEG2VIDEO && codec.field_order != AV_FIELD_PROGRESSIVE &&
           codec.field_order != AV_FIELD_UNKNOWN;
}

}  // namespace

std::map<int, std::int64_t> count_pictures_before(const InputRequest& input, std::int64_t start,
                                                  const std::function<bool()>& interrupted) {
    if (!comes_again(input.path)) {
        return {};
    }
    InputRequest whole = input;
    whole.start.reset();
    whole.end.reset();
    whole.duration.reset();
    whole.frames.reset();
    whole.added.clear();
    whole.strict = false;
    whole.reconnect = 0;
    whole.streamed = false;
    whole.sha256 = false;
    std::map<int, std::int64_t> counted;
    try {
        Demuxer demuxer(whole, interrupted);
        std::map<int, bool> open;
        for (const int video : demuxer.videos()) {
            const AVCodecParameters& codec = *demuxer.format().streams[video]->codecpar;
            if (!may_have_fields(codec)) {
                counted[video] = 0;
                open[video] = true;
            }
        }
        const auto is_open = [](const auto& video) { return video.second; };
        while (std::ranges::any_of(open, is_open)) {
            const PacketPtr packet = demuxer.read();
            if (!packet) {
                break;
            }
            const auto video = open.find(packet->stream_index);
            if (video == open.end()) {
                continue;
            }
            const AVRational base = demuxer.format().streams[packet->stream_index]->time_base;
            if (packet->pts == AV_NOPTS_VALUE) {
                return {};
            }
            counted[video->first] += microseconds(packet->pts, base) < start ? 1 : 0;
            video->second =
                microseconds(decoding_time(*packet), base) < start;  // nothing is shown before it is decoded
        }
    } catch (const Error&) {
        return {};
    }
    return interrupted() ? std::map<int, std::int64_t>{} : counted;
}

}  // namespace vfilter
