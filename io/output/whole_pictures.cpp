#include "io/output/whole_pictures.h"

#include <fmt/format.h>

#include <cstddef>
#include <span>

#include "io/containers.h"
#include "io/output/memory_output.h"

namespace vfilter {

void WholePictures::write(AVPacket& packet, const AVStream& stream) {
    if (container_of(container_).has(fact::as_encoded)) {
        sink_.write(std::span(packet.data, static_cast<std::size_t>(packet.size)));
        ++count_;
        return;
    }
    if ((packet.flags & AV_PKT_FLAG_KEY) == 0) {
        throw Error(ExitCode::encoder, "the encoder made a picture that builds on another one");
    }
    MemoryOutput file(container_);
    file.add_copy(stream);
    bool good = file.writes_header();
    packet.stream_index = 0;
    packet.pts = packet.dts = 0;
    good = good && av_write_frame(&file.context(), &packet) >= 0 && av_write_trailer(&file.context()) >= 0;
    if (!good) {
        throw Error(ExitCode::output, fmt::format("{} does not take the picture", container_.name));
    }
    sink_.write(file.take());
    ++count_;
}

}  // namespace vfilter
