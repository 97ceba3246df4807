// GIF: a screen, then blocks up to a trailer.

#include "io/bitstream/bytes.h"
#include "io/input/evidence/scans.h"

namespace vfilter {

namespace {

constexpr int max_zeroes = 16;
constexpr std::string_view gif_signature = "GIF8";
constexpr std::size_t screen_size = 13;
constexpr std::string_view repeats_name = "\xFF\x0BNETSCAP";  // as far as a block's first bytes go
constexpr std::size_t repeats_size = 3;

class GifScan final : public ContainerScan {
public:
    GifScan() { add_track(TrackEvidence::Kind::video, 0)->counts_empty = false; }
    [[nodiscard]] Wish wish() const override { return {at_, want_}; }
    void take(Bytes bytes) override;
    void end(std::int64_t size) override;

private:
    enum class State { screen, block, data, repeats, trailer };

    void block(Bytes bytes);
    void data(std::uint8_t size);
    void move_to(std::size_t skipped, State state, std::size_t want) {
        at_ += signed_value(skipped);
        state_ = state;
        want_ = want;
    }
    // Bytes of a table of colours, by the flags that announce it.
    static std::size_t colours(std::uint64_t flags) {
        return (flags & 0x80) != 0 ? std::size_t{3} << ((flags & 7) + 1) : 0;
    }

    std::int64_t at_ = 0;
    std::size_t want_ = screen_size;
    State state_ = State::screen;
    bool ended_ = false;  // the trailer was met, or nothing can be told
    bool idle_ = false;   // no picture would be lost if the file ended here; a few writers leave the trailer out
    struct Sizes {
        int usual = 0;
        int last = 0;
        bool uneven = false;
    };
    void look_at_size(int size);
    bool joined_ = false;
    bool in_picture_ = false;
    bool in_repeats_ = false;  // the extension that says how often all is shown again
    std::int64_t picture_at_ = 0;
    Sizes sizes_;  // of this picture's parts
    int even_ = 0;
    std::vector<std::int64_t> uneven_;
    int zeroes_ = 0;  // that are no blocks
};

void GifScan::take(Bytes bytes) {
    if (bytes.size() < want_ && state_ != State::block) {
        want_ = 0;
        return;
    }
    switch (state_) {
        case State::screen:
            return move_to(screen_size + colours(bytes[10]), State::block, 10);
        case State::block:
            return block(bytes);
        case State::data:
            return data(bytes[0]);
        case State::repeats: {
            const auto again = signed_value(little_endian(bytes, 1, 2));
            play(again == 0 ? 0 : again + 1);
            in_repeats_ = false;
            return move_to(repeats_size, State::data, 1);
        }
        case State::trailer:
            // Files that were joined, of which the demuxer reads all or the first one.
            joined_ = joined_ || text(bytes).starts_with(gif_signature);
            ended_ = !text(bytes).starts_with(gif_signature);
            return move_to(0, State::screen, ended_ ? 0 : screen_size);
    }
}

void GifScan::data(std::uint8_t size) {
    const bool last = size == 0;
    idle_ = idle_ || last;
    if (in_picture_) {
        look_at_size(size);
    }
    if (in_repeats_ && size == repeats_size) {
        return move_to(1, State::repeats, repeats_size);
    }
    move_to(1 + std::size_t{size}, last ? State::block : State::data, last ? 10 : 1);
}

void GifScan::block(Bytes bytes) {
    switch (bytes[0]) {
        case 0x21:
            in_repeats_ = text(bytes, 1).starts_with(repeats_name);
            // No picture depends on comments and extensions of applications, and some of those are malformed.
            idle_ = bytes.size() < 2 || bytes[1] >= 0xFE;
            in_picture_ = false;
            return move_to(2, State::data, 1);
        case 0x2C:
            if (bytes.size() < 10) {
                want_ = 0;
                return;
            }
            ++evidence().front().found;
            play(plays().value_or(1));
            idle_ = false;
            in_repeats_ = false;
            in_picture_ = true;
            picture_at_ = at_;
            sizes_ = {};
            return move_to(11 + colours(bytes[9]), State::data, 1);
        case 0x00:  // some writers end a block twice
            if (++zeroes_ == max_zeroes) {
                fault(at_, "zeroes where blocks should be");
                ended_ = true;
                want_ = 0;
                return;
            }
            return move_to(1, State::block, 10);
        case 0x3B:
            ended_ = true;
            return move_to(1, State::trailer, gif_signature.size());
        default:
            fault(at_, "no block where one should begin");
            ended_ = true;
            want_ = 0;
    }
}

// Writers cut a picture into parts of one size, and a smaller last one. Where a piece of it is missing the sizes are
// read from the wrong places.
void GifScan::look_at_size(int size) {
    if (size == 0) {
        sizes_.uneven = sizes_.uneven || sizes_.last > sizes_.usual;
        if (!sizes_.uneven) {
            even_ += sizes_.usual > 0 ? 1 : 0;
        } else if (uneven_.size() < 4096) {
            uneven_.push_back(picture_at_);
        }
        return;
    }
    if (sizes_.usual == 0) {
        sizes_.usual = size;
    } else if (sizes_.last != 0 && sizes_.last != sizes_.usual) {
        sizes_.uneven = true;
    }
    sizes_.last = size;
}

void GifScan::end(std::int64_t size) {
    if (joined_) {
        evidence().front().promised = evidence().front().found;
        evidence().front().source = "blocks";
    }
    if (!ended_ && !idle_) {
        fault(size, "the file ends inside of a picture");
    }
    if (signed_value(uneven_.size()) * 10 <= even_) {
        for (const std::int64_t place : uneven_) {
            fault(place, "a picture in parts of odd sizes");
        }
    }
}

}  // namespace

std::unique_ptr<ContainerScan> make_gif_scan() {
    return std::make_unique<GifScan>();
}

}  // namespace vfilter
