#include "kernels/cuda/tensor_map.h"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstring>

#include "kernels/cuda/driver.h"

namespace vfilter::cuda {

namespace {

using Encode = decltype(&cuTensorMapEncodeTiled);

}  // namespace

bool make_tensor_maps(TensorMap* maps, std::span<const PlaneJob> planes, const Stack& stack, const Box& box) {
    static_assert(sizeof(TensorMap) == sizeof(CUtensorMap) && alignof(TensorMap) % alignof(CUtensorMap) == 0);
    static const Encode encode = driver_function<Encode>("cuTensorMapEncodeTiled");
    if (encode == nullptr) {
        return false;
    }
    for (const PlaneJob& job : planes) {
        if (job.src.pitch <= 0) {
            return false;
        }
        const cuuint64_t size[] = {static_cast<cuuint64_t>(job.src.width) * static_cast<cuuint64_t>(job.src.step),
                                   static_cast<cuuint64_t>(job.src.height), static_cast<cuuint64_t>(stack.pictures)};
        const cuuint64_t distances[] = {static_cast<cuuint64_t>(job.src.pitch),
                                        static_cast<cuuint64_t>(stack.pictures > 1 ? stack.src_bytes : job.src.pitch)};
        const cuuint32_t samples[] = {static_cast<cuuint32_t>(box.columns), static_cast<cuuint32_t>(box.rows), 1};
        constexpr cuuint32_t each[] = {1, 1, 1};
        CUtensorMap map{};
        const CUresult result =
            encode(&map, box.sample_bytes == 1 ? CU_TENSOR_MAP_DATA_TYPE_UINT8 : CU_TENSOR_MAP_DATA_TYPE_UINT16, 3,
                   job.src.data, size, distances, samples, each, CU_TENSOR_MAP_INTERLEAVE_NONE,
                   CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
        if (result != CUDA_SUCCESS) {
            return false;
        }
        std::memcpy(maps++, &map, sizeof(map));
    }
    return true;
}

}  // namespace vfilter::cuda
