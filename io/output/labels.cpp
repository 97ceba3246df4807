#include "io/output/labels.h"

#include <fmt/format.h>

extern "C" {
#include <libavutil/stereo3d.h>
}

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "io/codec/sound/sound_layouts.h"
#include "io/compat.h"
#include "io/containers.h"
#include "io/output/tag_values.h"
#include "io/output/tags.h"
#include "io/output/transport_pids.h"
#include "io/stream_facts.h"

namespace vfilter {

namespace {

// Tags that demuxers make of how a file was made; some of MXF, ASF and AVI. Of identifiers those by which MXF finds its
// own parts: others' are a shelf mark, or the place in an archive.
constexpr std::array<std::string_view, 19> technical{"major_brand",
                                                     "minor_version",
                                                     "compatible_brands",
                                                     "vendor_id",
                                                     "duration",
                                                     "data_type",
                                                     "DeviceConformanceTemplate",
                                                     "IsVBR",
                                                     "stereo_mode",
                                                     "software",
                                                     "encoding_tool",
                                                     "uid",
                                                     "product_uid",
                                                     "generation_uid",
                                                     "package_uid",
                                                     "material_package_umid",
                                                     "file_package_umid",
                                                     "reel_umid",
                                                     "mimetype"};
// What only says that a stream is as any other, or what its type says already.
constexpr int purposes = AV_DISPOSITION_FORCED | AV_DISPOSITION_HEARING_IMPAIRED | AV_DISPOSITION_VISUAL_IMPAIRED |
                         AV_DISPOSITION_COMMENT | AV_DISPOSITION_DUB | AV_DISPOSITION_ORIGINAL | AV_DISPOSITION_LYRICS |
                         AV_DISPOSITION_KARAOKE | AV_DISPOSITION_CLEAN_EFFECTS | AV_DISPOSITION_CAPTIONS |
                         AV_DISPOSITION_DESCRIPTIONS | AV_DISPOSITION_DEPENDENT | AV_DISPOSITION_METADATA;

// What QuickTime's handler of a track is called, which is what has become of a title, or what any program calls it.
bool is_usual_handler_tag(std::string_view key, const std::string& value, const Tags& beside) {
    return same_name(key, "handler_name") &&
           (is_usual_handler(value) || std::ranges::any_of(beside, [&](const auto& tag) {
                return same_name(tag.first, "title") && tag.second == value;
            }));
}

bool is_technical(const std::string& key, const std::string& value, const Tags& beside) {
    const std::string_view bare = without_language(key);
    return tells_encoding(key) || tells_encoding(std::string(bare)) || is_usual_handler_tag(bare, value, beside) ||
           std::ranges::any_of(technical, [&](std::string_view name) { return same_name(name, bare); });
}

// Tags of everywhere in the file: Ogg's belong to its streams, and QuickTime's time code is a track.
Tags all_tags(const AVFormatContext& file) {
    Tags all = tags_of(file.metadata);
    for (unsigned i = 0; i < file.nb_streams; ++i) {
        const Tags more = tags_of(file.streams[i]->metadata);
        all.insert(all.end(), more.begin(), more.end());
    }
    return all;
}

// The tags of a file, each of which is what became of one tag that was sent.
class FoundTags {
public:
    FoundTags(Tags tags, const Labels& sent) : tags_(std::move(tags)), taken_(tags_.size()) {
        // Under its own name one may be that of the file and of its streams at once. Names of handlers are what has
        // become of titles.
        const auto take = [&](const Tags& all) {
            for (const auto& [key, value] : all) {
                if (!is_technical(key, value, all)) {
                    take_own(key, value);
                }
            }
        };
        take(sent.tags);
        for (const StreamLabels& stream : sent.streams) {
            take(stream.tags);
        }
    }

    /// Whether a tag that was sent is there, or its value under another name, which counts for one tag alone.
    bool hold(const std::string& key, const std::string& value) {
        return take_own(key, value) ||
               take([&](std::size_t i) { return !taken_[i] && same_value(key, value, tags_[i].second); });
    }

private:
    bool take_own(const std::string& key, const std::string& value) {
        return take([&](std::size_t i) {
            return same_name(without_language(tags_[i].first), without_language(key)) &&
                   same_value(key, value, tags_[i].second);
        });
    }
    // The first one that fits.
    bool take(const auto& fits) {
        for (std::size_t i = 0; i < tags_.size(); ++i) {
            if (fits(i)) {
                taken_[i] = true;
                return true;
            }
        }
        return false;
    }

