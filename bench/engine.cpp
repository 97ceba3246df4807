// An engine alone: pictures from memory to memory, no codec, beside what plain copies in both directions reach.
//
//   bench_engine [--device NAME] [--streams N]
//
// `copies` are uploads and downloads of the same pictures on streams of their own, as many at once as the engine has,
// with nothing in between. The contestants take turns; each figure is the median of several rounds. What vfilter
// promises for a GPU is printed at the end, with what was measured.

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <vector>

#include "io/formats.h"
#include "pipeline/filter_engine.h"
#ifdef VFILTER_WITH_CUDA
#include "pipeline/cuda_engine.h"
#endif

namespace {

using namespace vfilter;

constexpr int rounds = 5;
constexpr int different_pictures = 24;  // more than any cache of a host holds

using Clock = std::chrono::steady_clock;

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

struct Contestant {
    std::string name;
    std::function<void(int pictures)> run;
    std::vector<double> fps{};
};

void measure(std::vector<Contestant>& contestants, int pictures) {
    for (int round = -1; round < rounds; ++round) {  // the first one warms up
        for (Contestant& contestant : contestants) {
            const auto begin = Clock::now();
            contestant.run(pictures);
            const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
            if (round >= 0) {
                contestant.fps.push_back(pictures / seconds);
            }
        }
    }
}

std::vector<FramePtr> make_pictures(const PictureFormat& format, FramePool& pool) {
    std::vector<FramePtr> pictures;
    for (int n = 0; n < different_pictures; ++n) {
        FramePtr picture = make_frame();
        picture->format = format.format;
        picture->width = format.width;
        picture->height = format.height;
        pool.fill(*picture, format.width, format.height);
        unsigned random = static_cast<unsigned>(n) + 1;
        for (std::size_t i = 0; i < picture->buf[0]->size; ++i) {
            random = random * 1664525U + 1013904223U;
            picture->buf[0]->data[i] = static_cast<std::uint8_t>(random >> 24);
        }
        pictures.push_back(std::move(picture));
    }
    return pictures;
}

void through(FilterEngine& engine, const std::vector<FramePtr>& pictures, int count) {
    for (int n = 0; n < count; ++n) {
        const AVFrame& picture = *pictures[static_cast<std::size_t>(n) % pictures.size()];
        engine.submit({FramePtr(av_frame_clone(&picture)), n});
        if (engine.in_flight() == engine.slots()) {
            engine.take();
        }
    }
    while (engine.in_flight() > 0) {
        engine.take();
    }
}

#ifdef VFILTER_WITH_CUDA
// Uploads on one half of the streams, downloads on the other, of as many bytes as the pictures have.
class Copies {
public:
    Copies(const std::vector<FramePtr>& pictures, FramePool& pool, const PictureFormat& format, std::size_t bytes)
        : pictures_(pictures), results_(make_pictures(format, pool)), bytes_(bytes) {
        for (std::size_t i = 0; i < 2 * lanes; ++i) {
            cudaStream_t stream = nullptr;
            void* memory = nullptr;
            cuda_check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
            streams_.emplace_back(stream);
            cuda_check(cudaMalloc(&memory, bytes_), "cudaMalloc");
            memory_.emplace_back(memory);
        }
    }
    void run(int pictures) {
        for (int n = 0; n < pictures; ++n) {
            const auto picture = static_cast<std::size_t>(n) % pictures_.size();
            const auto lane = static_cast<std::size_t>(n) % lanes;
            cuda_check(cudaMemcpyAsync(memory_[lane].get(), pictures_[picture]->data[0], bytes_, cudaMemcpyHostToDevice,
                                       streams_[lane].get()),
                       "cudaMemcpyAsync");
            cuda_check(cudaMemcpyAsync(results_[picture]->data[0], memory_[lanes + lane].get(), bytes_,
                                       cudaMemcpyDeviceToHost, streams_[lanes + lane].get()),
                       "cudaMemcpyAsync");
        }
        for (const CudaStream& stream : streams_) {
            cuda_check(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize");
        }
    }

private:
    static constexpr std::size_t lanes = 2;
    const std::vector<FramePtr>& pictures_;
    std::vector<FramePtr> results_;
    std::size_t bytes_;
    std::vector<CudaStream> streams_;
    std::vector<DeviceMemory> memory_;
};
#endif

struct Promise {
    std::string what;
    double measured;
    double limit;
};
std::vector<Promise> promises;

void row(const std::string& device_name, int streams, int width, int height, const char* size) {
    const auto device = choose_device(device_name, 0, streams);
    FramePool pool(device->allocator());
    const PictureFormat format{AV_PIX_FMT_YUV420P, width, height, false};
    const std::vector<FramePtr> pictures = make_pictures(format, pool);
    const std::vector<FilterSpec> filters{parse_filter(*find_filter("gaussian"), size)};
    const bool cuda = device_name != "cpu";
    const auto engine = device->make_engine(filters, format, pool, nullptr);
    const int count = std::max(48, (cuda ? 1600 : 60) * 1080 / height * 1080 / height);

    std::vector<Contestant> contestants;
    contestants.push_back({engine->name(), [&](int n) { through(*engine, pictures, n); }});
#ifdef VFILTER_WITH_CUDA
    std::vector<std::unique_ptr<FilterEngine>> others;
    std::unique_ptr<Copies> copies;
    if (cuda) {
        const AVFrame& picture = *pictures[0];
        const auto last = static_cast<std::size_t>(picture.data[2] - picture.data[0]) +
                          static_cast<std::size_t>(picture.linesize[2]) * static_cast<std::size_t>(height / 2);
        copies = std::make_unique<Copies>(pictures, pool, format, last);
        contestants.push_back({"copies", [&](int n) { copies->run(n); }});
        for (const int number : {1, 2, 4, 6, 12}) {
            others.push_back(choose_device(device_name, 0, number)->make_engine(filters, format, pool, nullptr));
            contestants.push_back({fmt::format("{} streams", number),
                                   [&pictures, other = others.back().get()](int n) { through(*other, pictures, n); }});
        }
    }
#endif
    measure(contestants, count);
    const std::string what = fmt::format("{}p 4:2:0, gaussian {}", height, size);
    std::string text = fmt::format("{:<26}", what);
    for (const Contestant& contestant : contestants) {
        text += fmt::format("  {}: {:.0f} fps", contestant.name, median(contestant.fps));
    }
    std::puts(text.c_str());
    std::fflush(stdout);
    if (contestants.size() > 2) {
        const double fps = median(contestants[0].fps);
        promises.push_back({what + ": engine / copies", fps / median(contestants[1].fps), 0.85});
        promises.push_back({what + ": default streams / one", fps / median(contestants[2].fps), 1.7});
    }
}

}  // namespace

int main(int argc, char** argv) {
    std::string device = "cuda";
    int streams = 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (std::strcmp(argv[i], "--device") == 0) {
            device = argv[i + 1];
        } else if (std::strcmp(argv[i], "--streams") == 0) {
            streams = std::atoi(argv[i + 1]);
        } else {
            std::fputs("bench_engine [--device NAME] [--streams N]\n", stderr);
            return 2;
        }
    }
    try {
        for (const int height : {1080, 2160}) {
            for (const char* const size : {"5", "15", "31"}) {
                row(device, streams, height * 16 / 9, height, size);
            }
        }
    } catch (const std::exception& error) {
        std::fputs(fmt::format("bench_engine: {}\n", error.what()).c_str(), stderr);
        return 1;
    }
    for (const Promise& promise : promises) {
        std::puts(fmt::format("{:<56} {:6.2f} >= {:.2f}  {}", promise.what, promise.measured, promise.limit,
                              promise.measured >= promise.limit ? "ok" : "MISS")
                      .c_str());
    }
    return 0;
}
