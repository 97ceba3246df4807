#include "pipeline/engine/nvdec_library.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <cstring>

namespace vfilter {

namespace {

// The library's own structures and numbers (Video Codec SDK, cuviddec.h), as far as they are asked for.
struct DecodeCaps {
    int codec;
    int chroma;
    unsigned depth_minus_8;
    std::array<unsigned, 3> reserved_in;
    std::uint8_t supported;
    std::uint8_t engines;
    std::uint16_t output_formats;
    unsigned max_width;
    unsigned max_height;
    unsigned max_macroblocks;
    std::uint16_t min_width;
    std::uint16_t min_height;
    std::array<unsigned, 13> reserved_out;
};
struct DecodeStatus {
    int status;
    std::array<unsigned, 31> reserved;
    std::array<void*, 8> reserved_pointers;
};
constexpr int status_success = 2;
constexpr int status_error = 8;
constexpr int status_concealed = 9;

// What libavcodec (5.1 to 7.1) hangs to a mapped surface as its second buffer, and the beginning of what that leads to.
// Neither is public: `concealed` looks whether they are what they seem.
struct MappedSurface {
    int index;
    int reference_index;
    AVBufferRef* index_ref;
    AVBufferRef* reference_index_ref;
    AVBufferRef* decoder_ref;
};

struct Library {
    int (*get_caps)(DecodeCaps*) = nullptr;
    int (*get_status)(void* decoder, int picture, DecodeStatus*) = nullptr;

    Library() {
        void* const library = dlopen("libnvcuvid.so.1", RTLD_NOW);
        if (library != nullptr) {
            get_caps = reinterpret_cast<decltype(get_caps)>(dlsym(library, "cuvidGetDecoderCaps"));
            get_status = reinterpret_cast<decltype(get_status)>(dlsym(library, "cuvidGetDecodeStatus"));
        }
    }
};

const Library& library() {
    static const Library loaded;
    return loaded;
}

struct CodecNumber {
    AVCodecID codec;
    int number;
};
constexpr std::array codec_numbers{CodecNumber{AV_CODEC_ID_H264, 4}, CodecNumber{AV_CODEC_ID_HEVC, 8},
                                   CodecNumber{AV_CODEC_ID_VP8, 9}, CodecNumber{AV_CODEC_ID_VP9, 10}};

}  // namespace

bool NvdecLibrary::loaded() {
    return library().get_caps != nullptr;
}

std::optional<int> NvdecLibrary::engines(AVCodecID codec, const PictureKind& kind) {
    const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(kind.format);
    if (library().get_caps == nullptr || d == nullptr) {
        return std::nullopt;
    }
    for (const CodecNumber& row : codec_numbers) {
        if (row.codec != codec) {
            continue;
        }
        DecodeCaps caps{};
        caps.codec = row.number;
        caps.chroma = d->log2_chroma_h == 1 ? 1 : d->log2_chroma_w == 1 ? 2 : 3;
        caps.depth_minus_8 = static_cast<unsigned>(d->comp[0].depth - 8);
        if (library().get_caps(&caps) != 0) {
            return std::nullopt;
        }
        const auto width = static_cast<unsigned>(kind.width);
        const auto height = static_cast<unsigned>(kind.height);
        const unsigned macroblocks = (width + 15) / 16 * ((height + 15) / 16);
        const bool fits = caps.supported != 0 && width >= caps.min_width && height >= caps.min_height &&
                          width <= caps.max_width && height <= caps.max_height && macroblocks <= caps.max_macroblocks;
        return !fits ? 0 : caps.engines > 0 ? caps.engines : 1;
    }
    return 0;
}

std::optional<bool> NvdecLibrary::concealed(const AVFrame& surface) {
    const AVBufferRef* const mapped = surface.buf[1];
    if (library().get_status == nullptr || mapped == nullptr || mapped->size != sizeof(MappedSurface) ||
        av_buffer_get_opaque(mapped) != surface.data[0]) {
        return std::nullopt;
    }
    MappedSurface found{};
    std::memcpy(&found, mapped->data, sizeof(found));
    if (found.index_ref == nullptr || found.decoder_ref == nullptr || found.index_ref->size != sizeof(unsigned) ||
        found.decoder_ref->size < sizeof(void*)) {
        return std::nullopt;
    }
    int index = -1;
    std::memcpy(&index, found.index_ref->data, sizeof(index));
    if (index != found.index) {
        return std::nullopt;
    }
    void* decoder = nullptr;
    std::memcpy(&decoder, found.decoder_ref->data, sizeof(decoder));
    DecodeStatus status{};
    if (decoder == nullptr || library().get_status(decoder, index, &status) != 0) {
        return std::nullopt;
    }
    if (status.status == status_error || status.status == status_concealed) {
        return true;
    }
    return status.status == status_success ? std::optional(false) : std::nullopt;
}

}  // namespace vfilter
