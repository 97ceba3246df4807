#pragma once
// Errors that FFmpeg reports. Its demuxers and decoders often continue after an error and mention it only in their log.

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace vfilter {

/// An FFmpeg object has logged an error: whoever listens to it, or to its owner, counts it. Thread-safe.
void note_complaint(const void* object, const std::string& text);
/// A parameter was not accepted, which FFmpeg's function does not return: this thread's ThreadComplaints are notified.
void note_refusal(const std::string& text);
/// It conceals missing data.
void note_doubt(const void* object);

/// Receives the errors that certain FFmpeg objects log. Thread-safe; decoders log from their own threads.
class Complaints {
public:
    Complaints() = default;
    ~Complaints();
    Complaints(const Complaints&) = delete;
    Complaints& operator=(const Complaints&) = delete;

    /// From now on errors of `object` count here: an FFmpeg context, or the `opaque` of an AVCodecContext, which is
    /// shared by the copies that its threads make of it. One listener per object; listening ends with the listener.
    void listen(const void* object);
    /// Before the end of an object that the listener outlives: another one may later be at its address.
    void forget(const void* object);
    [[nodiscard]] std::int64_t count() const;
    /// These, plus messages of a decoder that conceals missing data, or of a muxer that is late by its own clock, which
    /// they do not log as errors.
    [[nodiscard]] std::int64_t doubts() const;
    /// The latest one, without line ends; "" if there was none.
    [[nodiscard]] std::string latest() const;

private:
    friend void note_complaint(const void* object, const std::string& text);
    friend void note_doubt(const void* object);

    mutable std::mutex mutex_;
    std::int64_t count_ = 0;
    std::int64_t doubts_ = 0;
    std::string latest_;
};

/// While it exists, receives the errors that FFmpeg logs, for any object, in calls from this thread: libavfilter's
/// filters are separate objects, to which nobody can listen before they are created. One at a time per thread.
class ThreadComplaints {
public:
    ThreadComplaints();
    ~ThreadComplaints();
    ThreadComplaints(const ThreadComplaints&) = delete;
    ThreadComplaints& operator=(const ThreadComplaints&) = delete;

    /// In order, with the names of their objects in brackets: "[Parsed_crop_0 @ 0x55...] what". The first few.
    [[nodiscard]] const std::vector<std::string>& all() const { return all_; }
    /// The parameters that an encoder library was given and did not accept; it continues without them. Without the
    /// names of objects. The first few.
    [[nodiscard]] const std::vector<std::string>& refused() const { return refused_; }
    void clear() { all_.clear(); }

private:
    friend void note_complaint(const void* object, const std::string& text);
    friend void note_refusal(const std::string& text);

    std::vector<std::string> all_;
    std::vector<std::string> refused_;
};

/// While it exists, an error that this thread logs again with the same text counts once: a demuxer that looks for a
/// place to continue may report the same for every byte of a gap.
class SaidOnce {
public:
    SaidOnce();
    ~SaidOnce();
    SaidOnce(const SaidOnce&) = delete;
    SaidOnce& operator=(const SaidOnce&) = delete;

    /// Whether the same object has logged that before. Both are identified only by their addresses.
    [[nodiscard]] bool again(const void* context, const char* format);

private:
    std::array<std::pair<const void*, const void*>, 8> said_{};
    std::ptrdiff_t count_ = 0;
    SaidOnce* before_;
};

/// While it exists, and if it is `on`, the results of libavfilter's measuring filters (cropdetect, ebur128) in calls
/// from this thread are logged at level info.
class FilterResults {
public:
    explicit FilterResults(bool on);
    ~FilterResults();
    FilterResults(const FilterResults&) = delete;
    FilterResults& operator=(const FilterResults&) = delete;

private:
    bool before_;
};

/// Sends FFmpeg's log to the listeners, and with `everything` to vfilter's own log at level debug; nothing goes to
/// stderr. Before this call, listeners receive nothing.
void connect_ffmpeg_log(bool everything);

}  // namespace vfilter
