// The CUDA kernels beside a plain copy and NVIDIA's own libraries, on one GPU, in one run.
//
//   bench_cuda [--filter TEXT]     only rows whose name holds that text
//
// Every row works through pictures that together are larger than the L2 cache, back to back; times are events' times
// over all of them divided by their number, the median of several rounds in which the contestants take turns. A launch
// takes eight planes, so that a kernel's start and end do not hide its speed, or one 4:2:0 picture, as the engine
// launches it. `floor` is a kernel that copies the same bytes with 16-byte accesses, with as many launches.

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cuda_rivals.h"
#include "kernels/cuda/convolver.h"
#include "kernels/filters.h"
#include "kernels/plane_filter.h"

namespace {

using namespace vfilter;
using namespace vfilter::bench;

constexpr int rounds = 9;
constexpr std::size_t rotated_bytes = std::size_t{512} << 20;  // of sources; the L2 of today's GPUs holds up to 126 MB

// Four independent accesses of 16 bytes per thread.
__global__ void __launch_bounds__(256) copy_floor(const uint4* from, uint4* to, std::size_t count) {
    const std::size_t first = std::size_t{blockIdx.x} * 1024 + threadIdx.x;
    uint4 words[4];
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
        if (first + 256 * i < count) {
            words[i] = __ldcs(from + first + 256 * i);
        }
    }
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
        if (first + 256 * i < count) {
            __stcs(to + first + 256 * i, words[i]);
        }
    }
}

__global__ void fill_random(std::uint32_t* words, std::size_t count, std::uint32_t mask) {
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
        std::uint32_t x = static_cast<std::uint32_t>(i) * 2654435761u + 12345u;
        x ^= x >> 16;
        x *= 0x85ebca6bu;
        x ^= x >> 13;
        words[i] = x & mask;
    }
}

// One way to do the work on picture number n.
struct Contestant {
    std::string name;
    std::function<void(int n, cudaStream_t)> run;
    std::vector<double> microseconds{};

    [[nodiscard]] double median() const {
        std::vector<double> sorted = microseconds;
        std::ranges::sort(sorted);
        return sorted[sorted.size() / 2];
    }
};

