#pragma once
// Converts packets of one audio stream to packets of another codec, for the muxer.

#include "io/codec/sound/sound_converter.h"
#include "pipeline/stages/stage.h"

namespace vfilter {

/// One audio stream that is re-encoded, and the channel from the reader.
struct SoundRoute {
    /// `converter` must outlive it.
    SoundRoute(std::size_t sound, SoundConverter& of) : number(sound), converter(of), packets(packets_ahead) {}

    std::size_t number;  ///< 0 for the first
    SoundConverter& converter;
    Channel<PacketPtr> packets;
};

/// One thread calls run(), once.
class SoundStage {
public:
    /// All must outlive the stage.
    SoundStage(StageRun& run, SoundRoute& route, Channel<OutputPacket>& output);

    /// Runs until the encoder has returned everything or nothing more is wanted. Throws Error.
    void run();

private:
    StageRun& run_;
    SoundRoute& route_;
    StageMeter meter_;
    Channel<OutputPacket>& output_;
};

}  // namespace vfilter
