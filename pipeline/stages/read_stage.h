#pragma once
// Passes on packets of the input: those of the filtered videos to their decoders, copied ones to the muxer.

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "io/bitstream/h264_fields.h"
#include "io/input/demuxer.h"
#include "io/input/part_cut.h"
#include "io/output/muxer.h"
#include "pipeline/stages/held_packets.h"
#include "pipeline/stages/sound_stage.h"
#include "pipeline/stages/stage.h"

namespace vfilter {

/// One thread calls run(), once. In live runs the reader does not wait for anybody.
class ReadStage {
public:
    /// `muxer` is null if nothing is written. `held` is where other packets wait if a decoder reads far ahead, else
    /// null. Everything referred to must outlive the stage.
    ReadStage(StageRun& run, Demuxer& demuxer, const Muxer* muxer, const std::vector<VideoRoute*>& routes,
              const std::vector<SoundRoute*>& sounds, Channel<OutputPacket>& output, HeldPackets* held);

    /// Runs until the input ends or nothing more is wanted from it. Throws Error.
    void run();

private:
    void read_all();
    [[nodiscard]] PacketPtr read();
    struct Video {
        VideoRoute& route;
        H264Fields fields;
        bool wanted = true;          // more packets
        bool waits_for_key = false;  // packets are missing before the next key frame
        bool past = false;           // the latest packet is after the end
    };
    [[nodiscard]] bool is_used(int stream) const;
    [[nodiscard]] Video* video_of(int stream);
    [[nodiscard]] bool any_video_wanted() const;
    [[nodiscard]] bool others_go_on() const;
    [[nodiscard]] bool pass_video(Video& video, InputPacket packet, const std::optional<PartCut::Span>& span);
    [[nodiscard]] bool send(Video& video, InputPacket packet);
    [[nodiscard]] bool pass_sound(SoundRoute& sound, PacketPtr packet, const std::optional<PartCut::Span>& span);
    [[nodiscard]] bool pass_copy(PacketPtr packet, const std::optional<PartCut::Span>& span);

    StageRun& run_;
    StageMeter meter_;
    Demuxer& demuxer_;
    const Muxer* muxer_;
    std::vector<Video> videos_;
    std::map<int, SoundRoute*> sounds_;  // by input stream
    Channel<OutputPacket>& output_;
    HeldPackets* held_;
    std::int64_t sent_ = 0;  // packets of the video, if others are held
    PartCut cut_;
};

}  // namespace vfilter
