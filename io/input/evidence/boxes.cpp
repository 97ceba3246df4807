#include "io/input/evidence/boxes.h"

#include <array>
#include <limits>

namespace vfilter {

BoxHead BoxHead::read(Bytes bytes, std::size_t at) {
    constexpr std::size_t usual = 8;
    const std::uint64_t size = big_endian(bytes, at, 4);
    const auto type = static_cast<std::uint32_t>(big_endian(bytes, at + 4, 4));
    return size == 1 ? BoxHead{type, big_endian(bytes, at + usual, 8), most} : BoxHead{type, size, usual};
}

bool each_box(Bytes bytes, const std::function<void(std::uint32_t type, Bytes payload, std::size_t at)>& use) {
    std::size_t at = 0;
    while (bytes.size() - at >= 8) {
        const BoxHead head = BoxHead::read(bytes, at);
        const std::uint64_t rest = bytes.size() - at;
        const std::uint64_t size = head.size == 0 ? rest : head.size;
        if (!head.possible() || size < head.length || size > rest) {
            return head.size == 0 && all_zero(part(bytes, at));  // QuickTime ends some lists with zeroes
        }
        use(head.type, part(bytes, at + head.length, static_cast<std::size_t>(size) - head.length), at + head.length);
        at += static_cast<std::size_t>(size);
    }
    return true;
}

std::int64_t FileBox::end() const {
    return head.size == 0 ? std::numeric_limits<std::int64_t>::max() : at + static_cast<std::int64_t>(head.size);
}

std::int64_t each_file_box(const ReadBytes& read, std::int64_t at, const std::function<bool(const FileBox&)>& use) {
    constexpr int most_boxes = 4096;
    for (int i = 0; i < most_boxes; ++i) {
        std::array<std::uint8_t, BoxHead::most> bytes{};
        if (read(at, bytes) < 8) {
            return at;
        }
        const FileBox box{at, BoxHead::read(bytes)};
        const auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max() - at);
        if (!box.head.possible() || box.head.size > most || box.head.length > most || !use(box)) {
            return at;
        }
        at = box.end();
        if (box.head.size == 0) {
            break;
        }
    }
    return at;
}

}  // namespace vfilter
