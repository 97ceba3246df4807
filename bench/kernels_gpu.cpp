// The CUDA kernels beside a plain copy, NPP and cuDNN, on one GPU.

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <opencv2/core.hpp>
#include <optional>
#include <span>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "bench/gpu.h"
#include "bench/gpu_libraries.h"
#include "bench/kernels.h"
#include "kernels/cpu/simd.h"
#include "kernels/cuda/convolver.h"

namespace vfilter::bench {

namespace {

constexpr auto border = Border::reflect_101;
constexpr int largest_npp_gauss = 31;  // its two-dimensional way takes 26 ms of a 2160p plane for 63
constexpr int largest_cudnn = 63;
constexpr unsigned char untouched = 0x5a;

// How long to go on with a row.
struct Patience {
    int rounds;
    double round_us;  ///< of each contestant
};

// Pictures of a format: planes one after the other, rows at multiples of 64 bytes as in a decoded frame.
struct Pictures {
    struct Plane {
        int width;
        int height;
        int filter;  ///< 0 or 1: luma's or chroma's
        std::ptrdiff_t pitch;
        std::size_t offset;
    };
    std::vector<Plane> planes;
    std::size_t bytes = 0;         ///< of one picture
    std::size_t sample_bytes = 0;  ///< without padding
    int count = 0;
    DeviceMemory src;
    DeviceMemory ours;
    DeviceMemory theirs;

