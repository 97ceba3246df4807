// The filter ladder on a GPU: how each rung is set up, verified and timed; its kernels are in ladder_kernels.cuh.

#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "bench/gpu_libraries.h"
#include "bench/ladder.h"
#include "bench/ladder_kernels.cuh"

namespace vfilter::bench {

namespace {

std::size_t up(std::size_t value, std::size_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

void upload(const DeviceMemory& to, const std::vector<float>& values) {
    cuda_check(cudaMemcpy(to.get(), values.data(), sizeof(float) * values.size(), cudaMemcpyHostToDevice),
               "cudaMemcpy");
}

float* floats(const DeviceMemory& memory) {
    return reinterpret_cast<float*>(memory.get());
}

// How a rung filters pictures. `run` takes those from number `first` on and does not wait.
struct Way {
    std::function<void(int first, int pictures, cudaStream_t stream)> run;
    bool whole = true;    ///< makes bytes, where the sources are bytes; otherwise fp32 planes from fp32 planes
    bool always = false;  ///< only a group of pictures at once
    int margin = 0;       ///< samples and rows at the border that do not count: it has another one
};

// The pictures of a case, as bytes and, from when they are first wanted, as fp32 planes: so many that no cache holds
// them. Rows begin at multiples of 64 bytes as in a decoded frame, pictures at multiples of 512 as textures want it.
class Bench {
public:
    Bench(const FilterCase& which, const Libraries& all)
        : filter(which),
          libraries(all),
          pitch(up(static_cast<std::size_t>(which.width), 64)),
          plane(up(pitch * static_cast<std::size_t>(which.height), 512)),
          count_(groups(2 * plane)),
          from_(allocate(plane * count_)),
          to_(allocate(plane * count_)) {
        fill_random(from_.get(), plane * count_, ~0u);
        for (const double tap : taps_of(filter)) {
            line.push_back(static_cast<float>(tap));
        }
        for (const float a : line) {
            for (const float b : line) {
                square.push_back(a * b);
            }
        }
        cuda_check(cudaMemcpyToSymbol(square_taps, square.data(), sizeof(float) * square.size()), "cudaMemcpyToSymbol");
        cuda_check(cudaMemcpyToSymbol(line_taps, line.data(), sizeof(float) * line.size()), "cudaMemcpyToSymbol");
        cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    }

    [[nodiscard]] int count(const Way& way) const { return static_cast<int>(way.whole ? count_ : float_count_); }
    [[nodiscard]] std::size_t samples() const {
        return static_cast<std::size_t>(filter.width) * static_cast<std::size_t>(filter.height);
    }
    [[nodiscard]] Byte* from(int picture) const { return from_.get() + plane * static_cast<std::size_t>(picture); }
    [[nodiscard]] Byte* to(int picture) const { return to_.get() + plane * static_cast<std::size_t>(picture); }
    [[nodiscard]] Planes planes(int first) const {
        return {from(first), to(first), filter.width, filter.height, pitch, plane};
    }
    [[nodiscard]] float* float_from(int picture) const {
        return floats(float_from_) + samples() * static_cast<std::size_t>(picture);
    }
    [[nodiscard]] float* float_to(int picture) const {
        return floats(float_to_) + samples() * static_cast<std::size_t>(picture);
    }

    /// The picture as bytes, rows with their padding.
    [[nodiscard]] std::vector<Byte> source(int picture) const {
        std::vector<Byte> bytes(plane);
        cuda_check(cudaMemcpy(bytes.data(), from(picture), plane, cudaMemcpyDeviceToHost), "cudaMemcpy");
        return bytes;
    }

    /// A row of a picture that a way has made.
    [[nodiscard]] std::vector<float> result(const Way& way, int picture, int y) const {
        const auto width = static_cast<std::size_t>(filter.width);
        std::vector<float> values(width);
        if (!way.whole) {
            cuda_check(cudaMemcpy(values.data(), float_to(picture) + width * static_cast<std::size_t>(y),
                                  sizeof(float) * width, cudaMemcpyDeviceToHost),
                       "cudaMemcpy");
            return values;
        }
        std::vector<Byte> bytes(width);
        cuda_check(
            cudaMemcpy(bytes.data(), to(picture) + pitch * static_cast<std::size_t>(y), width, cudaMemcpyDeviceToHost),
            "cudaMemcpy");
        std::ranges::transform(bytes, values.begin(), [](Byte byte) { return static_cast<float>(byte); });
        return values;
    }

    /// So that what one rung has made is not taken for the next one's.
    void forget(const Way& way) {
        if (way.whole) {
            cuda_check(cudaMemset(to_.get(), 0xEE, plane * count_), "cudaMemset");
        } else {
            cuda_check(cudaMemset(float_to_.get(), 0xFF, sizeof(float) * samples() * float_count_), "cudaMemset");
        }
        cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    }

    void want_floats() {
        if (float_from_ != nullptr) {
            return;
        }
        float_count_ = std::min(groups(2 * sizeof(float) * samples()), count_);
        float_from_ = allocate(sizeof(float) * samples() * float_count_);
        float_to_ = allocate(sizeof(float) * samples() * float_count_);
        const dim3 blocks(parts(static_cast<std::size_t>(filter.width), 32),
                          parts(static_cast<std::size_t>(filter.height), 8), static_cast<unsigned>(float_count_));
        to_floats<<<blocks, dim3(32, 8)>>>(planes(0), float_from(0));
        cuda_check(cudaGetLastError(), "to_floats");
        cuda_check(cudaDeviceSynchronize(), "to_floats");
    }

    const FilterCase& filter;
    const Libraries& libraries;
    const std::size_t pitch;
    const std::size_t plane;
    std::vector<float> line;    ///< taps
    std::vector<float> square;  ///< and their products

private:
    // A multiple of a launch's pictures that no cache holds.
    static std::size_t groups(std::size_t bytes) { return up(parts(rotated_bytes(), bytes), group); }

    std::size_t count_;
    std::size_t float_count_ = 0;
    DeviceMemory from_;
    DeviceMemory to_;
    DeviceMemory float_from_;
    DeviceMemory float_to_;
};

dim3 blocks_of(const FilterCase& filter, int columns, int rows, int pictures) {
    return {parts(static_cast<std::size_t>(filter.width), static_cast<std::size_t>(columns)),
            parts(static_cast<std::size_t>(filter.height), static_cast<std::size_t>(rows)),
            static_cast<unsigned>(pictures)};
}

void launched(const char* kernel) {
    cuda_check(cudaGetLastError(), kernel);
}

Way make_naive(Bench& bench) {
    const std::shared_ptr<Byte> taps(allocate(sizeof(float) * bench.square.size()));
    cuda_check(cudaMemcpy(taps.get(), bench.square.data(), sizeof(float) * bench.square.size(), cudaMemcpyHostToDevice),
               "cudaMemcpy");
    return {[&bench, taps](int first, int pictures, cudaStream_t stream) {
        naive<<<blocks_of(bench.filter, 16, 16, pictures), dim3(16, 16), 0, stream>>>(
            bench.planes(first), reinterpret_cast<const float*>(taps.get()), bench.filter.radius);
        launched("naive");
    }};
}

Way make_constant(Bench& bench) {
    return {[&bench](int first, int pictures, cudaStream_t stream) {
        constant_memory<<<blocks_of(bench.filter, 16, 16, pictures), dim3(16, 16), 0, stream>>>(bench.planes(first),
                                                                                                bench.filter.radius);
        launched("constant_memory");
    }};
}

Way make_full_halo(Bench& bench) {
    return {[&bench](int first, int pictures, cudaStream_t stream) {
        const int inner = tile - 2 * bench.filter.radius;
        tile_full_halo<<<blocks_of(bench.filter, inner, inner, pictures), dim3(tile, tile), 0, stream>>>(
            bench.planes(first), bench.filter.radius);
        launched("tile_full_halo");
    }};
}

Way make_tile_and_cache(Bench& bench) {
    return {[&bench](int first, int pictures, cudaStream_t stream) {
        tile_and_cache<<<blocks_of(bench.filter, tile, tile, pictures), dim3(tile, tile), 0, stream>>>(
            bench.planes(first), bench.filter.radius);
        launched("tile_and_cache");
    }};
}

Way make_coarsened(Bench& bench) {
    return {[&bench](int first, int pictures, cudaStream_t stream) {
        const int halo = 2 * bench.filter.radius;
        const std::size_t bytes =
            sizeof(float) * static_cast<std::size_t>((coarse_columns + halo) * (coarse_rows + halo));
        coarsened<<<blocks_of(bench.filter, coarse_columns, coarse_rows, pictures),
                    dim3(coarse_columns, coarse_threads), bytes, stream>>>(bench.planes(first), bench.filter.radius);
        launched("coarsened");
    }};
}

// fp32 planes between the passes of a group's pictures, rows and pictures aligned as the textures' are.
struct Intermediate {
    explicit Intermediate(const Bench& bench)
        : plane(up(bench.pitch * static_cast<std::size_t>(bench.filter.height), 128)),
          memory(allocate(sizeof(float) * plane * group)),
          view{floats(memory), bench.pitch, plane} {}

    std::size_t plane;
    DeviceMemory memory;
    Between view;
};

Way make_separable(Bench& bench) {
    const auto between = std::make_shared<Intermediate>(bench);
    return {[&bench, between](int first, int pictures, cudaStream_t stream) {
        const dim3 blocks = blocks_of(bench.filter, 32, 8, pictures);
        plain_rows<<<blocks, dim3(32, 8), 0, stream>>>(bench.planes(first), between->view, bench.filter.radius);
        launched("plain_rows");
        plain_columns<<<blocks, dim3(32, 8), 0, stream>>>(bench.planes(first), between->view, bench.filter.radius);
        launched("plain_columns");
    }};
}

struct AlignedKernels {
    int radius;
    void (*rows)(Planes, Between);
    void (*columns)(Planes, Between);
};

constexpr AlignedKernels aligned_kernels[] = {
    {1, aligned_rows<1>, aligned_columns<1>},    {2, aligned_rows<2>, aligned_columns<2>},
    {4, aligned_rows<4>, aligned_columns<4>},    {8, aligned_rows<8>, aligned_columns<8>},
    {15, aligned_rows<15>, aligned_columns<15>}, {31, aligned_rows<31>, aligned_columns<31>},
};

Way make_aligned(Bench& bench) {
    const auto* const kernels = std::ranges::find(aligned_kernels, bench.filter.radius, &AlignedKernels::radius);
    if (kernels == std::end(aligned_kernels)) {
        throw std::runtime_error("not compiled for this radius");
    }
    const auto between = std::make_shared<Intermediate>(bench);
    return {[&bench, between, kernels](int first, int pictures, cudaStream_t stream) {
        kernels
            ->rows<<<blocks_of(bench.filter, row_span, row_rows, pictures), dim3(row_columns, row_rows), 0, stream>>>(
                bench.planes(first), between->view);
        launched("aligned_rows");
        kernels->columns<<<blocks_of(bench.filter, column_columns, column_span, pictures),
                           dim3(column_columns, column_rows), 0, stream>>>(bench.planes(first), between->view);
        launched("aligned_columns");
    }};
}

class Texture {
public:
    Texture(void* data, const cudaChannelFormatDesc& format, const FilterCase& filter, std::size_t pitch) {
        cudaResourceDesc resource{};
        resource.resType = cudaResourceTypePitch2D;
        resource.res.pitch2D.devPtr = data;
        resource.res.pitch2D.desc = format;
        resource.res.pitch2D.width = static_cast<std::size_t>(filter.width);
        resource.res.pitch2D.height = static_cast<std::size_t>(filter.height);
        resource.res.pitch2D.pitchInBytes = pitch;
        cudaTextureDesc how{};
        how.addressMode[0] = cudaAddressModeClamp;
        how.addressMode[1] = cudaAddressModeClamp;
        how.filterMode = cudaFilterModePoint;
        how.readMode = cudaReadModeElementType;
        cuda_check(cudaCreateTextureObject(&object_, &resource, &how, nullptr), "cudaCreateTextureObject");
    }
    ~Texture() {
        if (object_ != 0) {
            cudaDestroyTextureObject(object_);
        }
    }
    Texture(Texture&& other) noexcept : object_(std::exchange(other.object_, 0)) {}
    Texture& operator=(Texture&&) = delete;

    [[nodiscard]] cudaTextureObject_t object() const { return object_; }

private:
    cudaTextureObject_t object_ = 0;
};

struct TextureSet {
    explicit TextureSet(const Bench& bench) : between(bench) {
        const int count = bench.count(Way{});
        for (int n = 0; n < count; ++n) {
            sources.emplace_back(bench.from(n), cudaChannelFormatDesc{8, 0, 0, 0, cudaChannelFormatKindUnsigned},
                                 bench.filter, bench.pitch);
        }
        for (int n = 0; n < group; ++n) {
            intermediates.emplace_back(between.view.data + between.plane * static_cast<std::size_t>(n),
                                       cudaChannelFormatDesc{32, 0, 0, 0, cudaChannelFormatKindFloat}, bench.filter,
                                       sizeof(float) * bench.pitch);
        }
    }
    static Textures some(const std::vector<Texture>& of, int first, int pictures) {
        Textures result{};
        for (int n = 0; n < pictures; ++n) {
            result.of[n] = of[static_cast<std::size_t>(first + n)].object();
        }
        return result;
    }

    Intermediate between;
    std::vector<Texture> sources;
    std::vector<Texture> intermediates;
};

Way make_texture(Bench& bench) {
    const auto textures = std::make_shared<TextureSet>(bench);
    return {[&bench, textures](int first, int pictures, cudaStream_t stream) {
        const dim3 blocks = blocks_of(bench.filter, 32, 8, pictures);
        texture_rows<<<blocks, dim3(32, 8), 0, stream>>>(TextureSet::some(textures->sources, first, pictures),
                                                         bench.planes(first), textures->between.view,
                                                         bench.filter.radius);
        launched("texture_rows");
        texture_columns<<<blocks, dim3(32, 8), 0, stream>>>(TextureSet::some(textures->intermediates, 0, pictures),
                                                            bench.planes(first), bench.filter.radius);
        launched("texture_columns");
    }};
}

// A length that a fast Fourier transform likes: no prime factor above 7, and even.
int smooth(int length) {
    for (int candidate = length + length % 2;; candidate += 2) {
        int rest = candidate;
        for (const int factor : {2, 3, 5, 7}) {
            while (rest % factor == 0) {
                rest /= factor;
            }
        }
        if (rest == 1) {
            return candidate;
        }
    }
}

int fourier_width(const FilterCase& filter) {
    return smooth(filter.width + 2 * filter.radius);
}
int fourier_height(const FilterCase& filter) {
    return smooth(filter.height + 2 * filter.radius);
}

struct Fourier {
    explicit Fourier(const Bench& bench)
        : width(fourier_width(bench.filter)),
          height(fourier_height(bench.filter)),
          count(static_cast<unsigned>(width / 2 + 1) * static_cast<unsigned>(height)),
          padded(allocate(sizeof(float) * static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * group)),
          spectra(allocate(sizeof(float2) * std::size_t{count} * group)),
          taps(allocate(sizeof(float2) * std::size_t{count})),
          forward(bench.libraries.cufft, width, height, Cufft::real_to_complex, group),
          backward(bench.libraries.cufft, width, height, Cufft::complex_to_real, group) {
        std::vector<float> picture(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
        const std::size_t size = bench.line.size();
        for (std::size_t i = 0; i < bench.square.size(); ++i) {
            picture[i / size * static_cast<std::size_t>(width) + i % size] = bench.square[i];
        }
        upload(padded, picture);
        const CufftPlan one(bench.libraries.cufft, width, height, Cufft::real_to_complex, 1);
        one.forward(floats(padded), reinterpret_cast<float2*>(taps.get()), nullptr);
        cuda_check(cudaDeviceSynchronize(), "cufftExecR2C");
    }

    int width;
    int height;
    unsigned count;  ///< of the numbers of a spectrum
    DeviceMemory padded;
    DeviceMemory spectra;
    DeviceMemory taps;
    CufftPlan forward;
    CufftPlan backward;
};

Way make_fourier(Bench& bench) {
    bench.want_floats();
    const auto fourier = std::make_shared<Fourier>(bench);
    const auto run = [&bench, fourier](int first, int pictures, cudaStream_t stream) {
        const FilterCase& filter = bench.filter;
        const FloatPlane from{bench.float_from(first), filter.width, filter.height};
        const FloatPlane to{bench.float_to(first), filter.width, filter.height};
        const FloatPlane padded{floats(fourier->padded), fourier->width, fourier->height};
        auto* const spectra = reinterpret_cast<float2*>(fourier->spectra.get());
        const dim3 threads(32, 8);
        const dim3 blocks(parts(static_cast<std::size_t>(padded.width), 32),
                          parts(static_cast<std::size_t>(padded.height), 8), static_cast<unsigned>(pictures));
        pad<<<blocks, threads, 0, stream>>>(from, padded, filter.radius);
        launched("pad");
        fourier->forward.forward(padded.data, spectra, stream);
        multiply<<<dim3(parts(fourier->count, 256), 1, static_cast<unsigned>(pictures)), 256, 0, stream>>>(
            spectra, reinterpret_cast<const float2*>(fourier->taps.get()), fourier->count,
            1.0f / (static_cast<float>(padded.width) * static_cast<float>(padded.height)));
        launched("multiply");
        fourier->backward.backward(spectra, padded.data, stream);
        crop<<<blocks_of(filter, 32, 8, pictures), threads, 0, stream>>>(padded, to, filter.radius);
        launched("crop");
    };
    return {run, false, true};
}

Way make_matrix(Bench& bench) {
    bench.want_floats();
    constexpr std::size_t most = std::size_t{256} << 20;  // bytes of the matrix of columns
    const std::size_t taps = bench.square.size();
    const std::size_t row = sizeof(float) * taps * static_cast<std::size_t>(bench.filter.width);
    const int rows = std::clamp(static_cast<int>(most / row), 1, bench.filter.height);
    const std::shared_ptr<Byte> memory(allocate(row * static_cast<std::size_t>(rows)));
    const std::shared_ptr<Byte> weights(allocate(sizeof(float) * taps));
    cuda_check(cudaMemcpy(weights.get(), bench.square.data(), sizeof(float) * taps, cudaMemcpyHostToDevice),
               "cudaMemcpy");
    const auto picture = [&bench, memory, weights, rows, taps](int number, cudaStream_t stream) {
        const int width = bench.filter.width;
        const int height = bench.filter.height;
        float* const columns = reinterpret_cast<float*>(memory.get());
        for (int first = 0; first < height; first += rows) {
            const auto results = static_cast<unsigned>(std::min(rows, height - first) * width);
            columns_of_samples<<<dim3(parts(results, 256), static_cast<unsigned>(taps)), 256, 0, stream>>>(
                bench.float_from(number), columns, width, height, first, results, bench.filter.radius);
            launched("columns_of_samples");
            bench.libraries.cublas.multiply(
                static_cast<int>(results), 1, static_cast<int>(taps), columns,
                reinterpret_cast<const float*>(weights.get()),
                bench.float_to(number) + static_cast<std::size_t>(first) * static_cast<std::size_t>(width), stream);
        }
    };
    return {[picture](int first, int pictures, cudaStream_t stream) {
                for (int n = 0; n < pictures; ++n) {
                    picture(first + n, stream);
                }
            },
            false};
}

CudnnConvolution::Shape cudnn_shape(const FilterCase& filter, int rows, int columns) {
    return {group,       1,    filter.height, filter.width,
            1,           rows, columns,       rows / 2,
            columns / 2, 1,    false,         CudnnConvolution::Layout::nchw};
}

Way make_cudnn_square(Bench& bench) {
    bench.want_floats();
    const int size = 2 * bench.filter.radius + 1;
    const std::shared_ptr<Byte> taps(allocate(sizeof(float) * bench.square.size()));
    cuda_check(cudaMemcpy(taps.get(), bench.square.data(), sizeof(float) * bench.square.size(), cudaMemcpyHostToDevice),
               "cudaMemcpy");
    const auto convolution =
        std::make_shared<CudnnConvolution>(bench.libraries.cudnn, cudnn_shape(bench.filter, size, size),
                                           bench.float_from(0), taps.get(), bench.float_to(0));
    return {[&bench, taps, convolution](int first, int /*pictures*/, cudaStream_t stream) {
                convolution->run(bench.float_from(first), taps.get(), bench.float_to(first), stream);
            },
            false, true, bench.filter.radius};
}

Way make_cudnn_lines(Bench& bench) {
    bench.want_floats();
    const int size = 2 * bench.filter.radius + 1;
    const std::shared_ptr<Byte> taps(allocate(sizeof(float) * bench.line.size()));
    const std::shared_ptr<Byte> between(allocate(sizeof(float) * bench.samples() * group));
    cuda_check(cudaMemcpy(taps.get(), bench.line.data(), sizeof(float) * bench.line.size(), cudaMemcpyHostToDevice),
               "cudaMemcpy");
    const auto rows = std::make_shared<CudnnConvolution>(bench.libraries.cudnn, cudnn_shape(bench.filter, 1, size),
                                                         bench.float_from(0), taps.get(), between.get());
    const auto columns = std::make_shared<CudnnConvolution>(bench.libraries.cudnn, cudnn_shape(bench.filter, size, 1),
                                                            between.get(), taps.get(), bench.float_to(0));
    return {[&bench, taps, between, rows, columns](int first, int /*pictures*/, cudaStream_t stream) {
                rows->run(bench.float_from(first), taps.get(), between.get(), stream);
                columns->run(between.get(), taps.get(), bench.float_to(first), stream);
            },
            false, true, bench.filter.radius};
}

// NPP takes one picture at a time.
template <class Filter>
Way make_npp(Bench& bench, Filter filter) {
    const std::shared_ptr<Byte> taps(allocate(sizeof(float) * bench.line.size()));
    const std::shared_ptr<Byte> between(allocate(bench.plane * group));
    cuda_check(cudaMemcpy(taps.get(), bench.line.data(), sizeof(float) * bench.line.size(), cudaMemcpyHostToDevice),
               "cudaMemcpy");
    return {[&bench, filter, taps, between](int first, int pictures, cudaStream_t stream) {
        Npp::Context context = bench.libraries.npp.context;
        context.stream = stream;
        for (int n = 0; n < pictures; ++n) {
            filter(bench, bench.from(first + n), between.get() + bench.plane * static_cast<std::size_t>(n),
                   bench.to(first + n), reinterpret_cast<const float*>(taps.get()), context);
        }
    }};
}

Way make_npp_gauss(Bench& bench) {
    return make_npp(bench, [](const Bench& on, const Byte* from, Byte* /*between*/, Byte* to, const float* taps,
                              const Npp::Context& context) {
        const Npp::Size size{on.filter.width, on.filter.height};
        const int step = static_cast<int>(on.pitch);
        library_check(on.libraries.npp.bytes.gauss(from, step, size, {0, 0}, to, step, size, 2 * on.filter.radius + 1,
                                                   taps, Npp::border_replicate, context),
                      "nppiFilterGaussAdvancedBorder");
    });
}

Way make_npp_lines(Bench& bench) {
    return make_npp(bench, [](const Bench& on, const Byte* from, Byte* between, Byte* to, const float* taps,
                              const Npp::Context& context) {
        const Npp::Size size{on.filter.width, on.filter.height};
        const int step = static_cast<int>(on.pitch);
        const int radius = on.filter.radius;
        library_check(on.libraries.npp.bytes.row(from, step, size, {0, 0}, between, step, size, taps, 2 * radius + 1,
                                                 radius, Npp::border_replicate, context),
                      "nppiFilterRowBorder32f");
        library_check(on.libraries.npp.bytes.column(between, step, size, {0, 0}, to, step, size, taps, 2 * radius + 1,
                                                    radius, Npp::border_replicate, context),
                      "nppiFilterColumnBorder32f");
    });
}

Way make_tensor(Bench& bench) {
    const std::size_t bytes = tensor_shared(bench.filter.radius);
    cuda_check(cudaFuncSetAttribute(tensor_cores, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
               "cudaFuncSetAttribute");
    return {[&bench, bytes](int first, int pictures, cudaStream_t stream) {
        tensor_cores<<<blocks_of(bench.filter, tensor_side, tensor_side, pictures), 32 * tensor_warps, bytes, stream>>>(
            bench.planes(first), bench.filter.radius);
        launched("tensor_cores");
    }};
}

Way make_ours(Bench& bench) {
    const auto convolver = std::make_shared<CudaFilter>(std::vector{filter_of(bench.filter)}, Border::replicate);
    return {[&bench, convolver](int first, int pictures, cudaStream_t stream) {
        std::array<PlaneJob, group> jobs;
        const auto pitch = static_cast<std::ptrdiff_t>(bench.pitch);
        for (int n = 0; n < pictures; ++n) {
            jobs[static_cast<std::size_t>(n)] = {
                {bench.from(first + n), bench.filter.width, bench.filter.height, pitch},
                {bench.to(first + n), bench.filter.width, bench.filter.height, pitch},
                0,
                0};
        }
        convolver->launch(std::span(jobs).first(static_cast<std::size_t>(pictures)), stream);
    }};
}

Way make_copy(Bench& bench) {
    return {[&bench](int first, int pictures, cudaStream_t stream) {
        copy(bench.from(first), bench.to(first), bench.plane * static_cast<std::size_t>(pictures), stream);
    }};
}

double square_flops(const FilterCase& filter) {
    return filter.square_flops();
}
double separable_flops(const FilterCase& filter) {
    return 2 * filter.line_flops();
}
// There and back again, by the convention for transforms of real numbers, and six for each product of the half
// spectrum.
double fourier_flops(const FilterCase& filter) {
    const double n = double{1} * fourier_width(filter) * fourier_height(filter);
    return 5 * n * std::log2(n) + 3 * n;
}
// Zeros of the band are multiplied as well.
double tensor_flops(const FilterCase& filter) {
    return filter.samples() * 2 * band_rows(filter.radius) * (1 + double{1} * tensor_tile(filter.radius) / tensor_side);
}
double no_flops(const FilterCase& /*filter*/) {
    return 0;
}

enum class Unit { none, fp32, tensor };

struct FilterRung {
    Rung rung;
    Way (*make)(Bench&);
    double (*flops)(const FilterCase&);
    Unit unit;
    bool (*there)(const Libraries&) = nullptr;  ///< its library
    int last_radius = max_radius;
    const char* beyond = "";  ///< why it ends there
    double allowed = 1;       ///< LSB
    bool exact = false;
};

bool npp_there(const Libraries& libraries) {
    return libraries.npp.there;
}
bool cublas_there(const Libraries& libraries) {
    return libraries.cublas.there;
}
bool cufft_there(const Libraries& libraries) {
    return libraries.cufft.there;
}
bool cudnn_there(const Libraries& libraries) {
    return libraries.cudnn.there;
}

constexpr FilterRung rungs[] = {
    {{"naive", "a thread for each sample, everything from global memory"}, make_naive, square_flops, Unit::fp32},
    {{"constant memory", "the taps, which all threads want at the same time, where one read serves a warp"},
     make_constant,
     square_flops,
     Unit::fp32},
    {{"tile, full halo", "each sample once into shared memory, by a thread of its own; those of the halo then idle"},
     make_full_halo,
     square_flops,
     Unit::fp32,
     nullptr,
     15,
     "a block of 32 x 32 threads is nothing but halo: that is this rung's lesson"},
    {{"tile, halo from the cache", "no idle threads: what lies around the tile comes from the cache"},
     make_tile_and_cache,
     square_flops,
     Unit::fp32},
    {{"coarsened", "eight results for each thread: a sample in a register serves all of them"},
     make_coarsened,
     square_flops,
     Unit::fp32},
    {{"separable, plain", "rows, then columns: 2k multiply-adds instead of k x k, in two trips through memory"},
     make_separable,
     separable_flops,
     Unit::fp32},
    {{"separable, aligned", "tiles with an aligned apron, loops unrolled, no two threads at one bank"},
     make_aligned,
     separable_flops,
     Unit::fp32},
    {{"separable, texture", "samples through the texture unit, which has its own cache and clamps by itself"},
     make_texture,
     separable_flops,
     Unit::fp32},
    {{"FFT (cuFFT)", "a product of spectra: the radius no longer matters", false, true},
     make_fourier,
     fourier_flops,
     Unit::fp32,
     cufft_there},
    {{"im2col + cuBLAS", "a matrix product, for which each sample is written k x k times", false, true},
     make_matrix,
     square_flops,
     Unit::fp32,
     cublas_there},
    {{"cuDNN, k x k", "a deep-learning library with its fastest algorithm for this size, found by trial", false, true},
     make_cudnn_square,
     square_flops,
     Unit::fp32,
     cudnn_there,
     4,
     "rows and columns are faster there"},
    {{"cuDNN, rows + columns", "the same for each pass", false, true},
     make_cudnn_lines,
     separable_flops,
     Unit::fp32,
     cudnn_there},
    {{"NPP Gauss", "the vendor's Gaussian", false, true},
     make_npp_gauss,
     separable_flops,
     Unit::fp32,
     npp_there,
     max_radius,
     "",
     2},
    {{"NPP rows + columns", "the vendor's row and column filters, with bytes between them", false, true},
     make_npp_lines,
     separable_flops,
     Unit::fp32,
     npp_there,
     max_radius,
     "",
     2},
    {{"tensor cores, textbook", "taps as a band in a matrix: more multiplications, which cost next to nothing"},
     make_tensor,
     tensor_flops,
     Unit::tensor},
    {{"ours",
      "whole numbers, of which one instruction multiplies several, and both passes in one kernel: no trip between them",
      true},
     make_ours,
     separable_flops,
     Unit::none,
     nullptr,
     max_radius,
     "",
     1,
     true},
    {{"a plain copy", "the floor: nothing is computed", false, false, true}, make_copy, no_flops, Unit::none},
};

constexpr auto names = [] {
    std::array<Rung, std::size(rungs)> result{};
    std::ranges::transform(rungs, result.begin(), [](const FilterRung& each) { return each.rung; });
    return result;
}();

// What is compared with: the first and the last picture.
struct Target {
    Expectation first;
    Expectation last;
};

Expectation expectation(const Bench& bench, int picture) {
    const std::vector<Byte> bytes = bench.source(picture);
    return {bench.filter, bytes.data(), static_cast<std::ptrdiff_t>(bench.pitch)};
}

using Rows = std::vector<std::vector<float>>;

Rows results(const Bench& bench, const Way& way, const Expectation& expected, int picture) {
    Rows rows;
    for (const int y : expected.rows()) {
        rows.push_back(bench.result(way, picture, y));
    }
    return rows;
}

void check(const FilterRung& rung, const Way& way, const Expectation& expected, const Rows& rows, Climb& climb) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        climb.difference = std::max(climb.difference, expected.difference(i, rows[i], way.whole, way.margin));
        climb.wrong = climb.wrong || climb.difference > rung.allowed || (rung.exact && !expected.exact(i, rows[i]));
    }
    if (climb.wrong) {
        climb.failure = wrong_by(climb.difference) + " LSB";
    }
}

// How many pictures a launch gets: a slow rung shows its speed with one as well as with eight.
int pictures_for(const Way& way) {
    constexpr double slow = 5e3;  // microseconds
    if (way.always) {
        return group;
    }
    std::vector<Contestant> one{{"", [&](int /*n*/, cudaStream_t stream) { way.run(0, 1, stream); }}};
    measure(one, 1, 1);
    return one[0].microseconds[0] < slow ? group : 1;
}

// Makes the first and, where there is time for all of them, the last picture.
void verify(const FilterRung& rung, const Bench& bench, const Way& way, const Target& target, int pictures,
            Climb& climb) {
    way.run(0, pictures, nullptr);
    const int last = bench.count(way) - pictures;
    if (pictures == group) {
        way.run(last, pictures, nullptr);
    }
    cuda_check(cudaDeviceSynchronize(), rung.rung.name.data());
    if (rung.rung.floor) {
        return;
    }
    check(rung, way, target.first, results(bench, way, target.first, 0), climb);
    if (pictures == group && way.whole) {
        check(rung, way, target.last, results(bench, way, target.last, bench.count(way) - 1), climb);
    }
}

void time(const Bench& bench, const Way& way, const Target& target, int pictures, Climb& climb) {
    const Rows before = results(bench, way, target.first, 0);
    const int count = bench.count(way);
    climb.microseconds = measure_alone([&](int n, cudaStream_t stream) {
        way.run(static_cast<int>(std::int64_t{n} * group % count), pictures, stream);
    });
    for (double* const value : {&climb.microseconds.median, &climb.microseconds.lowest, &climb.microseconds.highest}) {
        *value /= pictures;
    }
    if (results(bench, way, target.first, 0) != before) {
        climb.wrong = true;
        climb.microseconds = {};
        climb.failure = "WRONG: other samples after it was timed than before";
    }
}

void climb_rung(const FilterRung& rung, Bench& bench, const Target& target, Climb& climb) {
    const Way way = rung.make(bench);
    bench.forget(way);
    const int pictures = pictures_for(way);
    verify(rung, bench, way, target, pictures, climb);
    if (!climb.wrong) {
        time(bench, way, target, pictures, climb);
    }
}

std::string why_not(const FilterRung& rung, const FilterCase& filter, const Libraries& libraries) {
    if (rung.there != nullptr && !rung.there(libraries)) {
        return "the library was not found";
    }
    return filter.radius > rung.last_radius ? rung.beyond : "";
}

double peak_of(Unit unit) {
    const Peak all = peak();
    return unit == Unit::fp32 ? all.fp32 : unit == Unit::tensor ? all.fp16_tensor : 0;
}

// A GPU that had nothing to do has lowered its clock.
void warm_up(const Bench& bench) {
    measure_alone([&](int, cudaStream_t stream) { copy(bench.from(0), bench.to(0), bench.plane * group, stream); }, 50);
}

}  // namespace

GpuLadder::GpuLadder() : libraries_(std::make_unique<Libraries>()) {}
GpuLadder::~GpuLadder() = default;

std::vector<std::string> GpuLadder::missing() const {
    std::vector<std::string> names_of_missing;
    for (const auto& [name, there] :
         {std::pair{"NPP (libnppif)", libraries_->npp.there}, std::pair{"cuBLAS", libraries_->cublas.there},
          std::pair{"cuFFT", libraries_->cufft.there}, std::pair{"cuDNN", libraries_->cudnn.there}}) {
        if (!there) {
            names_of_missing.emplace_back(name);
        }
    }
    return names_of_missing;
}

std::span<const Rung> GpuLadder::filter_rungs() {
    return names;
}

std::vector<Climb> GpuLadder::filter(const FilterCase& filter, const Begin& begin) {
    Bench bench(filter, *libraries_);
    const Target target{expectation(bench, 0), expectation(bench, bench.count(Way{}) - 1)};
    warm_up(bench);
    std::vector<Climb> result;
    for (const FilterRung& rung : rungs) {
        if (!begin(rung.rung)) {
            continue;
        }
        Climb climb{.rung = rung.rung,
                    .flops = rung.flops(filter),
                    .bytes = filter.bytes(),
                    .peak = peak_of(rung.unit),
                    .failure = why_not(rung, filter, *libraries_)};
        try {
            if (climb.failure.empty()) {
                climb_rung(rung, bench, target, climb);
            }
        } catch (const std::exception& error) {
            climb.failure = error.what();
            climb.microseconds = {};
            cudaGetLastError();  // so that the next launch is not blamed for it
        }
        result.push_back(std::move(climb));
    }
    return result;
}

}  // namespace vfilter::bench
