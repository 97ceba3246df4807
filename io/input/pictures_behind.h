#pragma once
// Pictures that lie behind another one in a file of JPEGs.

#include <cstdint>
#include <string>
#include <utility>

#include "io/handles.h"
#include "io/input/jpeg_parts.h"

namespace vfilter {

/// Parsers find the end of a JPEG, and what looks like another one behind it, which may be a part of the photograph;
/// but where the bytes of a motion photo's video look like the beginning of a segment they go on behind that, and over
/// a picture. Sorts out both, packet by packet. One thread.
class PicturesBehind {
public:
    /// The input's name, for people.
    explicit PicturesBehind(std::string name) : name_(std::move(name)) {}

    /// The picture that was overlooked behind the one before, if there is one.
    bool take(AVPacket& packet);
    /// A packet is later by the pictures that were overlooked before it.
    void delay(AVPacket& packet) const;
    /// Of a packet of JPEG in its place in the file: false where it is no picture by itself, of which the log tells the
    /// first time. What the parser overlooked behind the picture is taken out of it, and is there to be taken. Throws
    /// std::bad_alloc.
    [[nodiscard]] bool is_picture(AVPacket& packet);
    /// The next packet begins there.
    void go_to(std::int64_t place);

private:
    std::string name_;
    JpegParts parts_;
    PacketPtr overlooked_ = make_packet();  // a picture behind another one that was read with it
    std::int64_t later_by_ = 0;             // what comes behind such pictures
    bool tells_previews_ = true;
    bool tells_movies_ = true;
};

}  // namespace vfilter