// `pictures` launches, each of `parts` of what a time is told for.
void measure(std::vector<Contestant>& contestants, int pictures, int parts) {
    cudaStream_t stream = nullptr;
    cudaEvent_t begin = nullptr;
    cudaEvent_t end = nullptr;
    cuda_check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    cuda_check(cudaEventCreate(&begin), "cudaEventCreate");
    cuda_check(cudaEventCreate(&end), "cudaEventCreate");
    for (int round = -1; round < rounds; ++round) {  // the first one warms up
        for (Contestant& contestant : contestants) {
            cuda_check(cudaEventRecord(begin, stream), "cudaEventRecord");
            for (int n = 0; n < pictures; ++n) {
                contestant.run(n, stream);
            }
            cuda_check(cudaEventRecord(end, stream), "cudaEventRecord");
            cuda_check(cudaEventSynchronize(end), "cudaEventSynchronize");
            float milliseconds = 0;
            cuda_check(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
            if (round >= 0) {
                contestant.microseconds.push_back(1e3 * double{milliseconds} / pictures / parts);
            }
        }
    }
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    cudaStreamDestroy(stream);
}

// Pictures of a format: planes one after the other, rows at multiples of 64 bytes as in a decoded frame.
struct Pictures {
    struct Plane {
        int width;
        int height;
        int chroma;  ///< 0 or 1
        std::ptrdiff_t pitch;
        std::size_t offset;
    };
    std::vector<Plane> planes;
    int depth;
    std::size_t bytes = 0;          ///< of one picture
    std::size_t samples_bytes = 0;  ///< without padding
    int count = 0;
    DeviceMemory src;
    DeviceMemory dst;

    Pictures(int width, int height, bool chroma, int bits) : depth(bits) {
        const std::size_t sample = depth == 8 ? 1 : 2;
        for (int i = 0; i < (chroma ? 3 : CudaConvolver::max_planes); ++i) {
            const int w = chroma && i > 0 ? width / 2 : width;
            const int h = chroma && i > 0 ? height / 2 : height;
            const std::size_t pitch = (sample * static_cast<std::size_t>(w) + 63) / 64 * 64;
            planes.push_back({w, h, chroma && i > 0 ? 1 : 0, static_cast<std::ptrdiff_t>(pitch), bytes});
            bytes += (pitch * static_cast<std::size_t>(h) + 255) / 256 * 256;
            samples_bytes += sample * static_cast<std::size_t>(w) * static_cast<std::size_t>(h);
        }
        count = static_cast<int>(std::max<std::size_t>(rotated_bytes / bytes, 8));
        src = allocate(bytes * static_cast<std::size_t>(count));
        dst = allocate(bytes * static_cast<std::size_t>(count));
        const std::uint32_t one = (1u << depth) - 1;
        fill_random<<<1024, 256>>>(reinterpret_cast<std::uint32_t*>(src.get()),
                                   bytes * static_cast<std::size_t>(count) / 4, depth == 8 ? ~0u : one | one << 16);
        cuda_check(cudaDeviceSynchronize(), "fill_random");
    }
    unsigned char* at(const DeviceMemory& memory, int n, const Plane& plane) const {
        return memory.get() + bytes * static_cast<std::size_t>(n) + plane.offset;
    }
};

std::vector<double> taps_of(int size) {
    const FilterDef& gaussian = *find_filter("gaussian");
    return gaussian.make(parse_filter(gaussian, std::to_string(size)), 1, 1).terms[0].rows;
}

struct Row {
    const char* what;
    int width;
    int height;
    bool chroma;
    int depth;
    const char* filter;
    int size;
    const char* arguments = "";  ///< besides the size
    double promise = 0;          ///< most of the floor's time; 0 for none
};

// Returns whether a promise was kept.
bool run(const Row& row, const Npp& npp, const Cudnn& cudnn, const std::string& wanted) {
    const std::string name = std::string(row.what) + ", " + std::to_string(row.depth) + " bits, " + row.filter + " " +
                             std::to_string(row.size);
    if (name.find(wanted) == std::string::npos) {
        return true;
    }
    const int width = row.width;
    const int height = row.height;
    const bool chroma = row.chroma;
    const int depth = row.depth;
    const int size = row.size;
    const Pictures pictures(width, height, chroma, depth);
    const FilterDef& def = *find_filter(row.filter);
    const FilterSpec spec = parse_filter(def, "size=" + std::to_string(size) + row.arguments);
    std::vector<PlaneFilter> filters{make_plane_filter(def.make(spec, 1, 1), depth)};
    if (chroma) {
        filters.push_back(make_plane_filter(def.make(spec, 2, 2), depth));
    }
    const CudaConvolver convolver(filters, Border::reflect_101);
    std::vector<Contestant> contestants;
    contestants.push_back(
        {"floor", [&](int n, cudaStream_t stream) {
             const std::size_t offset = pictures.bytes * static_cast<std::size_t>(n);
             copy_floor<<<static_cast<unsigned>((pictures.bytes / 16 + 1023) / 1024), 256, 0, stream>>>(
                 reinterpret_cast<const uint4*>(pictures.src.get() + offset),
                 reinterpret_cast<uint4*>(pictures.dst.get() + offset), pictures.bytes / 16);
         }});
    contestants.push_back(
        {"vfilter", [&](int n, cudaStream_t stream) {
             std::vector<PlaneJob> jobs;
             for (const auto& plane : pictures.planes) {
                 const DevicePlane from{pictures.at(pictures.src, n, plane), plane.width, plane.height, plane.pitch};
                 const DevicePlane to{pictures.at(pictures.dst, n, plane), plane.width, plane.height, plane.pitch};
                 jobs.push_back({from, to, plane.chroma, 0});
             }
             convolver.launch(jobs, stream);
         }});
    // NPP's taps are real numbers on the device.
    const std::vector<double> luma = taps_of(size);
    DeviceMemory taps = allocate(sizeof(float) * luma.size());
    const std::vector<float> single(luma.begin(), luma.end());
    cuda_check(cudaMemcpy(taps.get(), single.data(), sizeof(float) * single.size(), cudaMemcpyHostToDevice),
               "cudaMemcpy");
    const auto* const kernel = reinterpret_cast<const float*>(taps.get());
    const DeviceMemory between = allocate(pictures.bytes);
    const Npp::Size area{width, height};
    const int step = static_cast<int>(pictures.planes[0].pitch);
    bool npp_failed = false;
    const auto each_plane = [&](int n, cudaStream_t stream, const auto& filter) {
        Npp::Context context = npp.context;
        context.stream = stream;
        for (const auto& plane : pictures.planes) {
            npp_failed |= filter(pictures.at(pictures.src, n, plane), between.get() + plane.offset,
                                 pictures.at(pictures.dst, n, plane), context) != 0;
        }
    };
    const bool npp_can = !chroma && depth == 8 && std::string_view(row.filter) == "gaussian";
    if (npp_can && npp.gauss != nullptr && size <= 31) {  // it takes 26 ms for 63
        contestants.push_back({"NPP gauss", [&](int n, cudaStream_t stream) {
                                   each_plane(n, stream, [&](const auto* src, auto*, auto* dst, const auto& context) {
                                       return npp.gauss(src, step, area, {0, 0}, dst, step, area, size, kernel,
                                                        Npp::border_replicate, context);
                                   });
                               }});
    }
    if (npp_can && npp.row != nullptr && npp.column != nullptr) {
        contestants.push_back(
            {"NPP lines", [&](int n, cudaStream_t stream) {
                 each_plane(n, stream, [&](const auto* src, auto* mid, auto* dst, const auto& context) {
                     const int first = npp.row(src, step, area, {0, 0}, mid, step, area, kernel, size, size / 2,
                                               Npp::border_replicate, context);
                     return first != 0 ? first
                                       : npp.column(mid, step, area, {0, 0}, dst, step, area, kernel, size, size / 2,
                                                    Npp::border_replicate, context);
                 });
             }});
    }
    std::unique_ptr<CudnnBlur> blur;
    if (npp_can && cudnn.there && size <= 63) {
        blur = std::make_unique<CudnnBlur>(cudnn, width, height, single);
        contestants.push_back({"cuDNN", [&](int /*n*/, cudaStream_t stream) { blur->run(stream); }});
    }
    const int parts = chroma ? 1 : static_cast<int>(pictures.planes.size());
    measure(contestants, pictures.count, parts);
    const double floor = contestants[0].median();
    std::printf("%-34s floor %6.2f us (%4.0f GB/s)", name.c_str(), floor,
                2 * static_cast<double>(pictures.bytes) / parts / floor / 1e3);
    for (std::size_t i = 1; i < contestants.size(); ++i) {
        std::printf("   %s %7.2f us, x %.2f", contestants[i].name.c_str(), contestants[i].median(),
                    contestants[i].median() / floor);
    }
    const bool kept = row.promise == 0 || contestants[1].median() <= row.promise * floor;
    std::printf("%s   %s%s\n",
                npp_failed             ? "   (NPP failed)"
                : blur && !blur->works ? "   (cuDNN failed)"
                                       : "",
                convolver.name().c_str(),
                row.promise == 0 ? ""
                : kept           ? ": kept its promise"
                                 : (": MORE THAN x " + std::to_string(row.promise)).c_str());
    std::fflush(stdout);
    return kept;
}

constexpr Row rows[] = {
    {"2160p plane", 3840, 2160, false, 8, "gaussian", 3},
    {"2160p plane", 3840, 2160, false, 8, "gaussian", 5},
    {"2160p plane", 3840, 2160, false, 8, "gaussian", 7},
    {"2160p plane", 3840, 2160, false, 8, "gaussian", 15},
    {"2160p plane", 3840, 2160, false, 8, "gaussian", 31},
    {"2160p plane", 3840, 2160, false, 8, "gaussian", 63},
    {"2160p plane", 3840, 2160, false, 10, "gaussian", 5},
    {"2160p plane", 3840, 2160, false, 10, "gaussian", 15},
    {"2160p plane", 3840, 2160, false, 10, "gaussian", 31},
    {"2160p plane", 3840, 2160, false, 10, "gaussian", 63},
    {"1080p 4:2:0", 1920, 1080, true, 8, "gaussian", 5},
    {"1080p 4:2:0", 1920, 1080, true, 8, "gaussian", 15},
    {"1080p 4:2:0", 1920, 1080, true, 8, "gaussian", 31},
    {"1080p 4:2:0", 1920, 1080, true, 8, "gaussian", 63},
    {"2160p 4:2:0", 3840, 2160, true, 8, "gaussian", 5},
    {"2160p 4:2:0", 3840, 2160, true, 8, "gaussian", 15},
    // Large radii: those of the last kernel of its own, and the general one's.
    {"1080p plane", 1920, 1080, false, 8, "gaussian", 127},
    {"1080p plane", 1920, 1080, false, 10, "gaussian", 127},
    {"1080p plane", 1920, 1080, false, 8, "gaussian", 255},
    {"1080p plane", 1920, 1080, false, 10, "gaussian", 255},
    // Filters that are no smoothings.
    {"2160p plane", 3840, 2160, false, 8, "sobel", 3, "", 3},
    {"2160p plane", 3840, 2160, false, 8, "sharpen", 5, ":amount=1", 3},
    {"2160p plane", 3840, 2160, false, 8, "sobel", 5},
    {"2160p plane", 3840, 2160, false, 8, "sobel", 7},
    {"2160p plane", 3840, 2160, false, 8, "sharpen", 3, ":amount=1"},
    {"2160p plane", 3840, 2160, false, 8, "sharpen", 7, ":amount=1"},
    {"2160p plane", 3840, 2160, false, 10, "sobel", 3},
    {"2160p plane", 3840, 2160, false, 10, "sharpen", 5, ":amount=1"},
    {"2160p 4:2:0", 3840, 2160, true, 8, "sharpen", 5, ":amount=1"},
    {"2160p 4:2:0", 3840, 2160, true, 8, "sobel", 3},
    {"1080p 4:2:0", 1920, 1080, true, 8, "sharpen", 5, ":amount=1"},
    // The general kernel.
    {"1080p plane", 1920, 1080, false, 8, "sharpen", 15, ":amount=1"},
    {"1080p plane", 1920, 1080, false, 8, "sharpen", 31, ":amount=1"},
    {"1080p plane", 1920, 1080, false, 16, "sobel", 3},
};

}  // namespace

int main(int argc, char** argv) {
    const std::string wanted = argc == 3 && std::strcmp(argv[1], "--filter") == 0 ? argv[2] : "";
    if (argc != 1 && argc != 3) {
        std::fprintf(stderr, "bench_cuda [--filter TEXT]\n");
        return 2;
    }
    try {
        const Npp npp;
        const Cudnn cudnn;
        bool kept = true;
        for (const Row& row : rows) {
            kept = run(row, npp, cudnn, wanted) && kept;
        }
        return kept ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench_cuda: %s\n", error.what());
        return 1;
    }
}
