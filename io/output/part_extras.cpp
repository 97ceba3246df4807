#include "io/output/part_extras.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <new>
#include <string_view>
#include <utility>

#include "io/output/output_streams.h"

namespace vfilter {

namespace {

std::span<const std::uint8_t> bytes_of(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string_view title_of(const AVDictionary* tags) {
    const AVDictionaryEntry* const title = av_dict_get(tags, "title", nullptr, 0);
    return title != nullptr ? title->value : "";
}

}  // namespace

void append_extras(const AVFormatContext& output, const std::vector<PacketPtr>& covers, std::vector<std::uint8_t>& to) {
    append(to, static_cast<std::uint32_t>(output.nb_chapters));
    for (unsigned i = 0; i < output.nb_chapters; ++i) {
        const AVChapter& chapter = *output.chapters[i];
        append(to, chapter.start);
        append(to, chapter.end);
        append(to, chapter.time_base);
        append_counted(to, bytes_of(title_of(chapter.metadata)));
    }
    append(to, static_cast<std::uint32_t>(covers.size()));
    for (const PacketPtr& cover : covers) {
        const AVCodecParameters& codec = *output.streams[cover->stream_index]->codecpar;
        append_counted(to, bytes_of(avcodec_get_name(codec.codec_id)));
        append(to, static_cast<std::int32_t>(codec.width));
        append(to, static_cast<std::int32_t>(codec.height));
        append_counted(to, {cover->data, static_cast<std::size_t>(cover->size)});
    }
}

PartExtras read_extras(PartReader& reader) {
    PartExtras extras;
    for (auto count = reader.value<std::uint32_t>(); count > 0; --count) {
        PartExtras::Chapter chapter{};
        chapter.start = reader.value<std::int64_t>();
        chapter.end = reader.value<std::int64_t>();
        chapter.time_base = reader.value<AVRational>();
        chapter.title = reader.text();
        extras.chapters.push_back(std::move(chapter));
    }
    for (auto count = reader.value<std::uint32_t>(); count > 0; --count) {
        const AVCodecDescriptor* const codec = avcodec_descriptor_get_by_name(reader.text().c_str());
        const auto width = reader.value<std::int32_t>();
        const auto height = reader.value<std::int32_t>();
        const auto picture = reader.counted();
        PacketPtr packet = make_packet();
        if (av_new_packet(packet.get(), static_cast<int>(picture.size())) < 0) {
            throw std::bad_alloc();
        }
        std::ranges::copy(picture, packet->data);
        packet->pts = packet->dts = 0;
        packet->flags = AV_PKT_FLAG_KEY;
        extras.covers.push_back({codec != nullptr ? codec->id : AV_CODEC_ID_NONE, width, height, std::move(packet)});
    }
    return extras;
}

void add_extras(const PartExtras& extras, double seconds, AVFormatContext& output) {
    for (const PartExtras::Chapter& chapter : extras.chapters) {
        if (chapter.time_base.num <= 0 || chapter.time_base.den <= 0) {
            continue;
        }
        // QuickTime's are a track, which would make the movie longer than its pictures.
        const auto end = static_cast<std::int64_t>(std::ceil(seconds / av_q2d(chapter.time_base)));
        if (chapter.start >= end) {
            continue;
        }
        AVChapter& copy = add_chapter(output);
        copy.id = output.nb_chapters;
        copy.time_base = chapter.time_base;
        copy.start = chapter.start;
        copy.end = std::clamp(chapter.end, chapter.start, end);
        av_dict_set(&copy.metadata, "title", chapter.title.c_str(), 0);
    }
    for (const PartExtras::Cover& cover : extras.covers) {
        AVStream& stream = add_stream(output);
        stream.codecpar->codec_type = AVMEDIA_TYPE_VIDEO;
        stream.codecpar->codec_id = cover.codec;
        stream.codecpar->width = cover.width;
        stream.codecpar->height = cover.height;
        stream.disposition = AV_DISPOSITION_ATTACHED_PIC;
        cover.picture->stream_index = stream.index;
    }
}

void write_covers(const PartExtras& extras, AVFormatContext& output) {
    for (const PartExtras::Cover& cover : extras.covers) {
        av_check(av_write_frame(&output, cover.picture.get()), "av_write_frame", ExitCode::output);
    }
}

}  // namespace vfilter
