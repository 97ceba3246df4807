#pragma once
// What a container's own structure says, independently of its demuxer. FFmpeg's demuxers silently step over damage, so
// that a file that lost a part looks undamaged.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/bitstream/bytes.h"

namespace vfilter {

class BehindEnd;

/// No real file has more tracks.
constexpr std::size_t max_tracks = 1000;
/// How many bytes a scan searches at once for a place to continue at, after damage.
constexpr std::size_t search_window = 64 * 1024;

/// For files that were joined byte by byte, where the demuxer stops at the end of the first.
constexpr std::string_view another_file = "another file begins, which is not read,";
/// For files with several pictures, of which one is decoded.
constexpr std::string_view another_picture = "another picture begins, which is not read,";

/// A place where a container contradicts itself.
struct ContainerFault {
    std::int64_t offset = 0;  ///< byte in the file
    std::string what;         ///< one short phrase, such as "unknown element 0x83"
};

/// What a container holds for one track, and what it says that it holds.
struct TrackEvidence {
    enum class Kind { video, audio, other };
    Kind kind = Kind::other;
    std::int64_t id = 0;                   ///< as named by the container: track ID or number, PID, serial, index
    std::int64_t found = 0;                ///< packets found in the walk so far; with a sample table, at the end
    std::optional<std::int64_t> promised;  ///< packets, by header, index or tags
    std::string source;                    ///< of that number: "sample table", "stream header", "NUMBER_OF_FRAMES tag"
    std::optional<double> seconds;         ///< duration of this track alone, according to the file
    bool counts_empty = true;              ///< `found` counts every packet, including those that demuxers do not return
    /// Packets without any bytes among those in `found`, if a working demuxer certainly returns every other one: for
    /// sound, parsers may leave out or join some.
    /// of sound parsers may leave out or join some.
    std::optional<std::int64_t> empty{};
    bool shows_all = false;  ///< if a table lists all packets: none of them is to be hidden
};

/// Walks through the structure of one file from its beginning to its end. It reads nothing: it says which bytes it
/// wants next, and is given them. Whatever the bytes are, each call of take() advances the wish, or ends it. One
/// thread.
class ContainerScan {
public:
    /// The next bytes to provide. Offsets never decrease. Size 0: nothing more is wanted.
    struct Wish {
        std::int64_t offset = 0;
        std::size_t size = 0;
    };
    virtual ~ContainerScan() = default;
    ContainerScan(const ContainerScan&) = delete;
    ContainerScan& operator=(const ContainerScan&) = delete;

    [[nodiscard]] Wish wish() const { return wish_; }
    /// The requested bytes; fewer only if the file ends, and never none.
    virtual void take(Bytes bytes) = 0;
    /// Everything was provided; the file has `size` bytes. After this faults() and tracks() are complete.
    virtual void end(std::int64_t size) = 0;

    /// The first 64. After many thousands a scan is given no more bytes.
    [[nodiscard]] const std::vector<ContainerFault>& faults() const { return faults_; }
    [[nodiscard]] std::int64_t fault_count() const { return fault_count_; }
    /// In the container's order.
    [[nodiscard]] const std::vector<TrackEvidence>& tracks() const { return tracks_; }
    /// For an animation, once its first picture was found: how often it is played, 0 for ever.
    [[nodiscard]] std::optional<std::int64_t> plays() const { return plays_; }
    /// After the end: whether the file is known to be undamaged, so that a demuxer's error there does not count.
    [[nodiscard]] virtual bool is_whole() const { return false; }
    /// Whether everything found so far in a track is scrambled, according to the container.
    [[nodiscard]] virtual bool is_scrambled(std::int64_t /*id*/) const { return false; }

protected:
    ContainerScan() = default;

    /// Where the bytes of the wish begin: those that take() was given, until it advances.
    [[nodiscard]] std::int64_t here() const { return wish_.offset; }
    [[nodiscard]] std::size_t wanted() const { return wish_.size; }
    /// Whether the file ends within the requested bytes, of which these are available.
    [[nodiscard]] bool is_short(Bytes bytes) const { return bytes.size() < wish_.size; }
    void wish_for(std::int64_t offset, std::size_t size) { wish_ = {offset, size}; }
    /// Nothing more is wanted.
    void stop() { wish_.size = 0; }
    /// Nothing more is wanted, but the file should reach to this byte: end() checks whether it does.
    void stop_at(std::int64_t offset) { wish_ = {offset, 0}; }
    /// Continues from a window in which nothing was found to the next one, which repeats its last bytes.
    void search_on(Bytes window, std::size_t repeated);
    /// Examines a window after the end, and continues with the next one as long as that matters.
    void look_behind(BehindEnd& behind, Bytes window);

    void fault(std::int64_t offset, std::string_view what);
    /// Reports faults if there are at most that many of these places: what a writer does all the time is not damage.
    void fault_rare(const std::vector<std::int64_t>& places, std::int64_t most, std::string_view what);
    void fault_behind(const BehindEnd& behind, std::string_view what);
    /// The track with that id, or null.
    [[nodiscard]] TrackEvidence* track(std::int64_t id);
    /// That track, or a new one; null if there are more than any real file has.
    TrackEvidence* track_of(TrackEvidence::Kind kind, std::int64_t id);
    /// Null if there are more tracks than any real file has.
    TrackEvidence* add_track(TrackEvidence::Kind kind, std::int64_t id);
    [[nodiscard]] std::vector<TrackEvidence>& evidence() { return tracks_; }
    void play(std::int64_t times) { plays_ = times; }

private:
    Wish wish_;
    std::vector<ContainerFault> faults_;
    std::int64_t fault_count_ = 0;
    std::vector<TrackEvidence> tracks_;
    std::optional<std::int64_t> plays_;
};

/// For FFmpeg's name of a demuxer, such as "mov,mp4,m4a,3gp,3g2,mj2"; null if a container has no structure that could
/// be checked.
std::unique_ptr<ContainerScan> make_container_scan(std::string_view demuxer);

/// Feeds a scan with the bytes that somebody else reads.
class ScanFeeder {
public:
    explicit ScanFeeder(std::unique_ptr<ContainerScan> scan);

    /// Bytes read at `offset` of the file. Bytes before the wish are ignored, and a wish that spans several calls is
    /// collected. If the reader jumps ahead of the wish, the scan waits for these bytes or for finish().
    void feed(std::int64_t offset, Bytes bytes) {
        if (next_ >= offset && next_ - offset < static_cast<std::int64_t>(bytes.size())) {
            give(offset, bytes);
        }
    }
    /// The end of the file of `size` bytes. What is still wanted is requested with `read`, which returns how many bytes
    /// it read at `offset`, 0 at the end. It is empty for pipes: if not all of their bytes were fed, the scan stops
    /// without reaching its end.
    void finish(std::int64_t size,
                const std::function<std::size_t(std::int64_t offset, std::span<std::uint8_t> to)>& read);
    /// Whether the scan reached the end of the file.
    [[nodiscard]] bool complete() const { return complete_; }
    [[nodiscard]] const ContainerScan& scan() const { return *scan_; }

private:
    [[nodiscard]] ContainerScan::Wish wish() const;
    void give(std::int64_t offset, Bytes bytes);
    void look_ahead();

    std::unique_ptr<ContainerScan> scan_;
    std::int64_t next_ = 0;          // the first byte that is not available yet; INT64_MAX if none is wanted
    std::int64_t collected_at_ = 0;  // where collected_ begins in the file
    std::vector<std::uint8_t> collected_;
    bool complete_ = false;
};

}  // namespace vfilter
