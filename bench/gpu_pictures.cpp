#include "bench/gpu_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <opencv2/core.hpp>
#include <span>
#include <stdexcept>
#include <utility>

#include "kernels/cpu/plane_filter.h"
#include "kernels/cpu/simd.h"

namespace vfilter::bench {

namespace {

constexpr int max_npp_gauss = 31;  // its two-dimensional way takes 26 ms of a 2160p plane for 63
constexpr int sample_rows = 16;    // at each place
constexpr unsigned char untouched = 0x5a;

// Pictures of the rotation that follow one stand for those around it in time: as many as its window has.
std::size_t neighbours_of(const Operation& operation) {
    return static_cast<std::size_t>(time_reach(operation).neighbours());
}

template <class T>
bool right_plane(const Pictures& pictures, int n, const Pictures::Plane& plane, const SimdFilter& filter,
                 std::size_t neighbours, Compared compared) {
    const std::size_t bytes = static_cast<std::size_t>(plane.pitch) * static_cast<std::size_t>(plane.height);
    using Samples = std::vector<T>;
    Samples expected(bytes / sizeof(T));
    const auto fetched = [&](const DeviceMemory& from, int number) {
        Samples samples(bytes / sizeof(T));
        cuda_check(cudaMemcpy(samples.data(), pictures.at(from, number) + plane.offset, bytes, cudaMemcpyDeviceToHost),
                   "cudaMemcpy");
        return samples;
    };
    Samples src = fetched(pictures.src, n);
    Samples ours = fetched(pictures.ours, n);
    const auto view = [&](Samples& memory) -> PlaneView<T> {
        return {memory.data(), plane.width, plane.height, plane.pitch};
    };
    std::vector<Samples> others;
    std::vector<PlaneView<const T>> window;
    for (std::size_t i = 1; i <= neighbours; ++i) {
        others.push_back(fetched(pictures.src, n + static_cast<int>(i)));
    }
    std::ranges::transform(others, std::back_inserter(window), view);
    const auto same = [&](int first, int last) {
        filter.run<T>(PlaneView<const T>(view(src)), window, view(expected), gpu_border, 0, first, last);
        for (int y = first; y < last; ++y) {
            if (std::memcmp(view(ours).row(y), view(expected).row(y),
                            sizeof(T) * static_cast<std::size_t>(plane.width)) != 0) {
                return false;
            }
        }
        return true;
    };
    if (compared == Compared::sample) {
        const int end = std::max(plane.height - sample_rows, 0) & ~1;
        return std::ranges::all_of(std::array{0, plane.height / 2 & ~1, end}, [&](int first) {
            return same(first, first == end ? plane.height : std::min(first + sample_rows, plane.height));
        });
    }
    const int bands = filter.bands(plane.height, cv::getNumThreads());
    const auto cut = [&](int i) { return band_begin(plane.height, i, bands); };
    std::atomic<bool> all = true;
    cv::parallel_for_({0, bands}, [&](const cv::Range& range) {
        if (!same(cut(range.start), cut(range.end))) {
            all = false;
        }
    });
    return all;
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

}  // namespace

Pictures::Pictures(const PictureKind& wanted, std::size_t together) : kind(wanted) {
    const std::size_t sample = kind.depth == 8 ? 1 : 2;
    for (int i = 0; i < (kind.chroma ? 3 : kind.planes); ++i) {
        const bool small = kind.chroma && i > 0;
        const int width = small ? (kind.width + 1) / 2 : kind.width;
        const int height = small ? (kind.height + 1) / 2 : kind.height;
        const std::size_t pitch = (sample * static_cast<std::size_t>(width) + 63) / 64 * 64;
        planes.push_back({width, height, small ? 1 : 0, static_cast<std::ptrdiff_t>(pitch), bytes});
        bytes += (pitch * static_cast<std::size_t>(height) + 255) / 256 * 256;
        sample_bytes += sample * static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    }
    const std::size_t pictures = std::max<std::size_t>((together + bytes - 1) / bytes, 2);
    count = static_cast<int>(pictures);
    src = allocate(bytes * pictures);
    ours = allocate(bytes * pictures);
    theirs = allocate(bytes * pictures);
    const unsigned one = (1U << kind.depth) - 1;
    fill_random(src.get(), bytes * pictures, kind.depth == 8 ? ~0U : one | one << 16);
    cuda_check(cudaMemset(ours.get(), untouched, bytes * pictures), "cudaMemset");
    cuda_check(cudaMemset(theirs.get(), untouched, bytes * pictures), "cudaMemset");
    // The streams of what follows do not wait for the one of this.
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

bool right(const Pictures& pictures, int n, const std::vector<Operation>& filters, Compared compared) {
    const std::vector<SimdFilter> made(filters.begin(), filters.end());
    const std::span planes = pictures.planes;
    return std::ranges::all_of(compared == Compared::all ? planes : planes.last(1), [&](const Pictures::Plane& plane) {
        const auto filter = static_cast<std::size_t>(plane.filter);
        const std::size_t neighbours = neighbours_of(filters[filter]);
        return pictures.kind.depth == 8
                   ? right_plane<std::uint8_t>(pictures, n, plane, made[filter], neighbours, compared)
                   : right_plane<std::uint16_t>(pictures, n, plane, made[filter], neighbours, compared);
    });
}

Contestant copy_of(const Pictures& pictures) {
    return {"copy", [&pictures](int n, cudaStream_t stream) {
                copy(pictures.at(pictures.src, n), pictures.at(pictures.theirs, n), pictures.bytes, stream);
            }};
}

Contestant filtered(const Pictures& pictures, const std::vector<Operation>& filters, const CudaFilter& convolver,
                    std::string name) {
    const std::size_t neighbours = neighbours_of(filters.front());  // as many as of chroma's
    return {std::move(name), [&pictures, &convolver, neighbours](int n, cudaStream_t stream) {
                std::array<PlaneJob, CudaFilter::max_planes> jobs;
                std::array<std::array<NeighbourPlane, max_neighbours>, CudaFilter::max_planes> windows;
                for (std::size_t i = 0; i < pictures.planes.size(); ++i) {
                    const Pictures::Plane& plane = pictures.planes[i];
                    const auto in = [&](const DeviceMemory& memory) -> DevicePlane {
                        return {pictures.at(memory, n) + plane.offset, plane.width, plane.height, plane.pitch};
                    };
                    jobs[i].src = in(pictures.src);
                    jobs[i].dst = in(pictures.ours);
                    jobs[i].filter = plane.filter;
                    for (std::size_t j = 0; j < neighbours; ++j) {
                        windows[i][j] = {pictures.at(pictures.src, n + 1 + static_cast<int>(j)) + plane.offset,
                                         plane.pitch};
                    }
                    jobs[i].neighbours = std::span(windows[i]).first(neighbours);
                }
                convolver.launch(std::span(jobs).first(pictures.planes.size()), stream);
            }};
}

std::optional<Contestant> npp_blur(const Pictures& pictures, const std::vector<double>& taps) {
    if (!why_missing(GpuLibrary::npp).empty()) {
        return std::nullopt;
    }
    const int size = static_cast<int>(taps.size());
    const Device<float> line = on_device(std::vector<float>(taps.begin(), taps.end()));
    const Device<unsigned char> between = on_device<unsigned char>(pictures.bytes);
    const auto each_plane = [&pictures, line, size](const auto& filter) {
        return Contestant{"NPP", [&pictures, line, size, filter](int n, cudaStream_t stream) {
                              for (const Pictures::Plane& plane : pictures.planes) {
                                  filter(NppPlane{pictures.at(pictures.src, n) + plane.offset,
                                                  pictures.at(pictures.theirs, n) + plane.offset, plane.width,
                                                  plane.height, static_cast<int>(plane.pitch), pictures.kind.depth},
                                         line.get(), size, stream);
                              }
                          }};
    };
    std::vector<Contestant> ways;
    if (size <= max_npp_gauss) {
        ways.push_back(each_plane(npp_gauss));
    }
    ways.push_back(each_plane([between](const NppPlane& plane, const float* numbers, int count, cudaStream_t stream) {
        npp_rows_and_columns(plane, between.get(), numbers, count, stream);
    }));
    return fastest(std::move(ways));
}

KernelTimes contest(std::vector<Contestant>& contestants, const Pictures& pictures, const Patience& patience) {
    measure(contestants, 2, 1);
    for (Contestant& contestant : contestants) {
        const double us = std::exchange(contestant.microseconds, {}).at(0);
        contestant.works =
            static_cast<int>(std::clamp(patience.round_us / std::max(us, 0.1) / contestant.of_call, 1.0, 1000.0));
        if (contestant.of_call == 1 &&
            contestant.works > pictures.count) {  // so that a round begins where the last one has not just been
            contestant.works -= contestant.works % pictures.count;
        }
    }
    measure(contestants, 1, patience.rounds);

    const double parts = pictures.parts();
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
    const Contestant& ours = contestants.at(1);
    KernelTimes times;
    times.bytes = 2 * static_cast<double>(pictures.sample_bytes) / parts;
    times.us = spread(ours);
    times.copy_us = spread(contestants[0]);
    times.of_copy = ratio(ours, contestants[0]);
    for (std::size_t i = 2; i < contestants.size(); ++i) {
        times.rivals.push_back({contestants[i].name, spread(contestants[i]), ratio(contestants[i], ours)});
    }
    return times;
}

void wake_gpu() {
    constexpr std::size_t bytes = std::size_t{64} << 20;
    constexpr int works = 4000;
    const DeviceMemory from = allocate(bytes);
    const DeviceMemory to = allocate(bytes);
    std::vector<Contestant> contestants;
    contestants.push_back({"copy", [&](int /*n*/, cudaStream_t stream) { copy(from.get(), to.get(), bytes, stream); }});
    measure(contestants, works, 1);
}

}  // namespace vfilter::bench
