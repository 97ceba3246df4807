// Old films, whose demuxers in FFmpeg call their end an error: what tells a whole one is that its last chunk ends where
// the file does.

#include <string_view>

#include "io/bitstream/bytes.h"
#include "io/input/evidence/scans.h"

namespace vfilter {

namespace {

// Chunks, each of which says how long it is, to the end of the file.
class ChunkScan : public ContainerScan {
public:
    explicit ChunkScan(std::size_t header) { wish_for(0, header); }

    void take(Bytes bytes) final {
        if (is_short(bytes) && !may_be_short(bytes)) {
            cut();
        } else if (!begun_) {
            begun_ = true;
            begin(bytes);
        } else {
            read_chunk(bytes);
        }
    }
    void end(std::int64_t size) final {
        if (wanted() > 0 && here() > size) {
            cut();
        }
        whole_ = fault_count() == 0 && begun_ && ends(here() == size);
    }
    [[nodiscard]] bool is_whole() const final { return whole_; }

protected:
    virtual void begin(Bytes header) = 0;
    virtual void read_chunk(Bytes header) = 0;
    // Whether it has come to its end, by what else tells that, or by that of the file.
    [[nodiscard]] virtual bool ends(bool with_file) const { return with_file; }
    [[nodiscard]] virtual bool may_be_short(Bytes /*header*/) const { return false; }

    // To what comes next, of which so many bytes are wanted. Sizes of 32 bits and a header's do not overflow.
    void go_on(std::uint64_t size, std::size_t header) { wish_for(here() + signed_value(size), size > 0 ? header : 0); }
    void refuse() {
        fault(here(), "no chunk where one should begin");
        stop();
    }

private:
    void cut() {
        fault(here(), "the file ends inside of a chunk");
        stop();
    }

    bool begun_ = false;
    bool whole_ = false;
};

// id Software's: a number, the size and an argument.
class RoqScan final : public ChunkScan {
public:
    RoqScan() : ChunkScan(header) {}

protected:
    void begin(Bytes bytes) override {
        if (is_known(bytes)) {
            go_on(header, header);
        } else {
            stop();
        }
    }
    void read_chunk(Bytes bytes) override {
        if (is_known(bytes)) {
            go_on(header + little_endian(bytes, 2, 4), header);
        } else {
            refuse();
        }
    }

private:
    static constexpr std::size_t header = 8;

    static bool is_known(Bytes bytes) { return bytes[1] == 0x10; }
};

// Loki's: a text and what the streams are, then packets, and a mark of the end.
class SmjpegScan final : public ChunkScan {
public:
    SmjpegScan() : ChunkScan(16) {}

protected:
    void begin(Bytes /*bytes*/) override { go_on(16, description); }
    void read_chunk(Bytes bytes) override {
        const std::string_view name = text(bytes, 0, 4);
        if (name == "HEND" && !described_) {
            described_ = true;
            go_on(4, packet);
        } else if (!described_) {
            go_on(description + big_endian(bytes, 4, 4), description);
        } else if (name == "DONE") {
            done_ = true;
            stop();
        } else if (name == "vidD" || name == "sndD") {
            go_on(packet + big_endian(bytes, 8, 4), packet);
        } else {
            refuse();
        }
    }
    [[nodiscard]] bool ends(bool /*with_file*/) const override { return done_; }
    [[nodiscard]] bool may_be_short(Bytes bytes) const override { return text(bytes, 0, 4) == "DONE"; }

private:
    static constexpr std::size_t description = 8;
    static constexpr std::size_t packet = 12;

    bool described_ = false;
    bool done_ = false;
};

// Autodesk's FLI and FLC; others lay their first chunk elsewhere, and are not judged.
class FlicScan final : public ChunkScan {
public:
    FlicScan() : ChunkScan(beginning) {}

protected:
    void begin(Bytes bytes) override {
        const std::uint64_t type = little_endian(bytes, 4, 2);
        if (type == 0xAF11 || type == 0xAF12) {
            go_on(beginning, chunk);
        } else {
            stop();
        }
    }
    void read_chunk(Bytes bytes) override {
        const std::uint64_t size = little_endian(bytes, 0, 4);
        if (size >= chunk) {
            go_on(size, chunk);
        } else {
            refuse();
        }
    }

private:
    static constexpr std::size_t beginning = 128;
    static constexpr std::size_t chunk = 6;
};

// Of broadcasts, SMPTE ST 360: packets, of which the last one says that it is.
class GxfScan final : public ChunkScan {
public:
    GxfScan() : ChunkScan(header) {}

protected:
    void begin(Bytes bytes) override { read_chunk(bytes); }
    void read_chunk(Bytes bytes) override {
        const std::uint64_t size = big_endian(bytes, 6, 4);
        if (big_endian(bytes, 0, 5) != 1 || big_endian(bytes, 14, 2) != 0xE1E2 || size < header) {
            return refuse();
        }
        last_ = big_endian(bytes, 5, 1) == 0xFB;
        go_on(size, header);
    }
    [[nodiscard]] bool ends(bool with_file) const override { return last_ && with_file; }

private:
    static constexpr std::size_t header = 16;

    bool last_ = false;
};

}  // namespace

std::unique_ptr<ContainerScan> make_gxf_scan() {
    return std::make_unique<GxfScan>();
}

std::unique_ptr<ContainerScan> make_roq_scan() {
    return std::make_unique<RoqScan>();
}

std::unique_ptr<ContainerScan> make_smjpeg_scan() {
    return std::make_unique<SmjpegScan>();
}

std::unique_ptr<ContainerScan> make_flic_scan() {
    return std::make_unique<FlicScan>();
}

}  // namespace vfilter
