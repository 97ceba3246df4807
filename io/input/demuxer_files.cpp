// Files behind an input and beside it, which its stack has opened.

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/input/added_input.h"
#include "io/input/appended_file.h"
#include "io/input/demuxer.h"

namespace vfilter {

int Demuxer::file_of(int stream) const {
    return stack_->with_files != nullptr ? stack_->with_files->file_of(stream) : 0;
}

bool Demuxer::has_packets(int stream) const {
    const int file = file_of(stream);
    return !(clips() == 1 && encrypted_.contains({0, stream})) &&
           (file > 0                        ? stack_->with_files->file(file).has_packets(stream)
            : stream >= stack_->own_streams ? false
            : stack_->appended != nullptr   ? stack_->appended->has_packets(stream)
                                            : stack_->account->has_packets(stream));
}

std::string Demuxer::added_file(int stream) const {
    const int file = file_of(stream);
    return file > 0 ? stack_->with_files->file(file).name() : "";
}

std::optional<std::int64_t> Demuxer::begin_of(int stream) const {
    const int file = file_of(stream);
    return !part_.start && file > 0 ? stack_->with_files->file(file).cut() : part_.start;
}

AVIOContext* Demuxer::bytes_of(int stream) const {
    const int file = file_of(stream);
    return file > 0 ? stack_->with_files->file(file).bytes() : stack_->format->pb;
}

std::vector<std::string> Demuxer::added_sha256(const std::function<bool()>& stop) {
    return stack_->with_files != nullptr ? stack_->with_files->sums(stop) : std::vector<std::string>{};
}

std::optional<StreamOfClip> Demuxer::stream_of_clip(int stream, int clip) const {
    if (clip == 0) {
        return StreamOfClip{*stack_->format->streams[stream], *stack_->format->iformat, frame_rate(stream)};
    }
    const AppendedFile& file = stack_->appended->file(clip);
    const int own = file.own_of(stream);
    return own < 0
               ? std::nullopt
               : std::optional(StreamOfClip{*file.format().streams[own], *file.format().iformat, file.frame_rate(own)});
}

std::string Demuxer::appended_file(int clip) const {
    return clip > 0 ? stack_->appended->file(clip).name() : "";
}

std::vector<std::string> Demuxer::appended_sha256() const {
    return stack_->appended != nullptr ? stack_->appended->sums() : std::vector<std::string>{};
}

Damage Demuxer::damage() const {
    Damage damage = stack_->account->damage();
    if (stack_->appended != nullptr) {
        damage += stack_->appended->damage();
    }
    if (stack_->with_files != nullptr) {
        damage += stack_->with_files->damage();
    }
    return damage;
}

void Demuxer::end_part() {
    if (!damage_of_part_) {
        damage_of_part_ = damage();
    }
}

}  // namespace vfilter
