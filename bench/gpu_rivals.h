#pragma once
// NVIDIA's own libraries, for comparison: opened by name, so that nothing is needed to build.

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "bench/gpu.h"
#include "kernels/cuda/convolver.h"

namespace vfilter::bench {

/// The one of them that is fastest in a trial, empty where all fail.
inline std::optional<Contestant> fastest(std::vector<Contestant> contestants) {
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

// NVIDIA Performance Primitives, if this machine has them. The types are those of its documented interface.
class Npp {
public:
    struct Size {
        int width;
        int height;
    };
    struct Context {
        cudaStream_t stream;
        int device;
        int multiprocessors;
        int threads_per_multiprocessor;
        int threads_per_block;
        std::size_t shared_bytes;
        int major;
        int minor;
        unsigned stream_flags;
        int reserved;
    };
    static constexpr int border_replicate = 2;
    using Gauss = int (*)(const void*, int, Size, Size, void*, int, Size, int, const float*, int, Context);
    using Line = int (*)(const void*, int, Size, Size, void*, int, Size, const float*, int, int, int, Context);

    // For samples of 8 or 16 bits.
    struct Functions {
        Gauss gauss = nullptr;
        Line row = nullptr;
        Line column = nullptr;
    };

    Npp() {
        void* library = nullptr;
        for (const char* const name : {"libnppif.so.13", "libnppif.so.12", "libnppif.so"}) {
            library = library != nullptr ? library : dlopen(name, RTLD_NOW);
        }
        there = library != nullptr;
        if (!there) {
            return;
        }
        const auto load = [&](auto& function, const std::string& name) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name.c_str()));
        };
        for (const auto& [functions, samples] : {std::pair{&bytes, "_8u_C1R_Ctx"}, std::pair{&words, "_16u_C1R_Ctx"}}) {
            load(functions->gauss, std::string("nppiFilterGaussAdvancedBorder") + samples);
            load(functions->row, std::string("nppiFilterRowBorder32f") + samples);
            load(functions->column, std::string("nppiFilterColumnBorder32f") + samples);
        }
        int device = 0;
        cuda_check(cudaGetDevice(&device), "cudaGetDevice");
        cudaDeviceProp properties{};
        cuda_check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
        context = {nullptr,
                   device,
                   properties.multiProcessorCount,
                   properties.maxThreadsPerMultiProcessor,
                   properties.maxThreadsPerBlock,
                   properties.sharedMemPerBlock,
                   properties.major,
                   properties.minor,
                   cudaStreamNonBlocking,
                   0};
    }

    bool there = false;
    Functions bytes;
    Functions words;
    Context context{};
};

// cuDNN, if this machine has it.
class Cudnn {
public:
    Cudnn() {
        void* const library = dlopen("libcudnn.so.9", RTLD_NOW);
        const auto load = [&](auto& function, const char* name) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
            return function != nullptr;
        };
        int (*create)(void**) = nullptr;
        there = library != nullptr && load(create, "cudnnCreate") && load(set_stream, "cudnnSetStream") &&
                load(create_tensor, "cudnnCreateTensorDescriptor") && load(set_tensor, "cudnnSetTensor4dDescriptor") &&
                load(destroy_tensor, "cudnnDestroyTensorDescriptor") &&
                load(create_filter, "cudnnCreateFilterDescriptor") && load(set_filter, "cudnnSetFilter4dDescriptor") &&
                load(destroy_filter, "cudnnDestroyFilterDescriptor") &&
                load(create_convolution, "cudnnCreateConvolutionDescriptor") &&
                load(set_convolution, "cudnnSetConvolution2dDescriptor") &&
                load(destroy_convolution, "cudnnDestroyConvolutionDescriptor") &&
                load(workspace_size, "cudnnGetConvolutionForwardWorkspaceSize") &&
                load(forward, "cudnnConvolutionForward") && create(&handle) == 0;
    }

    bool there = false;
    void* handle = nullptr;
    int (*set_stream)(void*, cudaStream_t) = nullptr;
    int (*create_tensor)(void**) = nullptr;
    int (*set_tensor)(void*, int format, int type, int n, int c, int h, int w) = nullptr;
    int (*destroy_tensor)(void*) = nullptr;
    int (*create_filter)(void**) = nullptr;
    int (*set_filter)(void*, int type, int format, int k, int c, int h, int w) = nullptr;
    int (*destroy_filter)(void*) = nullptr;
    int (*create_convolution)(void**) = nullptr;
    int (*set_convolution)(void*, int pad_h, int pad_w, int u, int v, int dilation_h, int dilation_w, int mode,
                           int type) = nullptr;
    int (*destroy_convolution)(void*) = nullptr;
    int (*workspace_size)(void*, void*, void*, void*, void*, int algorithm, std::size_t*) = nullptr;
    int (*forward)(void*, const void* alpha, void*, const void* x, void*, const void* w, void*, int algorithm, void*,
                   std::size_t, const void* beta, void*, void* y) = nullptr;
};

// A blur of fp32 planes of one size by cuDNN: two convolutions, each by its fastest algorithm.
class CudnnBlur {
public:
    static constexpr std::size_t planes = CudaConvolver::max_planes;

