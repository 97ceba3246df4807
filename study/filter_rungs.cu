// The filter ladder on a GPU: how each rung is set up, verified and timed.

#include <algorithm>
#include <optional>

#include "bench/gpu_libraries.h"
#include "study/filter_bench.cuh"
#include "study/filter_kernels.cuh"
#include "study/filter_tensor.cuh"

namespace vfilter::study {

namespace {

// A rung that is one kernel from bytes to bytes.
Way one_kernel(const Bench& bench, const Blocks& blocks, void (*kernel)(Bytes, Bytes, int)) {
    return {[&bench, blocks, kernel](int first, int pictures, cudaStream_t stream) {
        launch(bench, blocks, pictures, stream, kernel, bench.from(first), bench.to(first), bench.filter.radius);
    }};
}

void upload_taps(const Bench& bench) {
    const std::vector<float>& square = bench.square_of_taps();
    const std::vector<float>& line = bench.line_of_taps();
    cuda_check(cudaMemcpyToSymbol(square_taps, square.data(), sizeof(float) * square.size()), "cudaMemcpyToSymbol");
    cuda_check(cudaMemcpyToSymbol(line_taps, line.data(), sizeof(float) * line.size()), "cudaMemcpyToSymbol");
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

const Blocks squares{16, 16, dim3(16, 16)};

template <class Taps>
Way definition(const Bench& bench, const Taps& taps, const Device<float>& owner) {
    return {[&bench, taps, owner](int first, int pictures, cudaStream_t stream) {
        launch(bench, squares, pictures, stream, whole_square<Taps>, bench.from(first), bench.to(first), taps,
               bench.filter.radius);
    }};
}

Way make_naive(Bench& bench) {
    const Device<float> taps = on_device(bench.square_of_taps());
    return definition(bench, GlobalTaps{taps.get()}, taps);
}

Way make_constant(Bench& bench) {
    return definition(bench, ConstantTaps{}, nullptr);
}

Way make_full_halo(Bench& bench) {
    const int inner = tile - 2 * bench.filter.radius;
    return one_kernel(bench, {inner, inner, dim3(tile, tile)}, tile_full_halo);
}

Way make_tile_and_cache(Bench& bench) {
    return one_kernel(bench, {tile, tile, dim3(tile, tile)}, tile_and_cache);
}

Way make_coarsened(Bench& bench) {
    const int halo = 2 * bench.filter.radius;
    const auto samples = static_cast<std::size_t>((coarse_columns + halo) * (coarse_rows + halo));
    return one_kernel(
        bench, {coarse_columns, coarse_rows, dim3(coarse_columns, coarse_threads), sizeof(float) * samples}, coarsened);
}

// fp32 planes between the passes of a group's pictures, rows and pictures aligned as the textures' are.
struct Intermediate {
    explicit Intermediate(const Bench& bench) : view{nullptr, bench.filter.width, bench.filter.height, 0, 0} {
        view.pitch = bench.from(0).pitch;
        view.plane = up(view.pitch * static_cast<std::size_t>(view.height), 128);
        memory = on_device<float>(view.plane * group);
        view.data = memory.get();
    }

    Floats view;
    Device<float> memory;
};

Way make_separable(Bench& bench) {
    return {[&bench, between = Intermediate(bench)](int first, int pictures, cudaStream_t stream) {
        const int radius = bench.filter.radius;
        launch(bench, strips, pictures, stream, line<true, Bytes, Floats>, bench.from(first), between.view, radius);
        launch(bench, strips, pictures, stream, line<false, Floats, Bytes>, between.view, bench.to(first), radius);
    }};
}

struct AlignedKernels {
    int radius;
    void (*rows)(Bytes, Floats);
    void (*columns)(Floats, Bytes);
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
    return {[&bench, kernels, between = Intermediate(bench)](int first, int pictures, cudaStream_t stream) {
        const Blocks rows{row_span, row_rows, dim3(row_columns, row_rows)};
        const Blocks columns{column_columns, column_span, dim3(column_columns, column_rows)};
        launch(bench, rows, pictures, stream, kernels->rows, bench.from(first), between.view);
        launch(bench, columns, pictures, stream, kernels->columns, between.view, bench.to(first));
    }};
}

// Textures of a group of pictures from each number on that is a multiple of a group's.
template <class Sample>
class TextureGroups {
public:
    TextureGroups(const Pictures<Sample>& pictures, int count, const cudaChannelFormatDesc& format)
        : groups_(static_cast<std::size_t>(count / group)) {
        for (int n = 0; n < count; ++n) {
            cudaResourceDesc resource{};
            resource.resType = cudaResourceTypePitch2D;
            resource.res.pitch2D.devPtr = pictures.data + pictures.plane * static_cast<std::size_t>(n);
            resource.res.pitch2D.desc = format;
            resource.res.pitch2D.width = static_cast<std::size_t>(pictures.width);
            resource.res.pitch2D.height = static_cast<std::size_t>(pictures.height);
            resource.res.pitch2D.pitchInBytes = sizeof(Sample) * pictures.pitch;
            cudaTextureDesc how{};
            how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
            how.filterMode = cudaFilterModePoint;
            how.readMode = cudaReadModeElementType;
            cuda_check(cudaCreateTextureObject(&at(n / group).of[n % group], &resource, &how, nullptr),
                       "cudaCreateTextureObject");
        }
    }
    ~TextureGroups() {
        for (const Textures<Sample>& textures : groups_) {
            for (const cudaTextureObject_t texture : textures.of) {
                cudaDestroyTextureObject(texture);
            }
        }
    }
    TextureGroups(const TextureGroups&) = delete;
    TextureGroups& operator=(const TextureGroups&) = delete;

    [[nodiscard]] Textures<Sample>& at(int number) { return groups_[static_cast<std::size_t>(number)]; }

private:
    std::vector<Textures<Sample>> groups_;
};

Way make_texture(Bench& bench) {
    const Intermediate between(bench);
    const auto sources = std::make_shared<TextureGroups<Byte>>(
        bench.from(0), bench.count(Way{}), cudaChannelFormatDesc{8, 0, 0, 0, cudaChannelFormatKindUnsigned});
    const auto results = std::make_shared<TextureGroups<float>>(
        between.view, group, cudaChannelFormatDesc{32, 0, 0, 0, cudaChannelFormatKindFloat});
    return {[&bench, between, sources, results](int first, int pictures, cudaStream_t stream) {
        const int radius = bench.filter.radius;
        launch(bench, strips, pictures, stream, line<true, Textures<Byte>, Floats>, sources->at(first / group),
               between.view, radius);
        launch(bench, strips, pictures, stream, line<false, Textures<float>, Bytes>, results->at(0), bench.to(first),
               radius);
    }};
}

Way make_tensor(Bench& bench) {
    const std::size_t bytes = tensor_shared(bench.filter.radius);
    cuda_check(cudaFuncSetAttribute(tensor_cores, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
               "cudaFuncSetAttribute");
    return one_kernel(bench, {tensor_side, tensor_side, dim3(32 * tensor_warps), bytes}, tensor_cores);
}

double square_flops(const FilterCase& filter) {
    return filter.square_flops();
}
double separable_flops(const FilterCase& filter) {
    return filter.separable_flops();
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
    Unit unit = Unit::fp32;
    std::optional<GpuLibrary> library = std::nullopt;
    double allowed = 1;  // LSB; 0: the contract's bytes
    int last_radius = max_radius;
    const char* beyond = "";  // why it ends there
};

constexpr FilterRung rungs[] = {
    {{"naive", "a thread for each sample, everything from global memory"}, make_naive, square_flops},
    {{"constant memory", "the taps, which all threads want at the same time, where one read serves a warp"},
     make_constant,
     square_flops},
    {{"tile, full halo", "each sample once into shared memory, by a thread of its own; those of the halo then idle"},
     make_full_halo,
     square_flops,
     Unit::fp32,
     std::nullopt,
     1,
     15,
     "a block of 32 x 32 threads is nothing but halo: that is this rung's lesson"},
    {{"tile, halo from the cache", "no idle threads: what lies around the tile comes from the cache"},
     make_tile_and_cache,
     square_flops},
    {{"coarsened", "eight results for each thread: a sample in a register serves all of them"},
     make_coarsened,
     square_flops},
    {{"separable, plain", "rows, then columns: 2k multiply-adds instead of k x k, in two trips through memory"},
     make_separable,
     separable_flops},
    {{"separable, aligned", "tiles with an aligned halo, loops unrolled, no two threads at one bank"},
     make_aligned,
     separable_flops},
    {{"separable, texture", "samples through the texture unit, which has its own cache and clamps by itself"},
     make_texture,
     separable_flops},
    {{"FFT (cuFFT)", "a product of spectra: the radius no longer matters", false, true},
     make_fourier,
     fourier_flops,
     Unit::fp32,
     GpuLibrary::cufft},
    {{"im2col + cuBLAS", "a matrix product, for which each sample is written k x k times", false, true},
     make_matrix,
     square_flops,
     Unit::fp32,
     GpuLibrary::cublas},
    {{"cuDNN, k x k", "a deep-learning library with its fastest algorithm for this size, found by trial", false, true},
     make_cudnn_square,
     square_flops,
     Unit::fp32,
     GpuLibrary::cudnn,
     1,
     4,
     "rows and columns are faster there"},
    {{"cuDNN, rows + columns", "the same for each pass", false, true},
     make_cudnn_lines,
     separable_flops,
     Unit::fp32,
     GpuLibrary::cudnn},
    {{"NPP Gauss", "the vendor's Gaussian", false, true},
     make_npp_gauss,
     separable_flops,
     Unit::fp32,
     GpuLibrary::npp,
     2},
    {{"NPP rows + columns", "the vendor's row and column filters, with bytes between them", false, true},
     make_npp_lines,
     separable_flops,
     Unit::fp32,
     GpuLibrary::npp,
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
     std::nullopt,
     0},
    {{"a plain copy", "the floor: nothing is computed", false, false, true}, make_copy, no_flops, Unit::none},
};

// Some rows of a picture that a way has made.
using Rows = std::vector<std::vector<float>>;

Rows results(const Bench& bench, const Way& way, const Reference& reference, int picture) {
    Rows rows;
    for (const int y : reference.rows()) {
        rows.push_back(bench.result(way, picture, y));
    }
    return rows;
}

void check(const FilterRung& rung, const Way& way, const Reference& reference, const Rows& rows, Climb& climb) {
    bool exact = true;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        climb.difference = std::max(climb.difference, reference.difference(i, rows[i], way.whole, way.margin));
        exact = exact && reference.exact(i, rows[i]);
    }
    if (rung.allowed == 0 ? !exact : climb.difference > rung.allowed) {
        climb.refute(off_by(climb.difference, "LSB"));
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

// What is compared with: the first and the last picture.
struct Target {
    Reference first;
    Reference last;
};

// The first picture, and where there is time for all of them the last one, before it is timed; the first one after.
void verify_and_time(const FilterRung& rung, const Bench& bench, const Way& way, const Target& target, Climb& climb) {
    bench.forget(way);
    const int pictures = pictures_for(way);
    const int count = bench.count(way);
    const bool all = pictures == group;
    way.run(0, pictures, nullptr);
    if (all) {
        way.run(count - pictures, pictures, nullptr);
    }
    cuda_check(cudaDeviceSynchronize(), rung.rung.name.data());
    const Rows before = results(bench, way, target.first, 0);
    if (!rung.rung.floor) {
        check(rung, way, target.first, before, climb);
    }
    if (!rung.rung.floor && all && way.whole) {
        check(rung, way, target.last, results(bench, way, target.last, count - 1), climb);
    }
    if (climb.wrong) {
        return;
    }
    climb.microseconds = measure_alone([&](int n, cudaStream_t stream) {
        way.run(static_cast<int>(std::int64_t{n} * group % count), pictures, stream);
    });
    for (double* const value : {&climb.microseconds.median, &climb.microseconds.lowest, &climb.microseconds.highest}) {
        *value /= pictures;
    }
    if (results(bench, way, target.first, 0) != before) {
        climb.refute("other samples after it was timed than before");
    }
}

std::string why_not(const FilterRung& rung, const FilterCase& filter) {
    const std::string missing = rung.library ? why_missing(*rung.library) : "";
    return !missing.empty() ? missing : filter.radius > rung.last_radius ? rung.beyond : "";
}

}  // namespace

std::vector<Rung> filter_rungs() {
    return rungs_of(rungs);
}

std::vector<Climb> climb_filter(const FilterCase& filter, const Begin& begin) {
    Bench bench(filter);
    upload_taps(bench);
    const Target target{bench.reference(0), bench.reference(bench.count(Way{}) - 1)};
    // A GPU that had nothing to do has lowered its clock.
    measure_alone([copying = make_copy(bench)](int, cudaStream_t stream) { copying.run(0, group, stream); }, 50);
    const Peak all = peak();
    return climb_rungs<FilterRung>(rungs, begin, [&](const FilterRung& rung, Climb& climb) {
        const ErrorScope errors;
        climb.flops = rung.flops(filter);
        climb.bytes = filter.bytes();
        climb.peak = rung.unit == Unit::fp32 ? all.fp32 : rung.unit == Unit::tensor ? all.fp16_tensor : 0;
        climb.failure = why_not(rung, filter);
        if (climb.failure.empty()) {
            verify_and_time(rung, bench, rung.make(bench), target, climb);
        }
    });
}

}  // namespace vfilter::study
