#include "study/filter_bench.cuh"

#include <algorithm>

namespace vfilter::study {

namespace {

// What the libraries take: fp32.
__global__ void to_floats(Bytes from, Floats to) {
    const int x = column_of_thread();
    const int y = row_of_thread();
    if (to.holds(x, y)) {
        to.put(x, y, from.at(x, y));
    }
}

}  // namespace

Bench::Bench(const FilterCase& which)
    : filter(which),
      pitch_(up(static_cast<std::size_t>(which.width), 64)),
      plane_(up(pitch_ * static_cast<std::size_t>(which.height), 512)),
      count_(groups(2 * plane_)),
      from_(allocate(plane_ * count_)),
      to_(allocate(plane_ * count_)) {
    fill_random(from_.get(), plane_ * count_, ~0u);
    for (const double tap : taps_of(filter)) {
        line_.push_back(static_cast<float>(tap));
    }
    for (const float a : line_) {
        for (const float b : line_) {
            square_.push_back(a * b);
        }
    }
}

void Bench::want_floats() {
    if (float_from_ != nullptr) {
        return;
    }
    const std::size_t samples = floats(float_from_, 0).plane;
    float_count_ = std::min(groups(2 * sizeof(float) * samples), count_);
    float_from_ = allocate(sizeof(float) * samples * float_count_);
    float_to_ = allocate(sizeof(float) * samples * float_count_);
    const dim3 blocks(parts(static_cast<std::size_t>(filter.width), 32),
                      parts(static_cast<std::size_t>(filter.height), 8), static_cast<unsigned>(float_count_));
    to_floats<<<blocks, dim3(32, 8)>>>(from(0), float_from(0));
    cuda_check(cudaGetLastError(), "to_floats");
    cuda_check(cudaDeviceSynchronize(), "to_floats");
}

std::vector<float> Bench::result(const Way& way, int picture, int y) const {
    const auto width = static_cast<std::size_t>(filter.width);
    const auto row = static_cast<std::size_t>(y);
    if (!way.whole) {
        std::vector<float> values(width);
        const Floats made = float_to(picture);
        cuda_check(
            cudaMemcpy(values.data(), made.data + made.pitch * row, sizeof(float) * width, cudaMemcpyDeviceToHost),
            "cudaMemcpy");
        return values;
    }
    std::vector<Byte> values(width);
    cuda_check(cudaMemcpy(values.data(), to(picture).data + pitch_ * row, width, cudaMemcpyDeviceToHost), "cudaMemcpy");
    return {values.begin(), values.end()};
}

void Bench::forget(const Way& way) const {
    const std::size_t samples = float_to(0).plane;
    cuda_check(way.whole ? cudaMemset(to_.get(), 0xEE, plane_ * count_)
                         : cudaMemset(float_to_.get(), 0xFF, sizeof(float) * samples * float_count_),
               "cudaMemset");
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

Reference Bench::reference(int picture) const {
    std::vector<Byte> source(plane_);
    cuda_check(cudaMemcpy(source.data(), from(picture).data, plane_, cudaMemcpyDeviceToHost), "cudaMemcpy");
    return {filter, source.data(), static_cast<std::ptrdiff_t>(pitch_)};
}

}  // namespace vfilter::study
