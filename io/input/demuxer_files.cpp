// Files behind an input and beside it.

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/input/added_input.h"
#include "io/input/appended_file.h"
#include "io/input/demuxer.h"
#include "io/input/evidence/promises.h"

namespace vfilter {

// What is told of the input from here on is true of all of them.
std::vector<std::unique_ptr<AppendedFile>> Demuxer::look_at_appended(const AVFormatContext& context) {
    std::vector<std::unique_ptr<AppendedFile>> files;
    if (options_.appended.empty()) {
        return files;
    }
    check_times(context, videos_, options_.path);
    for (const std::string& path : options_.appended) {
        files.push_back(std::make_unique<AppendedFile>(options_, path, context, videos_, interrupted_));
    }
    // Reading through all of them tells where each ends, and so does it tell who is to begin in the middle.
    own_end_ = told_end_of(context, context.start_time == AV_NOPTS_VALUE ? 0 : context.start_time);
    if (options_.start) {
        AppendedFile input(options_, options_.path, context, videos_, interrupted_);
        input.measure();
        own_end_ = input.length() ? av_sat_add64(input.begin(), *input.length()) : AV_NOPTS_VALUE;
        for (const std::unique_ptr<AppendedFile>& file : files) {
            file->measure();
        }
    }
    joint_ = describe_appended(context, own_end_, files);
    format_ = own_ = joint_.get();
    return files;
}

// Their streams come behind those of the input in a description of both.
std::vector<std::unique_ptr<AddedInput>> Demuxer::open_added() {
    std::vector<std::unique_ptr<AddedInput>> files;
    if (options_.added.empty()) {
        return files;
    }
    if (description_) {
        throw Error(ExitCode::usage, "--add is for an input that is not live and stays open, without --audio-device");
    }
    description_ = describe_file(*own_);
    format_ = description_.get();
    for (std::size_t number = 1; number <= options_.added.size(); ++number) {
        files.push_back(std::make_unique<AddedInput>(options_, number, interrupted_));
    }
    return files;
}

int Demuxer::file_of(int stream) const {
    return with_files_ != nullptr ? with_files_->file_of(stream) : 0;
}

bool Demuxer::has_packets(int stream) const {
    const int file = file_of(stream);
    return !(clips() == 1 && encrypted_.contains({0, stream})) &&
           (file > 0                 ? with_files_->file(file).has_packets(stream)
            : stream >= own_streams_ ? false
            : appended_ != nullptr   ? appended_->has_packets(stream)
                                     : account_->has_packets(stream));
}

std::string Demuxer::added_file(int stream) const {
    const int file = file_of(stream);
    return file > 0 ? with_files_->file(file).name() : "";
}

std::optional<std::int64_t> Demuxer::begin_of(int stream) const {
    const int file = file_of(stream);
    return !part_.start && file > 0 ? with_files_->file(file).cut() : part_.start;
}

AVIOContext* Demuxer::bytes_of(int stream) const {
    const int file = file_of(stream);
    return file > 0 ? with_files_->file(file).bytes() : format_->pb;
}

std::vector<std::string> Demuxer::added_sha256(const std::function<bool()>& stop) {
    return with_files_ != nullptr ? with_files_->sums(stop) : std::vector<std::string>{};
}

std::optional<StreamOfClip> Demuxer::stream_of_clip(int stream, int clip) const {
    if (clip == 0) {
        return StreamOfClip{*format_->streams[stream], *format_->iformat, frame_rate(stream)};
    }
    const AppendedFile& file = appended_->file(clip);
    const int own = file.own_of(stream);
    return own < 0
               ? std::nullopt
               : std::optional(StreamOfClip{*file.format().streams[own], *file.format().iformat, file.frame_rate(own)});
}

std::string Demuxer::appended_file(int clip) const {
    return clip > 0 ? appended_->file(clip).name() : "";
}

std::vector<std::string> Demuxer::appended_sha256() const {
    return appended_ != nullptr ? appended_->sums() : std::vector<std::string>{};
}

Damage Demuxer::damage() const {
    Damage damage = account_->damage();
    if (appended_ != nullptr) {
        damage += appended_->damage();
    }
    if (with_files_ != nullptr) {
        damage += with_files_->damage();
    }
    return damage;
}

}  // namespace vfilter
