#pragma once
// Damage that was encountered and survived: what a run that ends with exit code 5 reports.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace vfilter {

/// Plain counts, owned by whoever counts.
struct Damage {
    std::int64_t packets = 0;          ///< marked corrupt by the container, refused by decoder or muxer, or missing
    std::int64_t left_out = 0;         ///< of these, whole ones: of another codec, format or time than can be written
    std::int64_t silences = 0;         ///< of these, one for each time that a stream fell silent
    std::int64_t frames = 0;           ///< decoded with errors
    std::int64_t pictures = 0;         ///< missing by count: promised packets, pictures of packets
    std::int64_t holes = 0;            ///< pictures missing by time: gaps in timestamps of a constant rate
    std::int64_t complaints = 0;       ///< errors that FFmpeg's demuxer and decoders logged
    std::int64_t faults = 0;           ///< places where the container contradicts itself
    double missing_seconds = 0;        ///< by which a stream ended before its own duration
    bool lost = false;                 ///< a live input or a pipe was lost or fell silent, and did not come back
    std::vector<std::string> notes{};  ///< the first findings, with their places; a phrase each
    std::vector<std::string> added{};  ///< names of files added to the input that are damaged
    bool of_added = false;             ///< the input itself is undamaged

    static constexpr std::size_t max_notes = 12;

    [[nodiscard]] bool any() const {
        return packets > 0 || frames > 0 || missing_pictures() > 0 || complaints > 0 || faults > 0 ||
               missing_seconds > 0 || lost;
    }
    /// What is missing by count usually leaves a gap as well: it does not count twice.
    [[nodiscard]] std::int64_t missing_pictures() const { return std::max(pictures, holes); }
    void note(std::string text) {
        if (notes.size() < max_notes && std::ranges::find(notes, text) == notes.end()) {
            notes.push_back(std::move(text));
        }
    }
    void leave_out(std::int64_t count = 1) {
        packets += count;
        left_out += count;
    }
    void fall_silent() {
        ++packets;
        ++silences;
    }
    /// Attributes all of it to that file, which was added to the input.
    Damage& give_to(const std::string& file) {
        of_added = any();
        added.assign(of_added ? 1 : 0, file);
        return *this;
    }
    Damage& operator+=(const Damage& other) {
        of_added = (of_added || !any()) && (other.of_added || !other.any()) && (of_added || other.of_added);
        for (const std::string& file : other.added) {
            if (std::ranges::find(added, file) == added.end()) {
                added.push_back(file);
            }
        }
        packets += other.packets;
        left_out += other.left_out;
        silences += other.silences;
        frames += other.frames;
        pictures += other.pictures;
        holes += other.holes;
        complaints += other.complaints;
        faults += other.faults;
        missing_seconds = std::max(missing_seconds, other.missing_seconds);
        lost = lost || other.lost;
        for (const std::string& text : other.notes) {
            note(text);
        }
        return *this;
    }
};

}  // namespace vfilter
