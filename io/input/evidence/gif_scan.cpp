// GIF: a screen, then blocks up to a trailer.

#include "io/bitstream/bytes.h"
#include "io/input/evidence/scans.h"
#include "io/input/evidence/stepping_scan.h"

namespace vfilter {

namespace {

constexpr int max_zeroes = 16;
constexpr std::string_view gif_signature = "GIF8";
constexpr std::size_t screen_size = 13;
constexpr std::size_t block_room = 10;                        // a picture's header
constexpr std::string_view repeats_name = "\xFF\x0BNETSCAP";  // as far as a block's first bytes go
constexpr std::size_t repeats_size = 3;

class GifScan final : public SteppingScan<GifScan> {
public:
    GifScan() : SteppingScan(&GifScan::block, block_room) {
        add_track(TrackEvidence::Kind::video, 0)->counts_empty = false;
        ask(0, screen_size, &GifScan::screen);
    }
    void end(std::int64_t size) override;

private:
    void screen(Bytes bytes);
    void block(Bytes bytes);
    void data(Bytes bytes);
    void repeats(Bytes bytes);
    void behind(Bytes bytes);
    void skip(std::size_t skipped) { move_to(here() + signed_value(skipped)); }
    void skip_to_data(std::size_t skipped) { ask(here() + signed_value(skipped), 1, &GifScan::data); }
    // Bytes of a table of colours, by the flags that announce it.
    static std::size_t colours(std::uint64_t flags) {
        return (flags & 0x80) != 0 ? std::size_t{3} << ((flags & 7) + 1) : 0;
    }

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

void GifScan::screen(Bytes bytes) {
    if (is_short(bytes)) {
        return stop();
    }
    skip(screen_size + colours(bytes[10]));
}

void GifScan::repeats(Bytes bytes) {
    if (is_short(bytes)) {
        return stop();
    }
    const auto again = signed_value(little_endian(bytes, 1, 2));
    play(again == 0 ? 0 : again + 1);
    in_repeats_ = false;
    skip_to_data(repeats_size);
}

// Files may be joined, of which the demuxer reads all or the first one.
void GifScan::behind(Bytes bytes) {
    if (!text(bytes).starts_with(gif_signature)) {
        return stop();
    }
    joined_ = true;
    ended_ = false;
    ask(here(), screen_size, &GifScan::screen);
}

void GifScan::data(Bytes bytes) {
    const std::uint8_t size = bytes[0];
    const bool last = size == 0;
    idle_ = idle_ || last;
    if (in_picture_) {
        look_at_size(size);
    }
    if (in_repeats_ && size == repeats_size) {
        return ask(here() + 1, repeats_size, &GifScan::repeats);
    }
    last ? skip(1) : skip_to_data(1 + std::size_t{size});
}

void GifScan::block(Bytes bytes) {
    switch (bytes[0]) {
        case 0x21:
            in_repeats_ = text(bytes, 1).starts_with(repeats_name);
            // No picture depends on comments and extensions of applications, and some of those are malformed.
            idle_ = bytes.size() < 2 || bytes[1] >= 0xFE;
            in_picture_ = false;
            return skip_to_data(2);
        case 0x2C:
            if (is_short(bytes)) {
                return stop();
            }
            ++evidence().front().found;
            play(plays().value_or(1));
            idle_ = false;
            in_repeats_ = false;
            in_picture_ = true;
            picture_at_ = here();
            sizes_ = {};
            return skip_to_data(block_room + 1 + colours(bytes[9]));
        case 0x00:  // some writers end a block twice
            if (++zeroes_ == max_zeroes) {
                fault(here(), "zeroes where blocks should be");
                ended_ = true;
                return stop();
            }
            return skip(1);
        case 0x3B:
            ended_ = true;
            return ask(here() + 1, gif_signature.size(), &GifScan::behind);
        default:
            fault(here(), "no block where one should begin");
            ended_ = true;
            stop();
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
    fault_rare(uneven_, even_ / 10, "a picture in parts of odd sizes");
}

}  // namespace

std::unique_ptr<ContainerScan> make_gif_scan() {
    return std::make_unique<GifScan>();
}

}  // namespace vfilter
