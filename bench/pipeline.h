#pragma once
// Whole runs and their parts: between what measures one video and what is told of it.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "bench/process.h"
#include "io/codec/decoder.h"
#include "io/formats/formats.h"
#include "io/input/demuxer.h"
#include "pipeline/engine/filter_engine.h"
#ifdef VFILTER_WITH_CUDA
#include "bench/host_copies.h"
#endif

namespace vfilter::bench {

struct Filtering {
    std::string name;    ///< for people
    Words arguments;     ///< vfilter's
    std::string ffmpeg;  ///< the nearest of FFmpeg's filters, "" for none
};
/// A small one, a large one, and a chain.
const std::vector<Filtering>& filterings();

/// The video of a file, decoded with nothing around it.
class VideoSource {
public:
    VideoSource(const std::string& path, const FilterDevice& device, int threads)
        : pool_(device.allocator()),
          demuxer_(input(path), [] { return false; }),
          decoder_(demuxer_, demuxer_.video_index(), pool_, threads, false) {}

    FramePtr next() {
        for (;;) {
            if (FramePtr picture = decoder_.receive()) {
                return picture;
            }
            if (ended_) {
                return nullptr;
            }
            PacketPtr packet = demuxer_.read();
            while (packet && packet->stream_index != demuxer_.video_index()) {
                packet = demuxer_.read();
            }
            ended_ = packet == nullptr;
            decoder_.send(packet.get());
        }
    }
    FramePool& pool() { return pool_; }
    [[nodiscard]] const Demuxer& demuxer() const { return demuxer_; }

private:
    static InputRequest input(const std::string& path) {
        InputRequest options;
        options.path = path;
        return options;
    }

    FramePool pool_;
    Demuxer demuxer_;
    Decoder decoder_;
    bool ended_ = false;
};

/// The first pictures of a video, in their native format, in memory that a device gave.
struct VideoPictures {
    VideoSource source;
    std::vector<FramePtr> list;
    AVPixelFormat given = AV_PIX_FMT_NONE;
    PictureFormat format;

    /// Throws std::runtime_error if there is none that can be filtered.
    VideoPictures(const std::string& clip, const FilterDevice& device, int threads);
    [[nodiscard]] FramePtr copy(int n) const {
        return FramePtr(av_frame_clone(list[static_cast<std::size_t>(n) % list.size()].get()));
    }
};

/// One way to spend time with pictures; run() tells how many there were.
struct Leg {
    std::string key;  ///< unique in a table
    std::string what;
    std::string with;  ///< processors, a GPU, a program
    bool ours = false;
    std::function<int()> run;
    std::vector<double> fps{};
    std::string failure{};

    [[nodiscard]] double median() const { return spread_of(fps).median; }
};

/// What is measured of one video.
class Contest {
public:
    Contest(const Wishes& wishes, std::string name, std::string clip, int frames);

    [[nodiscard]] std::size_t steps() const { return legs_.size() * static_cast<std::size_t>(rounds()); }
    void run(Progress& progress);
    void tell(Section& section) const;

private:
    struct Device {
        std::string name;
        bool cuda;
        std::unique_ptr<FilterDevice> device;
        std::unique_ptr<VideoPictures> pictures{};
        std::vector<std::unique_ptr<FilterEngine>> engines{};
    };

    [[nodiscard]] int rounds() const { return wishes_.rounds > 0 ? wishes_.rounds : wishes_.quick ? 1 : 3; }
    [[nodiscard]] std::string out() const { return folder_ / "out.mp4"; }
    [[nodiscard]] std::string encoder() const { return "libx264"; }
    void add_codecs();
    void add_filters(Device& device);
    void add_whole(const Device& device);
    void add_others();
    [[nodiscard]] int encode() const;

    [[nodiscard]] double fps(const std::string& key) const {
        const auto leg = std::ranges::find(legs_, key, &Leg::key);
        return leg == legs_.end() || leg->fps.empty() ? 0 : leg->median();
    }
    [[nodiscard]] double limit(const Leg& leg) const;
    [[nodiscard]] std::vector<std::string> sentences() const;

    const Wishes& wishes_;
    std::string name_;
    std::string clip_;
    int frames_;
    TemporaryFolder folder_;
    std::unique_ptr<FilterDevice> host_;
    std::vector<Device> devices_;
#ifdef VFILTER_WITH_CUDA
    std::unique_ptr<HostCopies> copies_;
#endif
    std::vector<Leg> legs_;
    std::map<std::string, std::vector<std::string>> limits_;  // of a whole: the legs it cannot be faster than
};

}  // namespace vfilter::bench
