#include "io/input/layers/with_files.h"

#include <algorithm>
#include <new>
#include <utility>

#include "io/input/layers/same_streams.h"
#include "io/packet_times.h"

namespace vfilter {

WithFiles::WithFiles(std::unique_ptr<PacketSource> inner, std::vector<std::unique_ptr<AddedInput>> files,
                     const AVFormatContext& description, int own_streams)
    : PacketLayer(std::move(inner)), files_(std::move(files)), description_(description), own_streams_(own_streams) {}

void WithFiles::begin(const WantedPart& part) {
    for (const std::unique_ptr<AddedInput>& file : files_) {
        file->begin(part);
    }
    begun_ = true;
}

void WithFiles::leave(std::deque<PacketPtr>& packets) {
    if (waiting_) {
        packets.push_back(std::move(waiting_));
    }
    ended_.reset();
}

int WithFiles::file_of(int stream) const {
    const auto found = std::ranges::find_if(files_, [stream](const std::unique_ptr<AddedInput>& file) {
        return std::ranges::find(file->places(), stream) != file->places().end();
    });
    return found == files_.end() ? 0 : static_cast<int>(found - files_.begin()) + 1;
}

Damage WithFiles::damage() const {
    Damage damage;
    for (const std::unique_ptr<AddedInput>& file : files_) {
        damage += file->damage();
    }
    return damage;
}

std::vector<std::string> WithFiles::sums(const std::function<bool()>& stop) {
    std::vector<std::string> sums;
    for (const std::unique_ptr<AddedInput>& file : files_) {
        sums.push_back(file->sha256(stop));
    }
    return sums;
}

// Of the files; null where all have ended. What has no time comes at once.
AddedInput* WithFiles::earliest() {
    AddedInput* first = nullptr;
    for (const std::unique_ptr<AddedInput>& file : files_) {
        if (file->next() != nullptr && (first == nullptr || file->next_time() < first->next_time())) {
            first = file.get();
        }
    }
    return first;
}

int WithFiles::read(AVPacket& packet) {
    if (!begun_) {
        return PacketLayer::read(packet);
    }
    if (!waiting_ && !ended_) {
        PacketPtr read = make_packet();
        if (const int got = PacketLayer::read(*read); got < 0) {
            ended_ = got;
        } else if (const std::int64_t time = decoding_time(*read);
                   time == AV_NOPTS_VALUE || read->stream_index >= own_streams_) {
            av_packet_move_ref(&packet, read.get());
            return 0;
        } else {
            due_ = microseconds(time, description_.streams[read->stream_index]->time_base);
            waiting_ = std::move(read);
        }
    }
    AddedInput* const file = ended_ == AVERROR_EXIT ? nullptr : earliest();
    if (file != nullptr && (!waiting_ || file->next_time() <= due_)) {
        const PacketPtr next = file->take();
        av_packet_move_ref(&packet, next.get());
        return 0;
    }
    if (waiting_) {
        av_packet_move_ref(&packet, std::exchange(waiting_, nullptr).get());
        return 0;
    }
    return *ended_;
}

DescriptionPtr describe_file(const AVFormatContext& input) {
    DescriptionPtr description = describe_input(input);
    description->pb = input.pb;
    description->bit_rate = input.bit_rate;
    description->duration_estimation_method = input.duration_estimation_method;
    for (unsigned i = 0; i < input.nb_streams; ++i) {
        const AVStream& stream = *input.streams[i];
        AVStream& copy = *description->streams[i];
        copy.duration = stream.duration;
        copy.nb_frames = stream.nb_frames;
        if (stream.attached_pic.size > 0) {
            av_check(av_packet_ref(&copy.attached_pic, &stream.attached_pic), "av_packet_ref");
        }
    }
    for (unsigned i = 0; i < input.nb_chapters; ++i) {
        AVChapter& copy = add_chapter(*description);
        const AVChapter& chapter = *input.chapters[i];
        copy.id = chapter.id;
        copy.time_base = chapter.time_base;
        copy.start = chapter.start;
        copy.end = chapter.end;
        av_dict_copy(&copy.metadata, chapter.metadata, 0);
    }
    for (unsigned i = 0; i < input.nb_programs; ++i) {
        const AVProgram& program = *input.programs[i];
        AVProgram* const copy = av_new_program(description.get(), program.id);
        if (copy == nullptr) {
            throw std::bad_alloc();
        }
        av_dict_copy(&copy->metadata, program.metadata, 0);
        for (unsigned n = 0; n < program.nb_stream_indexes; ++n) {
            if (program.stream_index[n] < description->nb_streams) {
                av_program_add_stream_index(description.get(), program.id, program.stream_index[n]);
            }
        }
    }
    return description;
}

}  // namespace vfilter