    Tags tags_;
    std::vector<bool> taken_;
};

// The language may be written in another way.
bool has_language(const AVStream* stream) {
    const AVDictionaryEntry* const tag =
        stream != nullptr ? av_dict_get(stream->metadata, "language", nullptr, 0) : nullptr;
    return tag != nullptr && std::string_view(tag->value) != "und";
}

// What became of a stream that comes after `place` others of its type, or null.
const AVStream* twin_of(const StreamLabels& sent, const AVFormatContext& file, std::size_t place) {
    const int index = sent.pid != 0 ? find_numbered(file, sent.type, sent.pid) : find_stream(file, sent.type, place);
    return index >= 0 ? file.streams[index] : nullptr;
}

bool is_stereoscopic(const AVStream& stream) {
    bool two_views = false;
    for_each_side_data(stream, [&](const AVPacketSideData& data) {
        two_views = two_views || (data.type == AV_PKT_DATA_STEREO3D &&
                                  reinterpret_cast<const AVStereo3D*>(data.data)->type != AV_STEREO3D_2D);
    });
    return two_views;
}

bool is_square(AVRational aspect) {
    return aspect.num <= 0 || aspect.den <= 0 || aspect.num == aspect.den;
}

// Some containers and codecs have a few shapes to choose from, or numbers of few bits.
bool same_shape(AVRational a, AVRational b) {
    constexpr double tolerance = 0.01;
    return !is_square(b) && std::abs(av_q2d(a) / av_q2d(b) - 1) < tolerance;
}

bool is_same_place(const AVChannelLayout& a, const AVChannelLayout& b) {
    return a.nb_channels == b.nb_channels && places_of(a, b).mixed.empty();
}

// `found` is what became of the stream in the file, or null. When it was made is told once, where the file does not say
// when it was itself: recorders write both, which may be some seconds apart.
std::vector<std::string> lost_of_stream(const StreamLabels& sent, const AVStream* found, FoundTags& there,
                                        bool& time_told) {
    std::vector<std::string> lost;
    for (const auto& [key, value] : sent.tags) {
        const bool time = is_creation_time(key);
        if (same_name(key, "language")) {
            if (value != "und" && !has_language(found)) {
                lost.push_back(key);
            }
        } else if (!is_technical(key, value, sent.tags) && !there.hold(key, value) && !(time && time_told)) {
            lost.push_back(key);
            time_told = time_told || time;
        }
    }
    const int purposes_lost = sent.disposition & purposes & ~(found != nullptr ? found->disposition : 0);
    for (int flag = 1; flag <= purposes_lost; flag *= 2) {
        if ((purposes_lost & flag) != 0) {
            lost.emplace_back(av_disposition_to_string(flag));
        }
    }
    if (sent.spherical && (found == nullptr || !has_side_data(*found, AV_PKT_DATA_SPHERICAL))) {
        lost.emplace_back("spherical projection");
    }
    if (sent.stereoscopic && (found == nullptr || !is_stereoscopic(*found))) {
        lost.emplace_back("stereo mode");
    }
    if (!is_square(sent.pixel_aspect)) {
        const AVRational own = found == nullptr                     ? AVRational{}
                               : found->sample_aspect_ratio.num > 0 ? found->sample_aspect_ratio
                                                                    : found->codecpar->sample_aspect_ratio;
        if (!same_shape(sent.pixel_aspect, own)) {
            lost.push_back(fmt::format("pixel aspect {}:{}{}", sent.pixel_aspect.num, sent.pixel_aspect.den,
                                       is_square(own) ? "" : fmt::format(" (it says {}:{})", own.num, own.den)));
        }
    }
    if (sent.channels.nb_channels > 0) {
        AVChannelLayout own = found != nullptr ? found->codecpar->ch_layout : AVChannelLayout{};
        complete_layout(own);
        if (!is_same_place(sent.channels, own)) {
            lost.push_back(fmt::format("channels {}", name_of_layout(sent.channels)));
        }
    }
    return lost;
}

// Of what has no packets, by which it could be found: a cover, a font. What any program calls it is no name.
std::vector<std::string> lost_of_cover(const StreamLabels& sent, FoundTags& there) {
    const auto is_usual = [](const std::string& key, const std::string& value) {
        return (same_name(key, "filename") && (value.starts_with("cover.") || value.starts_with("attachment"))) ||
               (same_name(key, "comment") && (value.starts_with("Cover (") || value == "Other")) ||
               same_name(key, "language");
    };
    std::vector<std::string> lost;
    for (const auto& [key, value] : sent.tags) {
        if (!is_technical(key, value, sent.tags) && !is_usual(key, value) && !there.hold(key, value)) {
            lost.push_back(key);
        }
    }
    return lost;
}

// None where they are where any player puts so many, or of which nobody says where they are.
AVChannelLayout unusual_channels(const AVStream& stream) {
    const AVChannelLayout& channels = stream.codecpar->ch_layout;
    if (stream.codecpar->codec_type != AVMEDIA_TYPE_AUDIO || channels.order != AV_CHANNEL_ORDER_NATIVE) {
        return {};
    }
    AVChannelLayout usual{};
    av_channel_layout_default(&usual, channels.nb_channels);
    return is_same_place(channels, usual) ? AVChannelLayout{} : channels;
}

// Of so many streams of one type the one that plays unless another one is chosen, by its place among them.
template <typename Disposition>
std::size_t chosen(std::size_t count, const Disposition& disposition_at) {
    for (std::size_t i = 0; i < count; ++i) {
        if ((disposition_at(i) & AV_DISPOSITION_DEFAULT) != 0) {
            return i;
        }
    }
    return 0;
}

}  // namespace

Labels labels_of(const AVFormatContext& output) {
    Labels labels{.tags = tags_of(output.metadata),
                  .streams = {},
                  .chapters = chapters_of(output),
                  .may_hold_chapters = holds_chapters(*output.oformat)};
    const bool second_is_auxiliary = std::string_view(output.oformat->name) == "avif";
    for (unsigned i = 0; i < output.nb_streams; ++i) {
        const AVStream& stream = *output.streams[i];
        labels.streams.push_back(
            {.type = stream.codecpar->codec_type,
             .pid = pid_of(output, stream),
             .in_header = is_attached_picture(stream) || stream.codecpar->codec_type == AVMEDIA_TYPE_ATTACHMENT,
             .absent = false,
             .tags = tags_of(stream.metadata),
             .disposition = stream.disposition & ~(second_is_auxiliary ? AV_DISPOSITION_DEPENDENT : 0),
             .spherical = has_side_data(stream, AV_PKT_DATA_SPHERICAL),
             .stereoscopic = is_stereoscopic(stream),
             .pixel_aspect =
                 stream.codecpar->codec_type == AVMEDIA_TYPE_VIDEO ? stream.sample_aspect_ratio : AVRational{},
             .channels = unusual_channels(stream),
             .copied = copied_says(stream)});
    }
    return labels;
}

bool are_in_packets(const Labels& labels) {
    return std::ranges::any_of(labels.streams, [](const StreamLabels& stream) {
        return !is_square(stream.pixel_aspect) || stream.channels.nb_channels > 0 || stream.copied;
    });
}

std::vector<std::string> lost_labels(const Labels& sent, const AVFormatContext& opened) {
    FoundTags there(all_tags(opened), sent);
    std::vector<std::string> lost;
    bool time_told = false;
    for (const auto& [key, value] : sent.tags) {
        if (!is_technical(key, value, sent.tags) && !there.hold(key, value)) {
            lost.push_back(key);
        }
        time_told = time_told || is_creation_time(key);
    }
    // Fewer are told beforehand where the container has none at all.
    if (opened.nb_chapters > 0 || sent.may_hold_chapters) {
        std::ranges::move(lost_of_chapters(sent.chapters, chapters_of(opened)), std::back_inserter(lost));
    }
    std::array<std::vector<std::size_t>, AVMEDIA_TYPE_NB> of_types{};
    for (std::size_t i = 0; i < sent.streams.size(); ++i) {
        const StreamLabels& stream = sent.streams[i];
        if (stream.in_header) {
            for (const std::string& what : lost_of_cover(stream, there)) {
                lost.push_back(fmt::format("{} of stream {}", what, i));
            }
        }
        if (stream.in_header || stream.absent || stream.type < 0) {
            continue;
        }
        std::vector<std::size_t>& of_type = of_types[static_cast<std::size_t>(stream.type)];
        const AVStream* const found = twin_of(stream, opened, of_type.size());
        of_type.push_back(i);
        std::vector<std::string> of_stream = lost_of_stream(stream, found, there, time_told);
        if (stream.copied) {
            std::ranges::move(lost_of_copy(*stream.copied, found), std::back_inserter(of_stream));
        }
        for (const std::string& what : of_stream) {
            lost.push_back(fmt::format("{} of stream {}", what, i));
        }
    }
    for (const AVMediaType type : {AVMEDIA_TYPE_VIDEO, AVMEDIA_TYPE_AUDIO}) {
        const std::vector<std::size_t>& of_type = of_types[static_cast<std::size_t>(type)];
        const std::size_t wanted =
            chosen(of_type.size(), [&](std::size_t place) { return sent.streams[of_type[place]].disposition; });
        const std::size_t kept = chosen(of_type.size(), [&](std::size_t place) {
            const AVStream* const stream = twin_of(sent.streams[of_type[place]], opened, place);
            return stream != nullptr ? stream->disposition : 0;
        });
        if (wanted != kept) {
            lost.push_back(fmt::format("default of stream {}", of_type[wanted]));
        }
    }
    return lost;
}

}  // namespace vfilter
