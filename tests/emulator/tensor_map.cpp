// Tensor maps of planes and copies of TMA boxes, which the driver makes and the device reads elsewhere.

#include "kernels/cuda/tensor_map.h"

#include <cstring>

#include "kernels/cuda/ptx.cuh"

namespace vfilter::cuda {

namespace {

struct Map {
    const unsigned char* data;
    std::int64_t pitch;
    int row_bytes;
    int height;
    int sample_bytes;
    int box_bytes;  ///< of a row
    int box_rows;
};
static_assert(sizeof(Map) <= sizeof(TensorMap));

}  // namespace

bool make_tensor_maps(TensorMap* maps, std::span<const PlaneJob> planes, int sample_bytes, int columns, int rows) {
    for (const PlaneJob& job : planes) {
        if (job.src.pitch <= 0) {
            return false;
        }
        if (columns > 256 || rows > 256 || columns * sample_bytes % 16 != 0) {
            cuda_emulator::fail("a box that the device could not copy");
        }
        const Map map{static_cast<const unsigned char*>(job.src.data),
                      job.src.pitch,
                      job.src.width * job.src.step * sample_bytes,
                      job.src.height,
                      sample_bytes,
                      columns * sample_bytes,
                      rows};
        std::memcpy(maps++, &map, sizeof(map));
    }
    return true;
}

void tma_load_2d(void* shared_to, int bytes, const TensorMap* map, int x, int y, Mbarrier* barrier, int count) {
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
    auto* to = static_cast<unsigned char*>(shared_to);
    for (int row = y; row < y + own.box_rows; ++row) {
        for (int byte = left; byte < left + own.box_bytes; byte += 16, to += 16) {
            const bool inside = row >= 0 && row < own.height && byte >= 0;
            cuda_emulator::begin_copy(to, inside ? own.data + own.pitch * row + byte : nullptr,
                                      inside ? std::clamp(own.row_bytes - byte, 0, 16) : 0);
        }
    }
    for (int i = 1; i < count; ++i) {
        cuda_emulator::arrive(barrier);
    }
    cuda_emulator::arrive_with_copies(barrier);
}

}  // namespace vfilter::cuda
