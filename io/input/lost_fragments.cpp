#include "io/input/lost_fragments.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <utility>

namespace vfilter {

namespace {

constexpr std::int64_t nowhere = std::numeric_limits<std::int64_t>::max();
// So far behind what is read at most, as by a jump, boxes are followed.
constexpr std::int64_t max_behind = 16 << 20;
// Most lie near: it begins with a short piece, so that many holes do not make as many long ones.
constexpr std::size_t first_block = 1 << 12;
constexpr std::size_t largest_block = 1 << 20;
constexpr std::uint32_t fragment_header_size = 16;

// A box `moof` begins with a `mfhd`, of which all is known but its number.
constexpr std::size_t head_size = 8;
constexpr std::size_t seen_of_fragment = 2 * head_size;

bool begins_fragment(Bytes bytes) {
    return big_endian(bytes, 4, 4) == mark("moof") && big_endian(bytes, 0, 4) >= head_size + fragment_header_size &&
           big_endian(bytes, head_size, 4) == fragment_header_size &&
           big_endian(bytes, head_size + 4, 4) == mark("mfhd");
}

// With 64 bits of size where it needs them.
std::vector<std::uint8_t> head_of(std::uint32_t type, std::int64_t size) {
    const bool large = size > std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint8_t> head;
    const auto put = [&head](std::uint64_t value, int bytes) {
        for (int i = bytes - 1; i >= 0; --i) {
            head.push_back(static_cast<std::uint8_t>(value >> 8 * i));
        }
    };
    put(large ? 1 : static_cast<std::uint64_t>(size), 4);
    put(type, 4);
    if (large) {
        put(static_cast<std::uint64_t>(size), 8);
    }
    return head;
}

}  // namespace

LostFragments::LostFragments(ReadBytes read, std::int64_t size, std::function<bool()> stop)
    : read_(std::move(read)), size_(size), stop_(std::move(stop)) {}

void LostFragments::bridge(std::int64_t offset, std::span<std::uint8_t> bytes) {
    const std::int64_t end = offset + static_cast<std::int64_t>(bytes.size());
    while (next_ < end && offset - next_ < max_behind && next_ < size_) {
        step();
    }
    // They lie one behind the other.
    const auto ends_before = [&](const Bridge& bridge) {
        return bridge.at + static_cast<std::int64_t>(bridge.head.size()) <= offset;
    };
    for (auto place = std::ranges::partition_point(bridges_, ends_before); place != bridges_.end() && place->at < end;
         ++place) {
        const Bridge& bridge = *place;
        const auto bridge_end = bridge.at + static_cast<std::int64_t>(bridge.head.size());
        for (std::int64_t at = std::max(bridge.at, offset); at < std::min(bridge_end, end); ++at) {
            bytes[static_cast<std::size_t>(at - offset)] = bridge.head[static_cast<std::size_t>(at - bridge.at)];
        }
    }
}

FileBox LostFragments::box_at(std::int64_t at) const {
    std::array<std::uint8_t, BoxHead::most> head{};
    const std::size_t got = read_(at, head);
    return {at, BoxHead::read(Bytes(head).first(got))};
}

bool LostFragments::is_whole(const FileBox& box) const {
    return box.head.size > 0 && box.head.possible() && printable(box.head.type) && box.end() <= size_;
}

void LostFragments::step() {
    const FileBox box = box_at(next_);
    fragmented_ = fragmented_ || box.head.type == mark("moof");
    if (is_whole(box)) {
        next_ = box.end();
        return;
    }
    const std::int64_t found = fragmented_ ? next_fragment(next_ + static_cast<std::int64_t>(head_size)) : nowhere;
    if (found != nowhere) {
        const std::uint32_t type = box.head.type == mark("mdat") ? mark("mdat") : mark("free");
        bridges_.push_back({next_, head_of(type, found - next_)});
    }
    next_ = found;
}

std::int64_t LostFragments::next_fragment(std::int64_t from) const {
    std::vector<std::uint8_t> bytes;
    std::size_t block = first_block;
    for (std::int64_t at = from; at < size_ && !stop_(); block = std::min(2 * block, largest_block)) {
        bytes.resize(block + seen_of_fragment);
        const Bytes got = Bytes(bytes).first(read_(at, bytes));
        for (std::size_t i = 0; i + seen_of_fragment <= got.size() && i < block; ++i) {
            if (got[i + 4] == 'm' && begins_fragment(got.subspan(i, seen_of_fragment))) {
                return at + static_cast<std::int64_t>(i);
            }
        }
        if (got.size() < bytes.size()) {
            break;
        }
        at += static_cast<std::int64_t>(block);
    }
    return nowhere;
}

}  // namespace vfilter
