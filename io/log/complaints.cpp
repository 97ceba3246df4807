#include "io/log/complaints.h"

extern "C" {
#include <libavfilter/avfilter.h>
}

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <new>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "config/lavfi/facts.h"
#include "io/handles.h"
#include "io/log/jpeg_scan_log.h"
#include "io/log/missing_parts.h"
#include "io/source.h"

namespace vfilter {

namespace {

struct Listening {
    const void* object;
    Complaints* listener;
};
std::mutex listeners_mutex;
std::vector<Listening>& listeners() {
    static std::vector<Listening> list;
    return list;
}
std::atomic<bool> tells_everything{false};
thread_local ThreadComplaints* listening_thread = nullptr;
thread_local SaidOnce* said_once = nullptr;
// Of a line in two pieces, as "CRC mismatch in chunk" and ", skipping", who said the first one. Many a line that has no
// end is one by itself all the same.
thread_local const void* began_line = nullptr;
thread_local const void* ends_line_of = nullptr;
thread_local bool counts_complaints = true;
thread_local bool tells_results = false;
constexpr std::size_t max_heard = 16;

// Said of whole files too: nothing is missing for it.
constexpr std::array<std::string_view, 9> harmless{
    "co located POCs unavailable",  // direct prediction from a picture before the cut
    "mmco: unref short failure",    // a reference is given up that was given up
    "SEI type",                     // a message that comes with the picture is cut short
    "Overread SPS",                 // vendors' extensions
    "Overread VUI",
    "sps_id",  // parameters that come again
    "illegal reordering_of_pic_nums_idc",
    "Invalid UTF-8",
    "for index at pos",  // of a stream that is not there, in RealMedia
};

// H.261 does not say which pictures lean on no other.
constexpr std::string_view unknowing = "first frame is no keyframe";

// FFmpeg's own writer refers to a track of titles also where no chapter has one; the chapters are listed elsewhere.
constexpr std::string_view titleless = "chapter track not found";

// What a decoder says of missing pictures only to its own developers: H.264 numbers those that others lean on.
constexpr std::string_view whispered = "Frame num gap";

// What it says, to whoever looks on, where it makes up parts of a picture, and muxers where packets come too late for
// their own clock.
constexpr std::array<std::string_view, 3> doubtful_words{"concealing", "dts < pcr", "buffer underflow"};

// What x264, x265, SVT-AV1 and libaom are said not to have taken of their own parameters.
constexpr std::array<std::string_view, 3> refusals{"Error parsing option", "Unknown option: ", "Invalid value for "};

// The objects that a message may be of: the one that logs, what it belongs to, and what a codec's threads share.
bool is_of(const void* context, const void* wanted) {
    for (int depth = 0; context != nullptr && depth < 4; ++depth) {
        if (context == wanted) {
            return true;
        }
        const AVClass* const type = *static_cast<const AVClass* const*>(context);
        if (type == nullptr) {
            return false;
        }
        if (std::string_view(type->class_name) == "AVCodecContext" &&
            static_cast<const AVCodecContext*>(context)->opaque == wanted) {
            return true;
        }
        context = type->parent_log_context_offset != 0
                      ? *reinterpret_cast<const void* const*>(static_cast<const char*>(context) +
                                                              type->parent_log_context_offset)
                      : nullptr;
    }
    return false;
}

// "[h264 @ 0x55...] what", or of two: the addresses are of use to nobody, and others each time.
std::string without_speakers(std::string text) {
    for (std::size_t end = text.find("] "); text.starts_with('[') && end < text.size(); end = text.find("] ")) {
        if (text.substr(0, end).find(" @ 0x") == std::string::npos) {
            break;
        }
        text.erase(0, end + 2);
    }
    return text;
}

bool is_codec(const void* context, AVCodecID codec) {
    const AVClass* const type = context != nullptr ? *static_cast<const AVClass* const*>(context) : nullptr;
    return type != nullptr && std::string_view(type->class_name) == "AVCodecContext" &&
           static_cast<const AVCodecContext*>(context)->codec_id == codec;
}

bool has_chapters(const void* context) {
    const AVClass* const type = context != nullptr ? *static_cast<const AVClass* const*>(context) : nullptr;
    return type != nullptr && std::string_view(type->class_name) == "AVFormatContext" &&
           static_cast<const AVFormatContext*>(context)->nb_chapters > 0;
}

// Of what FFmpeg does not implement it warns in two pieces: what, and a long sentence. It is no damage.
void hear_what_is_lacking(const void* context, const char* format, va_list arguments) {
    static thread_local std::string what;
    if (std::string_view(format).starts_with(" is not implemented")) {
        counts_complaints = false;
        note_complaint(context, what + " is not implemented");
        counts_complaints = true;
    } else if (!std::string_view(format).ends_with('\n')) {
        std::array<char, 200> words{};
        va_list copy;
        va_copy(copy, arguments);
        std::vsnprintf(words.data(), words.size(), format, copy);
        va_end(copy);
        what = words.data();
    }
}

void hear_of_scans(const void* context, const char* format, va_list arguments) {
    static thread_local JpegScanLog log;
    va_list copy;
    va_copy(copy, arguments);
    const std::optional<std::int64_t> left = log.hear(format, copy);
    va_end(copy);
    if (left) {
        note_complaint(context, fmt::format("a scan goes on for {} bytes behind its picture", *left));
    }
}

bool is_measuring(const void* context) {
    const AVClass* const type = context != nullptr ? *static_cast<const AVClass* const*>(context) : nullptr;
    return type != nullptr && std::string_view(type->class_name) == "AVFilter" &&
           lavfi::has(static_cast<const AVFilterContext*>(context)->filter->name, lavfi::measures);
}

// Lines of its own, which may come in pieces.
void tell_result(const void* context, std::string_view piece) {
    static thread_local std::string line;
    for (const char c : piece) {
        if (c != '\n') {
            line += c;
        } else if (const std::string text = std::exchange(line, ""); text.find_first_not_of(' ') != std::string::npos) {
            spdlog::info("{}: {}", static_cast<const AVFilterContext*>(context)->filter->name, without_speakers(text));
        }
    }
}

void note(void* context, int level, const char* format, va_list arguments) {
    level &= 0xff;  // above are colours
    if (said_once != nullptr && level <= AV_LOG_ERROR && said_once->again(context, format)) {
        return;
    }
    const bool everything = tells_everything.load(std::memory_order_relaxed);
    const auto begins = [format](std::string_view start) { return std::string_view(format).starts_with(start); };
    if (level <= AV_LOG_INFO && std::ranges::any_of(doubtful_words, begins)) {
        note_doubt(context);
    }
    if (level == AV_LOG_WARNING && context != nullptr) {
        hear_what_is_lacking(context, format, arguments);
    }
    if (level == AV_LOG_DEBUG && is_codec(context, AV_CODEC_ID_MJPEG)) {
        hear_of_scans(context, format, arguments);
    }
    const bool serious =
        level <= AV_LOG_ERROR || (level == AV_LOG_DEBUG && std::string_view(format).starts_with(whispered));
    const bool refusal =
        level == AV_LOG_WARNING && listening_thread != nullptr && std::ranges::any_of(refusals, begins);
    MissingParts* parts = MissingParts::of_this_thread();
    parts = parts != nullptr && MissingParts::is_about_parts(format) ? parts : nullptr;
    const bool result = level == AV_LOG_INFO && tells_results && is_measuring(context);
    if (!serious && !refusal && parts == nullptr && !result && !(everything && level <= AV_LOG_VERBOSE)) {
        return;
    }
    constexpr std::size_t longest = 5 * 1024;  // FFmpeg's addresses have 4096 characters at most
    std::array<char, longest> line;            // NOLINT(cppcoreguidelines-pro-type-member-init): it is written at once
    int prefix = result ? 0 : 1;
    av_log_format_line(context, level, format, arguments, line.data(), static_cast<int>(line.size()), &prefix);
    if (result) {
        tell_result(context, line.data());
        return;
    }
    std::string text = line.data();
    const bool unfinished = !text.ends_with('\n');
    while (text.ends_with('\n')) {
        text.pop_back();
    }
    // Before the first picture there is none: -1.
    if (text.empty() || (level > AV_LOG_ERROR && !everything && text.ends_with(" -1"))) {
        return;
    }
    const bool usual = (text.find(unknowing) != std::string::npos && is_codec(context, AV_CODEC_ID_H261)) ||
                       (text.find(titleless) != std::string::npos && has_chapters(context));
    const bool settled = parts != nullptr && parts->hear(without_speakers(text), context);
    const bool counts = serious && !usual && !settled && !(level > AV_LOG_ERROR && text.ends_with(" -1"));
    text = shown_name(text);  // addresses may hold passwords
    ends_line_of = std::exchange(began_line, counts && unfinished ? context : nullptr);
    if (counts && context != nullptr) {
        note_complaint(context, text);
    }
    if (refusal) {
        note_refusal(without_speakers(text));
    }
    if (everything && level <= AV_LOG_VERBOSE) {
        spdlog::debug("{}", text);
    }
}

// No exception passes FFmpeg's C, in whose threads this may be. Who has no memory for a line has none for pictures
// either, and that ends the run with its own message.
void hear(void* context, int level, const char* format, va_list arguments) noexcept {
    try {
        note(context, level, format, arguments);
    } catch (const std::bad_alloc&) {
        return;
    }
}

}  // namespace

ThreadComplaints::ThreadComplaints() {
    listening_thread = this;
}

ThreadComplaints::~ThreadComplaints() {
    listening_thread = nullptr;
}

SaidOnce::SaidOnce() : before_(std::exchange(said_once, this)) {}

SaidOnce::~SaidOnce() {
    said_once = before_;
}

// What has arguments may be another thing each time.
bool SaidOnce::again(const void* context, const char* format) {
    const std::pair<const void*, const void*> said(context, format);
    if (std::find(said_.begin(), said_.begin() + count_, said) != said_.begin() + count_) {
        return true;
    }
    if (count_ < static_cast<std::ptrdiff_t>(said_.size()) && std::strchr(format, '%') == nullptr) {
        said_[static_cast<std::size_t>(count_++)] = said;
    }
    return false;
}

FilterResults::FilterResults(bool on) : before_(std::exchange(tells_results, on)) {}

FilterResults::~FilterResults() {
    tells_results = before_;
}

Complaints::~Complaints() {
    const std::lock_guard lock(listeners_mutex);
    std::erase_if(listeners(), [this](const Listening& row) { return row.listener == this; });
}

void Complaints::listen(const void* object) {
    const std::lock_guard lock(listeners_mutex);
    listeners().push_back({object, this});
}

void Complaints::forget(const void* object) {
    const std::lock_guard lock(listeners_mutex);
    std::erase_if(listeners(), [&](const Listening& row) { return row.listener == this && row.object == object; });
}

std::int64_t Complaints::count() const {
    const std::lock_guard lock(mutex_);
    return count_;
}

std::int64_t Complaints::doubts() const {
    const std::lock_guard lock(mutex_);
    return count_ + doubts_;
}

std::string Complaints::latest() const {
    const std::lock_guard lock(mutex_);
    return latest_;
}

void note_complaint(const void* object, const std::string& text) {
    if (std::ranges::any_of(harmless, [&](std::string_view part) { return text.find(part) != std::string::npos; })) {
        return;
    }
    const std::string said = without_speakers(text);
    const bool goes_on = object != nullptr && object == ends_line_of && said.find_first_of(",;:.) ") == 0;
    if (counts_complaints && listening_thread != nullptr && listening_thread->all_.size() < max_heard) {
        listening_thread->all_.push_back(text);
    }
    const std::lock_guard lock(listeners_mutex);
    for (const Listening& row : listeners()) {
        if (is_of(object, row.object)) {
            const std::lock_guard own(row.listener->mutex_);
            row.listener->count_ += goes_on || !counts_complaints ? 0 : 1;
            row.listener->latest_ = (goes_on ? row.listener->latest_ : "") + said;
        }
    }
}

void note_refusal(const std::string& text) {
    if (listening_thread != nullptr && listening_thread->refused_.size() < max_heard) {
        listening_thread->refused_.push_back(text);
    }
}

void note_doubt(const void* object) {
    const std::lock_guard lock(listeners_mutex);
    for (const Listening& row : listeners()) {
        if (is_of(object, row.object)) {
            const std::lock_guard own(row.listener->mutex_);
            ++row.listener->doubts_;
        }
    }
}

void connect_ffmpeg_log(bool everything) {
    tells_everything.store(everything, std::memory_order_relaxed);
    av_log_set_callback(hear);
}

}  // namespace vfilter
