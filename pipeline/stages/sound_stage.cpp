#include "pipeline/stages/sound_stage.h"

#include <optional>
#include <utility>

namespace vfilter {

SoundStage::SoundStage(StageRun& run, SoundRoute& route, Channel<OutputPacket>& output)
    : run_(run), route_(route), meter_(run, StageId::sound, route.number), output_(output) {}

void SoundStage::run() {
    for (bool more = true; more;) {
        meter_.enter(Activity::waiting_for_input);
        const std::optional<PacketPtr> packet = route_.packets.receive();
        if (run_.is_cancelled()) {
            return;
        }
        meter_.enter(Activity::working);
        meter_.reached(meter_.items());
        more = packet.has_value();
        route_.converter.send(more ? packet->get() : nullptr);
        while (PacketPtr encoded = route_.converter.receive()) {
            OutputPacket item;
            item.packet = std::move(encoded);
            item.from = OutputPacket::From::sound_encoder;
            item.encoder = route_.number;
            meter_.enter(Activity::waiting_for_output);
            if (!output_.send(std::move(item))) {
                return;
            }
            meter_.enter(Activity::working);
        }
        if (more) {
            meter_.count();
        }
    }
}

}  // namespace vfilter
