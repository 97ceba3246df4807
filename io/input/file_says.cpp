#include "io/input/file_says.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "io/bitstream/bytes.h"
#include "io/demuxers.h"
#include "io/input/dv_codes.h"
#include "io/input/file_boxes.h"
#include "io/input/icon_masks.h"
#include "io/input/picture_says.h"
#include "io/languages.h"
#include "io/stream_facts.h"

namespace vfilter {

namespace {

// Matroska's other way to name a language, which wins where both are there.
void mend_language(AVStream& stream, const UnreadTrack& track) {
    const bool two_letters = track.language.find('-') == 2 || track.language.size() == 2;
    const std::string language = two_letters || track.only_that ? three_letters(track.language) : "";
    if (!language.empty() || track.only_that) {
        av_dict_set(&stream.metadata, "language", language.empty() ? nullptr : language.c_str(), 0);
    }
}

// FFmpeg puts the chapters of all editions in one list, as far as they come later than those before.
void leave_out_chapters(AVFormatContext& format, const std::vector<std::uint64_t>& uids) {
    unsigned kept = 0;
    for (unsigned i = 0; i < format.nb_chapters; ++i) {
        AVChapter* chapter = format.chapters[i];
        if (std::ranges::find(uids, static_cast<std::uint64_t>(chapter->id)) == uids.end()) {
            format.chapters[kept++] = chapter;
        } else {
            av_dict_free(&chapter->metadata);
            av_freep(&chapter);
        }
    }
    format.nb_chapters = kept;
}

// They may be as large as what they belong to, and better by FFmpeg's measure.
void mark_auxiliary_videos(AVFormatContext& format, const ReadBytes& read) {
    const std::span streams(format.streams, format.nb_streams);
    const auto is_video = [](const AVStream* stream) {
        return stream->codecpar->codec_type == AVMEDIA_TYPE_VIDEO && !is_attached_picture(*stream);
    };
    if (std::ranges::count_if(streams, is_video) < 2) {
        return;
    }
    const std::set<int> tracks = auxiliary_tracks(read);
    for (AVStream* const stream : streams) {
        if (is_video(stream) && tracks.contains(stream->id)) {
            stream->disposition &= ~AV_DISPOSITION_DEFAULT;
            stream->disposition |= AV_DISPOSITION_DEPENDENT;
        }
    }
}

}  // namespace

void FileSays::keep_front(std::int64_t offset, std::span<const std::uint8_t> bytes) {
    if (offset == static_cast<std::int64_t>(front_.size()) && front_.size() < max_front) {
        front_.insert(front_.end(), bytes.begin(), bytes.end());
    }
}

void FileSays::read(AVFormatContext& format, const InputBytes* bytes) {
    const bool pipe = bytes != nullptr && !bytes->seekable();
    const std::vector<std::uint8_t> front = std::exchange(front_, {});
    const DemuxerFacts& facts = demuxer_facts(*format.iformat);
    const auto read_at = [&](std::int64_t offset, std::span<std::uint8_t> to) {
        if (!pipe) {
            return bytes->read_at(offset, to);
        }
        const Bytes there = part(front, static_cast<std::size_t>(offset), to.size());
        std::ranges::copy(there, to.begin());
        return there.size();
    };
    if (bytes != nullptr && facts.has(input_fact::movie)) {
        mark_auxiliary_videos(format, read_at);
        of_picture_ = said_in_heif(read_at);
        unread_ = unread_of_movie(format, read_at);
    }
    if (bytes != nullptr && facts.has(input_fact::matroska)) {
        unread_ = unread_in_matroska(read_at);
    }
    for (const UnreadTrack& track : unread_.tracks) {
        if (track.stream < static_cast<int>(format.nb_streams) && !track.language.empty()) {
            mend_language(*format.streams[track.stream], track);
        }
    }
    leave_out_chapters(format, unread_.of_other_editions);
}

Damage FileSays::note_scrambled(const AVFormatContext& format, const ContainerScan& scan, unsigned wanted) {
    const std::span streams(format.streams, format.nb_streams);
    const auto is_video = [](const AVStream* stream) { return kind_of(*stream) == kind::video; };
    const bool nothing_else =
        std::ranges::any_of(streams, is_video) && std::ranges::none_of(streams, [&](const AVStream* stream) {
            return is_video(stream) && !scan.is_scrambled(stream->id);
        });
    Damage scrambled;
    for (const AVStream* const stream : streams) {
        if (!scan.is_scrambled(stream->id)) {
            continue;
        }
        UnreadTrack& track = unread_.tracks.emplace_back();
        track.stream = stream->index;
        track.scrambled = true;
        if (!nothing_else && (kind_of(*stream) & wanted) != 0) {
            ++scrambled.packets;
            scrambled.note(fmt::format("{} cannot be read: it is scrambled, as its packets say", describe(*stream)));
        }
    }
    return scrambled;
}

void FileSays::add_to(const AVFormatContext& format, AVPacket& packet) const {
    if (format.streams[packet.stream_index]->codecpar->codec_id == AV_CODEC_ID_BMP &&
        demuxer_facts(*format.iformat).has(input_fact::icons)) {
        put_icon_mask(packet);
    }
    if (format.streams[packet.stream_index]->codecpar->codec_id == AV_CODEC_ID_DVVIDEO) {
        put_dv_time_code(packet);
    }
    if (of_picture_) {
        PictureSays says{.orientation = of_picture_->orientation, .profile = of_picture_->profile};
        says.add(of_picture_->exif ? "EXIF" : "");
        says.add(of_picture_->xmp ? "XMP" : "");
        add_said(packet, says);
    }
}

}  // namespace vfilter