    explicit Pictures(const KernelRow& row) {
        const std::size_t sample = row.depth == 8 ? 1 : 2;
        for (int i = 0; i < (row.chroma ? 3 : CudaConvolver::max_planes); ++i) {
            const bool small = row.chroma && i > 0;
            const int width = small ? row.width() / 2 : row.width();
            const int height = small ? row.height / 2 : row.height;
            const std::size_t pitch = (sample * static_cast<std::size_t>(width) + 63) / 64 * 64;
            planes.push_back({width, height, small ? 1 : 0, static_cast<std::ptrdiff_t>(pitch), bytes});
            bytes += (pitch * static_cast<std::size_t>(height) + 255) / 256 * 256;
            sample_bytes += sample * static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
        }
        const std::size_t pictures = std::max<std::size_t>((rotated_bytes() + bytes - 1) / bytes, 2);
        count = static_cast<int>(pictures);
        src = allocate(bytes * pictures);
        ours = allocate(bytes * pictures);
        theirs = allocate(bytes * pictures);
        const unsigned one = (1U << row.depth) - 1;
        fill_random(src.get(), bytes * pictures, row.depth == 8 ? ~0U : one | one << 16);
        cuda_check(cudaMemset(ours.get(), untouched, bytes * pictures), "cudaMemset");
        cuda_check(cudaMemset(theirs.get(), untouched, bytes * pictures), "cudaMemset");
        // The streams of what follows do not wait for the one of this.
        cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    }
    /// Picture number n of a rotation.
    [[nodiscard]] unsigned char* at(const DeviceMemory& memory, int n) const {
        return memory.get() + bytes * static_cast<std::size_t>(n % count);
    }
};

// Whether a picture of results is what the SIMD code makes of its source, byte for byte.
template <class T>
bool right(const Pictures& pictures, int n, const std::vector<PlaneFilter>& filters) {
    const std::size_t samples = pictures.bytes / sizeof(T);
    std::vector<T> src(samples);
    std::vector<T> ours(samples);
    std::vector<T> expected(samples);
    cuda_check(cudaMemcpy(src.data(), pictures.at(pictures.src, n), pictures.bytes, cudaMemcpyDeviceToHost),
               "cudaMemcpy");
    cuda_check(cudaMemcpy(ours.data(), pictures.at(pictures.ours, n), pictures.bytes, cudaMemcpyDeviceToHost),
               "cudaMemcpy");
    const std::vector<SimdFilter> made(filters.begin(), filters.end());
    for (const Pictures::Plane& plane : pictures.planes) {
        const auto view = [&](std::vector<T>& memory) -> PlaneView<T> {
            return {memory.data() + plane.offset / sizeof(T), plane.width, plane.height, plane.pitch};
        };
        const SimdFilter& filter = made[static_cast<std::size_t>(plane.filter)];
        const int bands = filter.bands(plane.height, cv::getNumThreads());
        const auto cut = [&](int i) { return i == bands ? plane.height : plane.height * i / bands & ~1; };
        cv::parallel_for_({0, bands}, [&](const cv::Range& range) {
            filter.run<T>(PlaneView<const T>(view(src)), view(expected), border, 0, cut(range.start), cut(range.end));
        });
        for (int y = 0; y < plane.height; ++y) {
            if (std::memcmp(view(ours).row(y), view(expected).row(y),
                            sizeof(T) * static_cast<std::size_t>(plane.width)) != 0) {
                return false;
            }
        }
    }
    return true;
}

// The one of them that is fastest in a trial, empty where all fail.
std::optional<Contestant> fastest(std::vector<Contestant> contestants) {
    std::optional<Contestant> best;
    double least = std::numeric_limits<double>::max();
    for (Contestant& contestant : contestants) {
        std::vector<Contestant> alone{std::move(contestant)};
        try {
            measure(alone, 1, 1);
        } catch (const std::runtime_error&) {
            cudaGetLastError();  // what a library could not do is no failure of what comes next
            continue;
        }
        const double time = std::exchange(alone[0].microseconds, {}).at(0);
        if (time < least) {
            least = time;
            best = std::move(alone[0]);
        }
    }
    return best;
}

// A blur of as many fp32 planes of zeros as a launch takes: two convolutions, each by cuDNN's fastest algorithm.
class CudnnBlur {
public:
    /// Throws std::runtime_error where cuDNN cannot do it, or memory does not suffice.
    CudnnBlur(const Cudnn& library, int width, int height, const std::vector<float>& taps)
        : bytes_(sizeof(float) * planes * static_cast<std::size_t>(width) * static_cast<std::size_t>(height)),
          memory_(allocate(3 * bytes_)),
          taps_(allocate(sizeof(float) * taps.size())) {
        cuda_check(cudaMemcpy(taps_.get(), taps.data(), sizeof(float) * taps.size(), cudaMemcpyHostToDevice),
                   "cudaMemcpy");
        cuda_check(cudaMemset(memory_.get(), 0, 3 * bytes_), "cudaMemset");
        cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
        const int size = static_cast<int>(taps.size());
        CudnnConvolution::Shape shape{};
        shape.n = planes;
        shape.c = shape.k = shape.stride = 1;
        shape.h = height;
        shape.w = width;
        shape.layout = CudnnConvolution::Layout::nchw;
        shape.r = 1;
        shape.s = size;
        shape.pad_w = size / 2;
        rows_.emplace(library, shape, memory_.get(), taps_.get(), memory_.get() + bytes_);
        std::swap(shape.r, shape.s);
        std::swap(shape.pad_h, shape.pad_w);
        columns_.emplace(library, shape, memory_.get() + bytes_, taps_.get(), memory_.get() + 2 * bytes_);
    }
    void run(cudaStream_t stream) const {
        rows_->run(memory_.get(), taps_.get(), memory_.get() + bytes_, stream);
        columns_->run(memory_.get() + bytes_, taps_.get(), memory_.get() + 2 * bytes_, stream);
    }

private:
    static constexpr int planes = CudaConvolver::max_planes;
    std::size_t bytes_;  // of all of them
    DeviceMemory memory_;
    DeviceMemory taps_;
    std::optional<CudnnConvolution> rows_;
    std::optional<CudnnConvolution> columns_;
};

// NPP's two ways to blur a plane.
std::vector<Contestant> npp_ways(const Npp& npp, const Pictures& pictures, int depth, int size, const float* taps,
                                 unsigned char* between) {
    const Npp::Functions& functions = depth == 8 ? npp.bytes : npp.words;
    const Npp::Size area{pictures.planes[0].width, pictures.planes[0].height};
    const int step = static_cast<int>(pictures.planes[0].pitch);
    const auto each_plane = [&npp, &pictures](const auto& filter) {
        return [&npp, &pictures, filter](int n, cudaStream_t stream) {
            Npp::Context context = npp.context;
            context.stream = stream;
            for (const Pictures::Plane& plane : pictures.planes) {
                const int status = filter(pictures.at(pictures.src, n) + plane.offset,
                                          pictures.at(pictures.theirs, n) + plane.offset, context);
                if (status != 0) {
                    throw std::runtime_error(fmt::format("NPP: status {}", status));
                }
            }
        };
    };
    std::vector<Contestant> ways;
    if (functions.gauss != nullptr && size <= largest_npp_gauss) {
        ways.push_back(
            {"NPP", each_plane([=](const unsigned char* src, unsigned char* dst, const Npp::Context& context) {
                 return functions.gauss(src, step, area, {0, 0}, dst, step, area, size, taps, Npp::border_replicate,
                                        context);
             })});
    }
    if (functions.row != nullptr && functions.column != nullptr) {
        ways.push_back(
            {"NPP", each_plane([=](const unsigned char* src, unsigned char* dst, const Npp::Context& context) {
                 const int first = functions.row(src, step, area, {0, 0}, between, step, area, taps, size, size / 2,
                                                 Npp::border_replicate, context);
                 return first != 0 ? first
                                   : functions.column(between, step, area, {0, 0}, dst, step, area, taps, size,
                                                      size / 2, Npp::border_replicate, context);
             })});
    }
    return ways;
}

struct Gpu {
    Npp npp;
    Cudnn cudnn;
};

KernelTimes measure_row(const Gpu& gpu, const KernelRow& row, const Patience& patience) {
    const FilterSpec spec = parse_filter(*row.def, row.arguments);
    const FilterKernel kernel = row.def->make(spec, 1, 1);
    std::vector<PlaneFilter> filters{make_plane_filter(kernel, row.depth)};
    if (row.chroma) {
        filters.push_back(make_plane_filter(row.def->make(spec, 2, 2), row.depth));
    }
    const CudaConvolver convolver(filters, border);
    const Pictures pictures(row);

    std::vector<Contestant> contestants;
    contestants.push_back({"copy", [&](int n, cudaStream_t stream) {
                               copy(pictures.at(pictures.src, n), pictures.at(pictures.theirs, n), pictures.bytes,
                                    stream);
                           }});
    contestants.push_back(
        {"vfilter", [&](int n, cudaStream_t stream) {
             std::array<PlaneJob, CudaConvolver::max_planes> jobs;
             for (std::size_t i = 0; i < pictures.planes.size(); ++i) {
                 const Pictures::Plane& plane = pictures.planes[i];
                 jobs[i].src = {pictures.at(pictures.src, n) + plane.offset, plane.width, plane.height, plane.pitch};
                 jobs[i].dst = {pictures.at(pictures.ours, n) + plane.offset, plane.width, plane.height, plane.pitch};
                 jobs[i].filter = plane.filter;
             }
             convolver.launch(std::span(jobs).first(pictures.planes.size()), stream);
         }});

    DeviceMemory taps;
    DeviceMemory between;
    std::unique_ptr<CudnnBlur> blur;
    if (row.def->name == "gaussian" && !row.chroma) {
        const std::vector<double>& exact = kernel.terms.at(0).rows;
        const std::vector<float> single(exact.begin(), exact.end());
        const int size = static_cast<int>(single.size());
        if (gpu.npp.there) {
            taps = allocate(sizeof(float) * single.size());
            between = allocate(pictures.bytes);
            cuda_check(cudaMemcpy(taps.get(), single.data(), sizeof(float) * single.size(), cudaMemcpyHostToDevice),
                       "cudaMemcpy");
            const auto* const numbers = static_cast<const float*>(static_cast<const void*>(taps.get()));
            if (auto way = fastest(npp_ways(gpu.npp, pictures, row.depth, size, numbers, between.get()))) {
                contestants.push_back(std::move(*way));
            }
        }
        if (gpu.cudnn.there && row.depth == 8 && size <= largest_cudnn) {
            try {
                blur = std::make_unique<CudnnBlur>(gpu.cudnn, row.width(), row.height, single);
                contestants.push_back({"cuDNN", [&](int /*n*/, cudaStream_t stream) { blur->run(stream); }});
            } catch (const std::runtime_error&) {
                cudaGetLastError();  // its memory, or its algorithms
            }
        }
    }

    measure(contestants, 2, 1);
    for (Contestant& contestant : contestants) {
        const double us = std::exchange(contestant.microseconds, {}).at(0);
        contestant.works = static_cast<int>(std::clamp(patience.round_us / std::max(us, 0.1), 1.0, 1000.0));
        if (contestant.works > pictures.count) {  // so that a round begins where the last one has not just been
            contestant.works -= contestant.works % pictures.count;
        }
    }
    measure(contestants, 1, patience.rounds);

    const double parts = row.chroma ? 1 : static_cast<double>(pictures.planes.size());
    const auto spread = [&](const Contestant& contestant) {
        std::vector<double> us = contestant.microseconds;
        for (double& one : us) {
            one /= parts;
        }
        return spread_of(std::move(us));
    };
    const auto ratio = [](const Contestant& one, const Contestant& other) {
        std::vector<double> ratios;
        std::ranges::transform(one.microseconds, other.microseconds, std::back_inserter(ratios), std::divides());
        return spread_of(std::move(ratios));
    };
    const Contestant& ours = contestants[1];
    KernelTimes times;
    times.kernel = convolver.name();
    times.bytes = 2 * static_cast<double>(pictures.sample_bytes) / parts;
    times.us = spread(ours);
    times.copy_us = spread(contestants[0]);
    times.of_copy = ratio(ours, contestants[0]);
    for (std::size_t i = 2; i < contestants.size(); ++i) {
        times.rivals.push_back({contestants[i].name, spread(contestants[i]), ratio(contestants[i], ours)});
    }
    const int last = ours.works - 1;
    times.right =
        row.depth == 8 ? right<std::uint8_t>(pictures, last, filters) : right<std::uint16_t>(pictures, last, filters);
    return times;
}

// A GPU that has idled runs at a lower clock at first.
void wake() {
    constexpr std::size_t bytes = std::size_t{64} << 20;
    constexpr int works = 4000;
    const DeviceMemory from = allocate(bytes);
    const DeviceMemory to = allocate(bytes);
    std::vector<Contestant> contestants;
    contestants.push_back({"copy", [&](int /*n*/, cudaStream_t stream) { copy(from.get(), to.get(), bytes, stream); }});
    measure(contestants, works, 1);
}

}  // namespace

KernelMeter gpu_meter(const Wishes& wishes) {
    cuda_check(cudaSetDevice(wishes.gpu), "cudaSetDevice");
    cudaDeviceProp properties{};
    cuda_check(cudaGetDeviceProperties(&properties, wishes.gpu), "cudaGetDeviceProperties");
    wake();
    const auto gpu = std::make_shared<const Gpu>();
    const Patience patience = wishes.quick ? Patience{5, 1000} : Patience{11, 4000};
    KernelMeter meter;
    meter.backend = Backend::cuda;
    meter.kind = fmt::format("sm_{}{}", properties.major, properties.minor);
    meter.text = fmt::format(
        "{}. A launch takes eight planes, and times are for each, so that a kernel's start and end do not hide its "
        "speed; or one 4:2:0 picture, as the engine launches it. Works follow each other, on pictures that are "
        "together larger than four times the L2 cache; times are events' times over {} rounds of about {} ms. A copy "
        "is a kernel that copies as many bytes with accesses of 16 bytes, in as many launches. NPP does the same in "
        "its faster way; cuDNN two convolutions of fp32 planes, each by the fastest of its algorithms, without the "
        "conversions from and to integers. A whole launch's bytes are compared with the CPU's afterwards.",
        properties.name, patience.rounds, patience.round_us / 1e3);
    for (const auto& [there, name, library] :
         {std::tuple{gpu->npp.there, "NPP", "libnppif"}, std::tuple{gpu->cudnn.there, "cuDNN", "libcudnn.so.9"}}) {
        if (there) {
            meter.rivals.emplace_back(name);
        } else {
            meter.left_out.push_back({name, fmt::format("{} is not installed", library)});
        }
    }
    meter.measure = [=](const KernelRow& row) { return measure_row(*gpu, row, patience); };
    return meter;
}

}  // namespace vfilter::bench
