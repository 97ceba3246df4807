#pragma once
// Whole runs of the program on files made on the spot, with the ffmpeg and ffprobe programs as witnesses.

#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/command.h"

namespace vfilter::test {

struct Packet {
    std::optional<std::int64_t> pts;
    std::optional<std::int64_t> dts;
    std::int64_t duration = 0;  ///< 0 if unknown
    std::int64_t size = 0;
    bool key = false;
    bool discarded = false;  ///< decoded but not shown: before the beginning of an edit list
    std::string hash;
};

/// What ffprobe sees of a stream.
struct Stream {
    nlohmann::json facts;
    std::vector<Packet> packets;  ///< in file order
    double tick = 0;              ///< seconds of a unit of pts, dts and duration

    [[nodiscard]] std::string type() const { return facts.value("codec_type", ""); }
    [[nodiscard]] std::string codec() const { return facts.value("codec_name", ""); }
    [[nodiscard]] std::string tag(const std::string& key) const;
    [[nodiscard]] bool has_disposition(const std::string& name) const;
    /// The entry of ffprobe's side_data_list, null if there is none.
    [[nodiscard]] nlohmann::json side_data(const std::string& type) const;
    /// Of all packets, in file order.
    [[nodiscard]] std::vector<std::string> hashes() const;
    /// In order of time, in seconds; NaN where it is missing.
    [[nodiscard]] std::vector<double> times() const;
    [[nodiscard]] std::vector<double> durations() const;
    /// Without the packets that are not shown.
    [[nodiscard]] Stream shown() const;
};

struct Media {
    nlohmann::json format;
    nlohmann::json chapters;
    std::vector<Stream> streams;
    std::vector<double> pictures;  ///< seconds at which those of the first video are shown, NaN where nobody knows

    /// The streams of a type: video (without covers), audio, subtitle, data, attachment.
    [[nodiscard]] std::vector<Stream> of(const std::string& type) const;
    /// The one video stream. Throws if there is none or another.
    [[nodiscard]] Stream video() const;
    [[nodiscard]] std::string tag(const std::string& key) const;
};

/// Equal lists of seconds, but for `tolerance` each: half of the coarser clock's tick, or nothing for equal clocks.
testing::AssertionResult same_seconds(const std::vector<double>& wanted, const std::vector<double>& seen,
                                      double tolerance);

constexpr double exactly = 1e-9;

class EndToEnd : public testing::Test {
protected:
    EndToEnd();

    /// For lines of bash: the program as it is kept started, which takes a sixth of the time. $VFILTER is for runs that
    /// are killed, preloaded, or have more descriptors than three or fewer.
    static constexpr const char* kept = "\"${VFILTER_KEPT:-$VFILTER}\" ";

    /// A line of bash in the test's folder, where $VFILTER is the program.
    [[nodiscard]] Result run(const std::string& line) const;
    /// The program with these arguments.
    [[nodiscard]] Result vfilter(const std::string& arguments) const;
    /// The program with -y and a report; it must end with 0 (5 where damage is expected, either where it is possible)
    /// after as many frames out as in. Gives the report, with the lines on stderr as "stderr".
    enum class Damage { none, possible, expected };
    nlohmann::json filter(const std::string& arguments, Damage damage = Damage::none) const;
    /// The ffmpeg program, which must succeed. What it makes of nothing but generated inputs is made once
    /// (clip_store.h).
    void ffmpeg(const std::string& arguments) const;
    /// What ffmpeg prints on stdout.
    [[nodiscard]] std::string ffmpeg_output(const std::string& arguments) const;
    /// What ffmpeg says while it decodes all of a file, and its exit code unless that is 0. `options` come before or
    /// behind the input.
    [[nodiscard]] std::string ffmpeg_complaints(const std::string& name, const std::string& before = "",
                                                const std::string& behind = "") const;
    /// A small clip: `frames` pictures at 25 per second, with B-frames, and a second of sound for every 25.
    void make_clip(const std::string& name, int frames = 25, const std::string& more = "") const;

    /// What ffprobe sees. It must not complain of a container whose name does not begin with "in".
    [[nodiscard]] Media probe(const std::string& name) const;
    /// Media::pictures of a file, and how many they are.
    [[nodiscard]] std::vector<double> picture_times(const std::string& name) const { return probe(name).pictures; }
    [[nodiscard]] std::int64_t count_pictures(const std::string& name) const {
        return std::ssize(probe(name).pictures);
    }
    /// MD5 of each decoded picture, a line each.
    [[nodiscard]] std::vector<std::string> picture_hashes(const std::string& name, const std::string& more = "") const;
    /// Those of ffmpeg's format framemd5.
    [[nodiscard]] static std::vector<std::string> hashes_in(const std::string& framemd5);

    [[nodiscard]] std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }
    [[nodiscard]] bool exists(const std::string& name) const { return std::filesystem::exists(path(name)); }
    [[nodiscard]] std::string content(const std::string& name) const;
    void write(const std::string& name, const std::string& content) const;
    [[nodiscard]] nlohmann::json json_of(const std::string& name) const;
    /// Names in the test's folder, sorted, and of those only unfinished outputs.
    [[nodiscard]] std::vector<std::string> names() const;
    [[nodiscard]] std::vector<std::string> parts() const;
    /// Waits until so much of an unfinished output has reached the disk, or the command has ended. What another run has
    /// left does not count.
    void wait_for_part(Command& command, std::uintmax_t bytes = 1) const;
    [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }

private:
    Folder folder_;
};

}  // namespace vfilter::test