    /// Throws std::runtime_error where cuDNN cannot do it, or memory does not suffice.
    CudnnBlur(const Cudnn& library, int width, int height, const std::vector<float>& taps)
        : library_(library),
          plane_bytes_(sizeof(float) * static_cast<std::size_t>(width) * static_cast<std::size_t>(height)),
          memory_(allocate((2 * planes + 1) * plane_bytes_)),
          taps_(allocate(sizeof(float) * taps.size())) {
        cuda_check(cudaMemcpy(taps_.get(), taps.data(), sizeof(float) * taps.size(), cudaMemcpyHostToDevice),
                   "cudaMemcpy");
        cuda_check(cudaMemset(memory_.get(), 0, (2 * planes + 1) * plane_bytes_), "cudaMemset");
        cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
        constexpr int type_float = 0;
        constexpr int format_nchw = 0;
        constexpr int cross_correlation = 1;
        const int size = static_cast<int>(taps.size());
        check(library_.create_tensor(&plane_));
        check(library_.set_tensor(plane_, format_nchw, type_float, 1, 1, height, width));
        for (Pass& pass : passes_) {
            const int across = &pass == &passes_[0] ? size : 1;
            const int down = &pass == &passes_[0] ? 1 : size;
            check(library_.create_filter(&pass.filter));
            check(library_.set_filter(pass.filter, type_float, format_nchw, 1, 1, down, across));
            check(library_.create_convolution(&pass.convolution));
            check(library_.set_convolution(pass.convolution, down / 2, across / 2, 1, 1, 1, 1, cross_correlation,
                                           type_float));
            choose(pass);
        }
    }
    CudnnBlur(const CudnnBlur&) = delete;
    CudnnBlur& operator=(const CudnnBlur&) = delete;
    ~CudnnBlur() {
        for (const Pass& pass : passes_) {
            if (pass.filter != nullptr) {
                library_.destroy_filter(pass.filter);
            }
            if (pass.convolution != nullptr) {
                library_.destroy_convolution(pass.convolution);
            }
        }
        if (plane_ != nullptr) {
            library_.destroy_tensor(plane_);
        }
    }

    void run(cudaStream_t stream) const {
        check(library_.set_stream(library_.handle, stream));
        unsigned char* const between = memory_.get() + plane_bytes_ * 2 * planes;
        for (std::size_t n = 0; n < planes; ++n) {
            forward(passes_[0], memory_.get() + plane_bytes_ * n, between);
            forward(passes_[1], between, memory_.get() + plane_bytes_ * (planes + n));
        }
    }

private:
    struct Pass {
        void* filter = nullptr;
        void* convolution = nullptr;
        int algorithm = 0;
        std::size_t workspace_bytes = 0;
        DeviceMemory workspace;
    };
    // Implicit GEMM, the same with indices made before, GEMM, FFT, FFT in tiles, Winograd, Winograd not fused.
    static constexpr std::array algorithms{0, 1, 2, 4, 5, 6, 7};
    static constexpr std::size_t largest_workspace = std::size_t{4} << 30;

    static void check(int status) {
        if (status != 0) {
            throw std::runtime_error("cuDNN: status " + std::to_string(status));
        }
    }

    void forward(const Pass& pass, const void* from, void* to) const {
        const float one = 1;
        const float zero = 0;
        check(library_.forward(library_.handle, &one, plane_, from, pass.filter, taps_.get(), pass.convolution,
                               pass.algorithm, pass.workspace.get(), pass.workspace_bytes, &zero, plane_, to));
    }

    void choose(Pass& pass) {
        double least = std::numeric_limits<double>::max();
        Pass best;
        for (const int algorithm : algorithms) {
            pass.algorithm = algorithm;
            pass.workspace_bytes = 0;
            if (library_.workspace_size(library_.handle, plane_, pass.filter, pass.convolution, plane_, algorithm,
                                        &pass.workspace_bytes) != 0 ||
                pass.workspace_bytes > largest_workspace) {
                continue;
            }
            std::vector<Contestant> trial;
            trial.push_back({"", [&](int /*n*/, cudaStream_t stream) {
                                 check(library_.set_stream(library_.handle, stream));
                                 forward(pass, memory_.get(), memory_.get() + plane_bytes_);
                             }});
            try {
                pass.workspace = allocate(std::max<std::size_t>(pass.workspace_bytes, 1));
                measure(trial, 1, 1);
            } catch (const std::runtime_error&) {
                cudaGetLastError();
                continue;
            }
            if (trial[0].microseconds.at(0) < least) {
                least = trial[0].microseconds[0];
                best.algorithm = pass.algorithm;
                best.workspace_bytes = pass.workspace_bytes;
                best.workspace = std::move(pass.workspace);
            }
        }
        if (least == std::numeric_limits<double>::max()) {
            throw std::runtime_error("cuDNN: no algorithm does it");
        }
        pass.algorithm = best.algorithm;
        pass.workspace_bytes = best.workspace_bytes;
        pass.workspace = std::move(best.workspace);
    }

    const Cudnn& library_;
    void* plane_ = nullptr;
    std::array<Pass, 2> passes_{};
    std::size_t plane_bytes_ = 0;
    DeviceMemory memory_;
    DeviceMemory taps_;
};

}  // namespace vfilter::bench
