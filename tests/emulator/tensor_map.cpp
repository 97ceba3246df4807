// Tensor maps of planes and copies of TMA boxes, which the driver makes and the device reads elsewhere.

#include "kernels/cuda/tensor_map.h"

#include <cstring>

#include "kernels/cuda/ptx.cuh"

namespace vfilter::cuda {

namespace {

struct Map {
    const unsigned char* data;
    std::int64_t pitch;
    std::int64_t picture_bytes;
    int row_bytes;
    int height;
    int pictures;
    int sample_bytes;
    int box_bytes;  ///< of a row
    int box_rows;
};
static_assert(sizeof(Map) <= sizeof(TensorMap));

}  // namespace

bool make_tensor_maps(TensorMap* maps, std::span<const PlaneJob> planes, const Stack& stack, const Box& box) {
    for (const PlaneJob& job : planes) {
        if (job.src.pitch <= 0) {
            return false;
        }
        if (box.columns > 256 || box.rows > 256 || box.columns * box.sample_bytes % 16 != 0) {
            cuda_emulator::fail("a box that the device could not copy");
        }
        const Map map{static_cast<const unsigned char*>(job.src.data),
                      job.src.pitch,
                      stack.src_bytes,
                      job.src.width * job.src.step * box.sample_bytes,
                      job.src.height,
                      stack.pictures,
                      box.sample_bytes,
                      box.columns * box.sample_bytes,
                      box.rows};
        std::memcpy(maps++, &map, sizeof(map));
    }
    return true;
}

void tma_load_3d(void* shared_to, int bytes, const TensorMap* map, int x, int y, int picture, Mbarrier* /*barrier*/) {
    Map own{};
    std::memcpy(&own, map, sizeof(own));
    cuda_emulator::check_shared(shared_to, static_cast<std::size_t>(bytes), 128);
    if (bytes != own.box_bytes * own.box_rows) {
        cuda_emulator::fail("waits for other bytes than the box has");
    }
    const int left = x * own.sample_bytes;
    if (left % 16 != 0) {
        cuda_emulator::fail("a box that begins at no multiple of 16 bytes");  // this emulator copies no others
    }
    if (picture < 0 || picture >= own.pictures) {
        cuda_emulator::fail("a box of a picture that is not in the stack");
    }
    const unsigned char* const rows = own.data + own.picture_bytes * picture;
    auto* to = static_cast<unsigned char*>(shared_to);
    for (int row = y; row < y + own.box_rows; ++row) {
        for (int byte = left; byte < left + own.box_bytes; byte += 16, to += 16) {
            const bool inside = row >= 0 && row < own.height && byte >= 0;
            cuda_emulator::begin_copy(to, inside ? rows + own.pitch * row + byte : nullptr,
                                      inside ? std::clamp(own.row_bytes - byte, 0, 16) : 0);
        }
    }
}

}  // namespace vfilter::cuda
