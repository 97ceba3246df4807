#include "kernels/cuda/plane.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace vfilter::cuda {

namespace {

Fold make_fold(Border border, int length) {
    switch (length > 1 || border != Border::reflect_101 ? border : Border::replicate) {
        case Border::reflect_101:
            return {-1, 0, 2 * length - 2};
        case Border::reflect:
            return {-1, -1, 2 * length - 1};
        case Border::wrap:
            return {1, length, -length};
        case Border::replicate:
        case Border::constant:
            return {0, 0, length - 1};
    }
    throw std::logic_error("make_fold: not a border");
}

}  // namespace

unsigned inverse_of(int number) {
    return static_cast<unsigned>(ceil_div(std::uint64_t{1} << 32, static_cast<std::uint64_t>(number)));
}

void describe_planes(Picture& picture, std::span<const PlaneJob> jobs, int tile_columns) {
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const PlaneJob& job = jobs[i];
        const int samples = job.src.width * job.src.step;
        const int tiles_x = ceil_div(samples, tile_columns);
        picture.planes[i] = {static_cast<const unsigned char*>(job.src.data),
                             static_cast<unsigned char*>(job.dst.data),
                             job.src.pitch,
                             job.dst.pitch,
                             job.src.width,
                             job.src.height,
                             samples,
                             job.src.step,
                             job.src.lsb,
                             job.black,
                             job.filter,
                             make_fold(picture.border, job.src.width),
                             make_fold(picture.border, job.src.height),
                             tiles_x,
                             inverse_of(tiles_x),
                             0};
    }
}

Stack stack_of(std::span<const PlaneJob> jobs) {
    if (jobs.size() < 2) {
        return {};
    }
    const auto address = [](const DevicePlane& plane) {
        return static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(plane.data));
    };
    const auto alike = [](const DevicePlane& a, const DevicePlane& b) {
        return a.width == b.width && a.height == b.height && a.pitch == b.pitch && a.step == b.step && a.lsb == b.lsb;
    };
    const Stack stack{static_cast<int>(jobs.size()), address(jobs[1].src) - address(jobs[0].src),
                      address(jobs[1].dst) - address(jobs[0].dst)};
    for (std::size_t i = 1; i < jobs.size(); ++i) {
        const PlaneJob& job = jobs[i];
        const PlaneJob& before = jobs[i - 1];
        if (!alike(job.src, before.src) || !alike(job.dst, before.dst) || job.filter != before.filter ||
            job.black != before.black || address(job.src) - address(before.src) != stack.src_bytes ||
            address(job.dst) - address(before.dst) != stack.dst_bytes) {
            return {};
        }
    }
    const std::int64_t pitch = jobs.front().src.pitch;
    return pitch > 0 && stack.src_bytes > 0 && stack.src_bytes % pitch == 0 ? stack : Stack{};
}

unsigned describe(Picture& picture, std::span<const PlaneJob> jobs, int tile_columns, int tile_rows) {
    describe_planes(picture, jobs, tile_columns);
    picture.tile_rows = tile_rows;
    std::ranges::fill(picture.first_blocks, std::numeric_limits<int>::max());
    int blocks = 0;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        PlaneParams& plane = picture.planes[i];
        plane.first_block = blocks;
        picture.first_blocks[i] = blocks;
        blocks += plane.tiles_x * ceil_div(plane.height, tile_rows);
    }
    return static_cast<unsigned>(blocks);
}

}  // namespace vfilter::cuda
