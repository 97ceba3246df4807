#include "io/output/container_losses.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/printable.h"
#include "io/compat.h"
#include "io/containers.h"
#include "io/demuxers.h"
#include "io/stream_facts.h"

namespace vfilter {

namespace {

// Which streams belong together, and names, but for the one that FFmpeg gives to those without.
void tell_lost_programs(const AVFormatContext& input, const std::vector<int>& places, std::string_view container) {
    std::size_t lost = 0;
    std::vector<std::string> names;
    for (unsigned i = 0; i < input.nb_programs; ++i) {
        const AVProgram& program = *input.programs[i];
        const std::span streams(program.stream_index, program.nb_stream_indexes);
        if (std::ranges::none_of(streams, [&](unsigned at) { return at < places.size() && places[at] >= 0; })) {
            continue;
        }
        ++lost;
        const AVDictionaryEntry* const name = av_dict_get(program.metadata, "service_name", nullptr, 0);
        if (name != nullptr && name->value[0] != '\0' && name->value != std::string_view("Service01")) {
            names.push_back(printable(name->value));
        }
    }
    if (lost > 1 || !names.empty()) {
        spdlog::warn(
            "{}{} {} left out: {} has none", lost > 1 ? fmt::format("{} programs", lost) : "the name of the program",
            names.empty() ? "" : fmt::format(", {},", fmt::join(names, ", ")), lost > 1 ? "are" : "is", container);
    }
}

struct Turn {
    std::string_view what;  // turned by any angle or mirrored, or else only stretched; "" for nothing
    bool undoable = false;  // by whole pixels
    bool orthogonal = false;
};

// What a matrix makes of pictures.
Turn turned_or_stretched(const AVStream& stream) {
    constexpr double noticed = 0.01;
    Turn turn;
    for_each_side_data(stream, [&](const AVPacketSideData& data) {
        std::array<std::int32_t, 9> matrix{};
        if (data.type == AV_PKT_DATA_DISPLAYMATRIX && data.size >= sizeof(matrix)) {
            std::memcpy(matrix.data(), data.data, sizeof(matrix));
            const auto [across, down] = std::pair(matrix[0], matrix[4]);
            turn.what = across <= 0 || matrix[1] != 0 || matrix[3] != 0 || down <= 0 ? "rotation"
                        : std::abs(static_cast<double>(across) / down - 1) > noticed ? "stretch"
                                                                                     : "";
            turn.orthogonal =
                (across == down && matrix[1] == -matrix[3]) || (across == -down && matrix[1] == matrix[3]);
            turn.undoable =
                turn.what == "rotation" && ((across == 0 && down == 0) || (matrix[1] == 0 && matrix[3] == 0));
        }
    });
    return turn;
}

// Of VobSub, whose sixteen colours stand in a file of their own beside MPEG-PS (.idx).
void tell_lost_palettes(const AVFormatContext& output) {
    for (const AVStream* const stream : std::span(output.streams, output.nb_streams)) {
        const AVCodecParameters& codec = *stream->codecpar;
        if (codec.codec_id == AV_CODEC_ID_DVD_SUBTITLE && codec.extradata_size > 0 &&
            is_program_stream(*output.oformat)) {
            spdlog::warn("the palette of {} is left out: {} has no place for it, and players take colours of their own",
                         describe(*stream), name_of_output(*output.oformat));
        }
    }
}

}  // namespace

void tell_container_losses(const Demuxer& input, const AVFormatContext& output, const std::vector<int>& places,
                           int first_video, Strip strip) {
    for (const int video : input.videos()) {
        if (has_side_data(*input.format().streams[video], AV_PKT_DATA_DOVI_CONF)) {
            spdlog::warn("Dolby Vision metadata describes the old encoding and is left out");
        }
    }
    const AVOutputFormat& container = *output.oformat;
    for (int i = 0; !is_quicktime(container) && i < static_cast<int>(output.nb_streams); ++i) {
        const AVStream& stream = *output.streams[i];
        const Turn turn = turned_or_stretched(stream);
        const bool held = turn.orthogonal && holds_rotation(container);
        if (!turn.what.empty() && !held && !is_attached_picture(stream)) {
            spdlog::warn("the {} of {} is left out: {} cannot hold it here{}", turn.what,
                         i == first_video ? "the picture" : describe(stream), name_of_output(container),
                         i == first_video && turn.undoable ? "; --vf null turns the pictures upright" : "");
        }
    }
    const std::span streams(output.streams, output.nb_streams);
    for (const AVStream* const stream : streams.subspan(is_matroska(container) ? 0 : streams.size())) {
        if (stream->codecpar->codec_id == AV_CODEC_ID_TTA) {
            spdlog::warn(
                "{} may lose its last second where it is played: {} does not say how many samples there are, "
                "without which FFmpeg does not decode them; --audio flac keeps all",
                describe(*stream), name_of_output(container));
        }
    }
    tell_lost_palettes(output);
    if (output.nb_chapters > 0 && !holds_chapters(container)) {
        spdlog::warn("{} chapter{} left out: {} has none", output.nb_chapters,
                     output.nb_chapters == 1 ? " is" : "s are", name_of_output(container));
    }
    const bool transport = is_transport_stream(*input.format().iformat);  // others' are versions of one
    if (transport && output.nb_programs == 0 && strip < Strip::tags && (container.flags & AVFMT_NOFILE) == 0) {
        tell_lost_programs(input.format(), places, name_of_output(container));
    }
}

}  // namespace vfilter
