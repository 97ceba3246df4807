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

void describe_planes(Picture& picture, std::span<const PlaneJob> jobs, int tile_columns) {
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const PlaneJob& job = jobs[i];
        const int samples = job.src.width * job.src.step;
        const int tiles_x = ceil_div(samples, tile_columns);
        picture.planes[i] = {
            static_cast<const unsigned char*>(job.src.data),
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
            static_cast<unsigned>(ceil_div(std::uint64_t{1} << 32, static_cast<std::uint64_t>(tiles_x))),
            0};
    }
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
