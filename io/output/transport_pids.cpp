#include "io/output/transport_pids.h"

extern "C" {
#include <libavutil/opt.h>
}

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>

#include "io/containers.h"
#include "io/demuxers.h"

namespace vfilter {

namespace {

constexpr const char* start_key = "mpegts_start_pid";

// Those that DVB and ATSC leave to streams: the others are of tables (ETSI EN 300 468, 5.1.3; ATSC A/65, 4.2).
class FreePids {
public:
    // False where it is not to be had.
    bool take(int pid) { return pid >= first && pid <= last && taken_.insert(pid).second; }
    // From `begin` on, and then those before it; 0 if there is none.
    int take_next(int begin) {
        constexpr int count = last - first + 1;
        for (int i = 0; i < count; ++i) {
            if (const int pid = first + (std::max(begin - first, 0) + i) % count; take(pid)) {
                return pid;
            }
        }
        return 0;
    }

private:
    static constexpr int first = 0x20;
    static constexpr int last = 0x1ffa;
    std::set<int> taken_;
};

// One of the muxer's settings as it will be. What it does not take is told when it begins.
int setting_of(const AVFormatContext& output, const OptionPairs& options, const char* key, int usual) {
    if (const std::string* const given = find_option(options, key)) {
        av_opt_set(output.priv_data, key, given->c_str(), 0);
    }
    std::int64_t value = usual;
    return av_opt_get_int(output.priv_data, key, 0, &value) < 0 ? usual : static_cast<int>(value);
}

// Blu-ray has numbers for each of these, which the muxer gives where a stream has none.
bool has_number_on_disc(const AVCodecParameters& codec) {
    return codec.codec_type == AVMEDIA_TYPE_VIDEO || codec.codec_type == AVMEDIA_TYPE_AUDIO ||
           codec.codec_id == AV_CODEC_ID_HDMV_PGS_SUBTITLE || codec.codec_id == AV_CODEC_ID_HDMV_TEXT_SUBTITLE;
}

}  // namespace

void number_streams(const AVFormatContext& input, const std::vector<int>& places, const OptionPairs& options,
                    AVFormatContext& output) {
    if (!is_transport_stream(*output.oformat)) {
        return;
    }
    constexpr int usual_start = 0x100;
    constexpr int usual_tables = 0x1000;
    constexpr int table_on_disc = 0x100;
    const int start = setting_of(output, options, start_key, usual_start);
    const int tables = setting_of(output, options, "mpegts_pmt_start_pid", usual_tables);
    const bool disc = setting_of(output, options, "mpegts_m2ts_mode", 0) == 1;
    FreePids free;
    for (int program = 0; program < std::max(static_cast<int>(output.nb_programs), 1); ++program) {
        free.take(disc ? table_on_disc : tables + program);
    }
    // Numbers of other containers' tracks mean nothing here.
    const bool same = input.iformat != nullptr && is_transport_stream(*input.iformat) && !disc &&
                      find_option(options, start_key) == nullptr;
    std::vector<bool> numbered(output.nb_streams);
    for (std::size_t i = 0; same && i < places.size() && i < input.nb_streams; ++i) {
        if (const int place = places[i]; place >= 0 && free.take(input.streams[i]->id)) {
            output.streams[place]->id = input.streams[i]->id;
            numbered[static_cast<std::size_t>(place)] = true;
        }
    }
    for (unsigned i = 0; i < output.nb_streams; ++i) {
        AVStream& stream = *output.streams[i];
        if (!numbered[i]) {
            stream.id = disc && has_number_on_disc(*stream.codecpar) ? 0 : free.take_next(start + static_cast<int>(i));
        }
    }
}

int pid_of(const AVFormatContext& output, const AVStream& stream) {
    return is_transport_stream(*output.oformat) ? stream.id : 0;
}

}  // namespace vfilter
