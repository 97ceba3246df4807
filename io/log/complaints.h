#pragma once
// What FFmpeg complains of. Its demuxers and decoders often go on after an error and tell only their log.

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace vfilter {

/// An object of FFmpeg's has logged an error: whoever listens to it, or to what it belongs to, counts it. Thread-safe.
void note_complaint(const void* object, const std::string& text);
/// A parameter was not taken, which the call of FFmpeg's does not say: the ThreadComplaints of this thread hear of it.
void note_refusal(const std::string& text);
/// It makes up for what is missing.
void note_doubt(const void* object);

/// Hears the errors that some of FFmpeg's objects log. Thread-safe; decoders log from threads of their own.
class Complaints {
public:
    Complaints() = default;
    ~Complaints();
    Complaints(const Complaints&) = delete;
    Complaints& operator=(const Complaints&) = delete;

    /// From now on errors of `object` count here: a context of FFmpeg's, or the `opaque` of an AVCodecContext, which
    /// the copies that its threads make of it share. One listener for each object; it ends with the listener.
    void listen(const void* object);
    /// Before an object ends that the listener outlives: another one may be where it was.
    void forget(const void* object);
    [[nodiscard]] std::int64_t count() const;
    /// Those, and what is said where a decoder makes up for what is missing, or a muxer is late by its own clock, which
    /// are no errors to them.
    [[nodiscard]] std::int64_t doubts() const;
    /// The last one, without line ends; "" if there was none.
    [[nodiscard]] std::string latest() const;

private:
    friend void note_complaint(const void* object, const std::string& text);
    friend void note_doubt(const void* object);

    mutable std::mutex mutex_;
    std::int64_t count_ = 0;
    std::int64_t doubts_ = 0;
    std::string latest_;
};

/// Hears the errors that calls of this thread make FFmpeg log, of whatever object, while it lives: libavfilter's
/// filters are objects of their own, which nobody can listen to before they are made. One at a time in a thread.
class ThreadComplaints {
public:
    ThreadComplaints();
    ~ThreadComplaints();
    ThreadComplaints(const ThreadComplaints&) = delete;
    ThreadComplaints& operator=(const ThreadComplaints&) = delete;

    /// In their order, with the names of their objects in brackets: "[Parsed_crop_0 @ 0x55...] what". The first few.
    [[nodiscard]] const std::vector<std::string>& all() const { return all_; }
    /// Of the parameters that an encoder library was given, what it did not take; it goes on without them. Without the
    /// names of objects. The first few.
    [[nodiscard]] const std::vector<std::string>& refused() const { return refused_; }
    void clear() { all_.clear(); }

private:
    friend void note_complaint(const void* object, const std::string& text);
    friend void note_refusal(const std::string& text);

    std::vector<std::string> all_;
    std::vector<std::string> refused_;
};

/// While it lives, an error that this thread logs again in the same words counts once: a demuxer that looks for a place
/// to go on at may say the same of every byte of a hole.
class SaidOnce {
public:
    SaidOnce();
    ~SaidOnce();
    SaidOnce(const SaidOnce&) = delete;
    SaidOnce& operator=(const SaidOnce&) = delete;

    /// Whether the same object has logged that before. Both are known by their places alone.
    [[nodiscard]] bool again(const void* context, const char* format);

private:
    std::array<std::pair<const void*, const void*>, 8> said_{};
    std::ptrdiff_t count_ = 0;
    SaidOnce* before_;
};

/// While it lives, and where it is `on`, what measuring filters of libavfilter (cropdetect, ebur128) say in calls of
/// this thread is told at the level info.
class FilterResults {
public:
    explicit FilterResults(bool on);
    ~FilterResults();
    FilterResults(const FilterResults&) = delete;
    FilterResults& operator=(const FilterResults&) = delete;

private:
    bool before_;
};

/// FFmpeg's log goes to those who listen, and with `everything` to vfilter's own at the level debug; nothing goes to
/// stderr. Until this is called nobody hears anything.
void connect_ffmpeg_log(bool everything);

}  // namespace vfilter
