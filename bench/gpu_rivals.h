#pragma once
// NVIDIA's own libraries, for comparison: opened by name, so that nothing is needed to build.

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "kernels/cuda/convolver.h"

namespace vfilter::bench {

struct DeviceFree {
    void operator()(void* memory) const { cudaFree(memory); }
};
using DeviceMemory = std::unique_ptr<unsigned char, DeviceFree>;

inline DeviceMemory allocate(std::size_t bytes) {
    void* memory = nullptr;
    cuda_check(cudaMalloc(&memory, bytes), "cudaMalloc");
    return DeviceMemory(static_cast<unsigned char*>(memory));
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
    using GaussAdvanced = int (*)(const std::uint8_t*, int, Size, Size, std::uint8_t*, int, Size, int, const float*,
                                  int, Context);
    using Line = int (*)(const std::uint8_t*, int, Size, Size, std::uint8_t*, int, Size, const float*, int, int, int,
                         Context);

    Npp() {
        void* library = nullptr;
        for (const char* const name : {"libnppif.so.13", "libnppif.so.12", "libnppif.so"}) {
            library = library != nullptr ? library : dlopen(name, RTLD_NOW);
        }
        if (library != nullptr) {
            gauss = reinterpret_cast<GaussAdvanced>(dlsym(library, "nppiFilterGaussAdvancedBorder_8u_C1R_Ctx"));
            row = reinterpret_cast<Line>(dlsym(library, "nppiFilterRowBorder32f_8u_C1R_Ctx"));
            column = reinterpret_cast<Line>(dlsym(library, "nppiFilterColumnBorder32f_8u_C1R_Ctx"));
        }
        cudaDeviceProp properties{};
        cuda_check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
        context = {nullptr,
                   0,
                   properties.multiProcessorCount,
                   properties.maxThreadsPerMultiProcessor,
                   properties.maxThreadsPerBlock,
                   properties.sharedMemPerBlock,
                   properties.major,
                   properties.minor,
                   cudaStreamNonBlocking,
                   0};
    }

    GaussAdvanced gauss = nullptr;
    Line row = nullptr;
    Line column = nullptr;
    Context context{};
};

// Two one-dimensional convolutions of cuDNN on fp32 planes, conversions from and to bytes left out, if this machine has
// it.
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
                load(create_filter, "cudnnCreateFilterDescriptor") && load(set_filter, "cudnnSetFilter4dDescriptor") &&
                load(create_convolution, "cudnnCreateConvolutionDescriptor") &&
                load(set_convolution, "cudnnSetConvolution2dDescriptor") &&
                load(workspace_size, "cudnnGetConvolutionForwardWorkspaceSize") &&
                load(forward, "cudnnConvolutionForward") && create(&handle) == 0;
    }

    bool there = false;
    void* handle = nullptr;
    int (*set_stream)(void*, cudaStream_t) = nullptr;
    int (*create_tensor)(void**) = nullptr;
    int (*set_tensor)(void*, int format, int type, int n, int c, int h, int w) = nullptr;
    int (*create_filter)(void**) = nullptr;
    int (*set_filter)(void*, int type, int format, int k, int c, int h, int w) = nullptr;
    int (*create_convolution)(void**) = nullptr;
    int (*set_convolution)(void*, int pad_h, int pad_w, int u, int v, int dilation_h, int dilation_w, int mode,
                           int type) = nullptr;
    int (*workspace_size)(void*, void*, void*, void*, void*, int algorithm, std::size_t*) = nullptr;
    int (*forward)(void*, const void* alpha, void*, const void* x, void*, const void* w, void*, int algorithm, void*,
                   std::size_t, const void* beta, void*, void* y) = nullptr;
};

// A blur of fp32 planes of one size by cuDNN.
class CudnnBlur {
public:
    CudnnBlur(const Cudnn& library, int width, int height, const std::vector<float>& taps) : library_(library) {
        constexpr int type_float = 0;
        constexpr int format_nchw = 0;
        constexpr int cross_correlation = 1;
        const int size = static_cast<int>(taps.size());
        bool ok = library_.create_tensor(&plane_) == 0 &&
                  library_.set_tensor(plane_, format_nchw, type_float, 1, 1, height, width) == 0;
        for (int i = 0; i < 2; ++i) {
            const int across = i == 0 ? size : 1;
            const int down = i == 0 ? 1 : size;
            ok = ok && library_.create_filter(&filters_[i]) == 0 &&
                 library_.set_filter(filters_[i], type_float, format_nchw, 1, 1, down, across) == 0 &&
                 library_.create_convolution(&passes_[i]) == 0 &&
                 library_.set_convolution(passes_[i], down / 2, across / 2, 1, 1, 1, 1, cross_correlation,
                                          type_float) == 0;
            std::size_t bytes = 0;
            ok = ok && library_.workspace_size(library_.handle, plane_, filters_[i], passes_[i], plane_, algorithm,
                                               &bytes) == 0;
            workspace_bytes_ = std::max(workspace_bytes_, bytes);
        }
        works = ok;
        const std::size_t bytes = sizeof(float) * static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
        plane_bytes_ = bytes;
        memory_ = allocate((2 * planes + 1) * bytes);
        workspace_ = allocate(std::max<std::size_t>(workspace_bytes_, 1));
        taps_ = allocate(sizeof(float) * taps.size());
        cuda_check(cudaMemcpy(taps_.get(), taps.data(), sizeof(float) * taps.size(), cudaMemcpyHostToDevice),
                   "cudaMemcpy");
        cuda_check(cudaMemset(memory_.get(), 0, (2 * planes + 1) * bytes), "cudaMemset");
    }
    void run(cudaStream_t stream) {
        const float one = 1;
        const float zero = 0;
        works = works && library_.set_stream(library_.handle, stream) == 0;
        for (std::size_t n = 0; n < planes; ++n) {
            const unsigned char* const from = memory_.get() + plane_bytes_ * n;
            unsigned char* const between = memory_.get() + plane_bytes_ * 2 * planes;
            unsigned char* const to = memory_.get() + plane_bytes_ * (planes + n);
            works = works && pass(0, from, between, &one, &zero) && pass(1, between, to, &one, &zero);
        }
    }

    static constexpr std::size_t planes = CudaConvolver::max_planes;
    bool works = false;

private:
    static constexpr int algorithm = 1;  // implicit precomputed GEMM

    bool pass(int i, const void* from, void* to, const float* one, const float* zero) {
        return library_.forward(library_.handle, one, plane_, from, filters_[i], taps_.get(), passes_[i], algorithm,
                                workspace_.get(), workspace_bytes_, zero, plane_, to) == 0;
    }

    const Cudnn& library_;
    void* plane_ = nullptr;
    void* filters_[2] = {};
    void* passes_[2] = {};
    std::size_t plane_bytes_ = 0;
    std::size_t workspace_bytes_ = 0;
    DeviceMemory memory_;
    DeviceMemory workspace_;
    DeviceMemory taps_;
};

}  // namespace vfilter::bench
