#include "io/log/missing_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "io/source.h"

namespace vfilter {

namespace {

// What the lines begin with, in FFmpeg 5.1 to 7.1.
constexpr std::string_view hls_request = "HLS request for url '";
constexpr std::string_view dash_request = "DASH request for url '";
constexpr std::string_view no_segment = "Failed to open segment ";
constexpr std::string_view no_fragment = "Failed to open fragment of playlist";
constexpr std::string_view nothing_behind = "Error when loading first fragment of playlist";
constexpr std::string_view by_duration = "rep->fragment_duration = [";
constexpr std::string_view no_initialization = "Failed to open an initialization section";
constexpr std::string_view no_reload = "Failed to reload playlist";
constexpr std::string_view expired = "skipping ";
constexpr std::string_view expired_end = "expired from playlists";
constexpr std::string_view no_playlist = "parse_playlist error ";
constexpr std::string_view empty_variant = "Empty segment [";
constexpr std::string_view no_subtitles = "Can't support the subtitle(uri: ";
constexpr std::string_view no_key = "Unable to open key file ";
constexpr std::string_view http_error = "HTTP error ";
constexpr std::string_view no_connection = "Connection to ";
constexpr std::string_view skipped_tag = "Skip ('";  // what FFmpeg does not heed
constexpr std::string_view joint = "Skip ('#EXT-X-DISCONTINUITY')";
// An integer of the tag before it: how many of those that stood at the list's beginning are gone from it.
constexpr std::string_view joint_sequence = "Skip ('#EXT-X-DISCONTINUITY-SEQUENCE:";
constexpr std::string_view early_end = "Stream ends prematurely at ";
constexpr std::string_view reconnects = "Will reconnect at ";
constexpr std::string_view http_request = "request: ";
constexpr std::string_view size_of_chunk = "Chunked encoding data size: ";

constexpr std::array about_parts{hls_request,   dash_request,      no_segment, no_fragment,  nothing_behind,
                                 by_duration,   no_initialization, no_reload,  expired,      no_playlist,
                                 empty_variant, no_subtitles,      no_key,     http_error,   no_connection,
                                 skipped_tag,   early_end,         reconnects, http_request, size_of_chunk};

constexpr std::string_view unknown_size = "18446744073709551615";

thread_local MissingParts* hearing_parts = nullptr;

// What lies behind the first `open`, up to the last `close`.
std::string_view between(std::string_view line, std::string_view open, char close) {
    const std::size_t begin = line.find(open);
    if (begin == std::string_view::npos) {
        return {};
    }
    line.remove_prefix(begin + open.size());
    return line.substr(0, line.rfind(close));
}

// 12 of "a segment is missing, http://host:80/chunk-0-00012.m4s?key: HTTP error 404"; -1 without a number.
std::int64_t segment_number(std::string_view what) {
    const std::string_view to_query = what.substr(0, what.find('?'));
    const std::string_view address = to_query.substr(0, to_query.find(": "));
    const std::string_view digits = "0123456789";
    const std::size_t name = address.rfind('.');
    const std::size_t end = address.find_last_of(digits, name);
    const std::size_t before = end == std::string_view::npos ? end : address.find_last_not_of(digits, end);
    std::int64_t number = -1;
    if (before != std::string_view::npos) {
        std::from_chars(address.data() + before + 1, address.data() + end + 1, number);
    }
    return number;
}

// "... of playlist 3" and "..., playlist 3".
std::string playlist_of(std::string_view line) {
    const std::size_t number = line.rfind("playlist ");
    return number == std::string_view::npos ? "" : std::string(line.substr(number));
}

}  // namespace

MissingParts::Hearing::Hearing(MissingParts& parts) {
    hearing_parts = &parts;
}

MissingParts::Hearing::~Hearing() {
    hearing_parts = nullptr;
}

MissingParts* MissingParts::of_this_thread() {
    return hearing_parts;
}

bool MissingParts::is_about_parts(std::string_view format) {
    return std::ranges::any_of(about_parts, [&](std::string_view start) { return format.starts_with(start); });
}

bool MissingParts::hear(std::string_view line, const void* speaker) {
    if (settle_fragment(line)) {
        return true;
    }
    note(line, speaker);
    return false;
}

// By a duration that is rounded, a playlist of DASH without a timeline may promise one segment more than there are.
// FFmpeg asks for it, and then says that nothing is behind it.
bool MissingParts::settle_fragment(std::string_view line) {
    if (fragment_.empty()) {
        return false;
    }
    const bool last = line.starts_with(nothing_behind);
    if (last) {
        last_.push_back(std::move(fragment_));
    } else {
        missing(std::move(fragment_));
    }
    fragment_.clear();
    return last;
}

void MissingParts::note(std::string_view line, const void* speaker) {
    if (line.starts_with(hls_request) || line.starts_with(dash_request)) {
        request(line);
    } else if (line.starts_with(no_segment)) {
        remember(failed_segment());
        failed_.insert_or_assign(playlist_of(line), Failed{request_, failed_segment()});
    } else if (line.starts_with(no_fragment)) {
        fragment_ = failed_segment();
    } else if (line.starts_with(by_duration)) {
        by_duration_ = true;
    } else if (line.starts_with(no_initialization)) {
        missing(failed_segment());
    } else if (line.starts_with(no_reload)) {
        missing("a playlist could not be read again" + why());
    } else if (line.starts_with(expired) && line.ends_with(expired_end)) {
        std::int64_t count = 1;
        std::from_chars(line.data() + expired.size(), line.data() + line.size(), count);
        count = std::clamp<std::int64_t>(count, 1, 1'000'000);  // no list has more, whatever it says
        missing(fmt::format("{} segments of a live playlist were gone before they were read", count), count);
    } else if (line.starts_with(no_playlist)) {
        unopened(line);
    } else if (line.starts_with(empty_variant)) {
        left_aside(line);
    } else if (line.starts_with(no_subtitles)) {
        subtitles_.push_back(shown_name(between(line, "(uri: ", ')')));
    } else if (line.starts_with(no_key)) {
        remember(fmt::format("the key of {} could not be had{}", address_, why()));
    } else if (line.starts_with(http_error) || line.starts_with(no_connection)) {
        reason_ = shown_name(line);
    } else if (line == joint) {
        add_joint();
    } else if (line.starts_with(joint_sequence)) {
        std::from_chars(line.data() + joint_sequence.size(), line.data() + line.size(), joints_before_);
    } else if (line.starts_with(http_request)) {
        begin_answer(line.substr(http_request.size()), speaker);
    } else if (line.starts_with(size_of_chunk)) {
        answers_.begun(speaker, line.substr(size_of_chunk.size()) == "0");
    } else if (line.starts_with(early_end)) {
        answer_ends(line, speaker);
    } else if (line.starts_with(reconnects)) {
        cut_.clear();
    }
}

void MissingParts::unopened(std::string_view line) {
    const std::string_view why = line.substr(no_playlist.size(), line.rfind(" [") - no_playlist.size());
    const std::string address(between(line, "[", ']'));
    remember(fmt::format("{} ({})", why, shown_name(address)));
    unopened_.emplace(address, why);
}

// Said of a variant, and of renditions not.
void MissingParts::left_aside(std::string_view line) {
    const std::string address(between(line, "[", ']'));
    const auto unopened = unopened_.find(address);
    spdlog::warn("a variant of the playlist is left aside, {}: {}", shown_name(address),
                 unopened == unopened_.end() ? "it has no segments" : unopened->second);
    unopened_.erase(address);
}

// What is asked for anew may come. Where the next segment is asked for, the one before it is lost.
void MissingParts::request(std::string_view line) {
    const std::string playlist = playlist_of(line);
    request_ = line;
    asked_ = between(line, "'", '\'');
    address_ = shown_name(asked_);
    reason_.clear();
    if (const auto failed = failed_.find(playlist); failed != failed_.end()) {
        if (failed->second.request != request_) {
            missing(failed->second.what);
        }
        failed_.erase(failed);
    }
}

// A segment's end counts when nobody went on there; the end of an answer that is no segment, its reader sees.
void MissingParts::answer_ends(std::string_view line, const void* speaker) {
    tell_cut();
    const bool unsized = line.ends_with(unknown_size);
    const bool in_chunk = answers_.is_open(speaker);
    ends_anywhere_ = unsized && !in_chunk;
    if (unsized && in_chunk && !request_.empty()) {
        cut_ = "a segment breaks off";
        answers_.ended(speaker);
    } else if (!unsized && !request_.empty()) {
        const std::string_view sizes = line.substr(early_end.size());
        cut_ = fmt::format("a segment ends after {} of {} bytes", sizes.substr(0, sizes.find(',')),
                           sizes.substr(sizes.rfind(' ') + 1));
    }
}

void MissingParts::begin_answer(std::string_view asked, const void* speaker) {
    if (const std::string broken = answers_.requested(speaker, asked, asked_); !broken.empty()) {
        missing("a segment breaks off, " + shown_name(broken));
    }
    list_ = asked.substr(0, asked.find('\n'));
    joints_here_ = 0;
    joints_before_ = -1;
}

// Lists repeat what others say, and say it again each time that they are read. Those that say how many joints have left
// them can be compared; of others each reading counts, rather too often than too seldom.
void MissingParts::add_joint() {
    constexpr std::int64_t most = 1'000'000;
    ++joints_here_;
    if (joints_before_ < 0) {
        std::int64_t& all = joined_[list_];
        joints_ = std::max(joints_, ++all);
        return;
    }
    const std::int64_t all = std::min(joints_before_, most) + joints_here_;
    joints_from_ = joints_from_ < 0 ? all - joints_here_ : joints_from_;
    joints_ = std::max(joints_, all - joints_from_);
}

void MissingParts::tell_cut() {
    if (!cut_.empty()) {
        missing(std::exchange(cut_, {}));
    }
}

std::string MissingParts::why() const {
    return reason_.empty() ? "" : ": " + reason_;
}

std::string MissingParts::failed_segment() const {
    return fmt::format("a segment is missing, {}{}", address_, why());
}

void MissingParts::remember(const std::string& what) {
    first_ = first_.empty() ? what : first_;
}

void MissingParts::missing(std::string what, std::int64_t count) {
    found_.complaints += count;
    holes_ += count;
    remember(what);
    found_.note(std::move(what));
}

void MissingParts::opened() {
    for (const auto& [address, why] : unopened_) {
        ++lasting_.complaints;
        lasting_.note(fmt::format("a rendition of the playlist is missing, {}: {}", shown_name(address), why));
    }
    unopened_.clear();
    if (!subtitles_.empty()) {
        spdlog::warn("the playlist's subtitles are left out, which FFmpeg does not read: {}",
                     fmt::join(subtitles_, ", "));
    }
    subtitles_.clear();
}

// Streams that lack what is promised to all of them have the same segment as their first that is not there.
void MissingParts::end(End how) {
    settle_fragment("");
    for (auto& [playlist, failed] : failed_) {
        missing(std::move(failed.what));
    }
    failed_.clear();
    for (const std::string& segment : answers_.open_segments()) {
        missing("a segment breaks off, " + shown_name(segment));
    }
    std::int64_t most = -1;
    for (const std::string& what : last_) {
        most = std::max(most, segment_number(what));
    }
    for (std::string& what : last_) {
        if (how == End::early || !by_duration_ || (how == End::uneven && segment_number(what) < most)) {
            missing(std::move(what));
        }
    }
    last_.clear();
}

Damage MissingParts::take() {
    tell_cut();
    return std::exchange(found_, {});
}

}  // namespace vfilter
