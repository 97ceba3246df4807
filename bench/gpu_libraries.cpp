#include "bench/gpu_libraries.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <memory>
#include <stdexcept>

#include "bench/gpu.h"

#if __has_include(<nppi_filtering_functions.h>)
#define VFILTER_WITH_NPP
#include <nppi_filtering_functions.h>
#endif
#if __has_include(<cublas_v2.h>)
#define VFILTER_WITH_CUBLAS
#include <cublas_v2.h>
#endif
#if __has_include(<cufft.h>)
#define VFILTER_WITH_CUFFT
#include <cufft.h>
#endif
#if __has_include(<cudnn.h>)
#define VFILTER_WITH_CUDNN
#include <cudnn.h>
#endif

namespace vfilter::bench {

namespace {

// A shared library, and as its members the functions that are wanted of it.
class Library {
public:
    // The versions' names are tried in their order; the toolkit's own folder need not be on the loader's path.
    Library(const std::string& name, std::initializer_list<const char*> versions) : missing_(name + " was not found") {
        for (const char* const folder : {"", "/usr/local/cuda/lib64/"}) {
            for (const char* const version : versions) {
                if (handle_ == nullptr) {
                    handle_ = dlopen((folder + name + ".so" + version).c_str(), RTLD_NOW);
                }
            }
        }
        if (handle_ != nullptr) {
            missing_.clear();
        }
    }
    // Empty: all is there.
    [[nodiscard]] const std::string& missing() const { return missing_; }

protected:
    void* find(const char* name) {
        void* const found = handle_ != nullptr ? dlsym(handle_, name) : nullptr;
        if (found == nullptr && missing_.empty()) {
            missing_ = std::string(name) + " was not found in the library";
        }
        return found;
    }
    void miss(const std::string& why) { missing_ = why; }

private:
    void* handle_ = nullptr;
    std::string missing_;
};

// One of its functions, which throws where it fails: 0 is what all these libraries call success.
template <class Pointer>
struct Function {
    Pointer pointer;
    const char* name;

    template <class... Arguments>
    void operator()(Arguments... arguments) const {
        if (const auto status = static_cast<int>(pointer(arguments...)); status != 0) {
            throw std::runtime_error(std::string(name) + ": status " + std::to_string(status));
        }
    }
};

// A member of a Library: the function of that name, as the toolkit's header declares it.
#define VFILTER_FUNCTION(name)                                  \
    Function<decltype(&::name)> name {                          \
        reinterpret_cast<decltype(&::name)>(find(#name)), #name \
    }

template <class Functions>
const Functions& opened() {
    static const Functions functions;
    return functions;
}

}  // namespace

// ---------------------------------------------------------------------------------------------------------------- NPP

#ifdef VFILTER_WITH_NPP
namespace {

struct Npp : Library {
    Npp() : Library("libnppif", {".13", ".12", ""}) {}
    VFILTER_FUNCTION(nppiFilterGaussAdvancedBorder_8u_C1R_Ctx);
    VFILTER_FUNCTION(nppiFilterGaussAdvancedBorder_16u_C1R_Ctx);
    VFILTER_FUNCTION(nppiFilterRowBorder32f_8u_C1R_Ctx);
    VFILTER_FUNCTION(nppiFilterRowBorder32f_16u_C1R_Ctx);
    VFILTER_FUNCTION(nppiFilterColumnBorder32f_8u_C1R_Ctx);
    VFILTER_FUNCTION(nppiFilterColumnBorder32f_16u_C1R_Ctx);
};

NppStreamContext describe_device() {
    NppStreamContext context{};
    cudaDeviceProp properties{};
    cuda_check(cudaGetDevice(&context.nCudaDeviceId), "cudaGetDevice");
    cuda_check(cudaGetDeviceProperties(&properties, context.nCudaDeviceId), "cudaGetDeviceProperties");
    context.nMultiProcessorCount = properties.multiProcessorCount;
    context.nMaxThreadsPerMultiProcessor = properties.maxThreadsPerMultiProcessor;
    context.nMaxThreadsPerBlock = properties.maxThreadsPerBlock;
    context.nSharedMemPerBlock = properties.sharedMemPerBlock;
    context.nCudaDevAttrComputeCapabilityMajor = properties.major;
    context.nCudaDevAttrComputeCapabilityMinor = properties.minor;
    context.nStreamFlags = cudaStreamNonBlocking;
    return context;
}

NppStreamContext context_on(cudaStream_t stream) {
    static const NppStreamContext device = describe_device();
    NppStreamContext context = device;
    context.hStream = stream;
    return context;
}

constexpr NppiPoint origin{0, 0};

}  // namespace

void npp_gauss(const NppPlane& plane, const float* taps, int size, cudaStream_t stream) {
    const Npp& npp = opened<Npp>();
    const NppiSize area{plane.width, plane.height};
    const auto run = [&]<class Sample>(const auto& function, Sample /*kind*/) {
        function(static_cast<const Sample*>(plane.from), plane.pitch, area, origin, static_cast<Sample*>(plane.to),
                 plane.pitch, area, size, taps, NPP_BORDER_REPLICATE, context_on(stream));
    };
    plane.depth == 8 ? run(npp.nppiFilterGaussAdvancedBorder_8u_C1R_Ctx, Npp8u{})
                     : run(npp.nppiFilterGaussAdvancedBorder_16u_C1R_Ctx, Npp16u{});
}

void npp_rows_and_columns(const NppPlane& plane, void* between, const float* taps, int size, cudaStream_t stream) {
    const Npp& npp = opened<Npp>();
    const NppiSize area{plane.width, plane.height};
    const auto run = [&]<class Sample>(const auto& rows, const auto& columns, Sample /*kind*/) {
        const auto line = [&](const auto& function, const void* from, void* to) {
            function(static_cast<const Sample*>(from), plane.pitch, area, origin, static_cast<Sample*>(to), plane.pitch,
                     area, taps, size, size / 2, NPP_BORDER_REPLICATE, context_on(stream));
        };
        line(rows, plane.from, between);
        line(columns, between, plane.to);
    };
    plane.depth == 8 ? run(npp.nppiFilterRowBorder32f_8u_C1R_Ctx, npp.nppiFilterColumnBorder32f_8u_C1R_Ctx, Npp8u{})
                     : run(npp.nppiFilterRowBorder32f_16u_C1R_Ctx, npp.nppiFilterColumnBorder32f_16u_C1R_Ctx, Npp16u{});
}
#else
void npp_gauss(const NppPlane& /*plane*/, const float* /*taps*/, int /*size*/, cudaStream_t /*stream*/) {
    throw std::runtime_error(why_missing(GpuLibrary::npp));
}
void npp_rows_and_columns(const NppPlane& /*plane*/, void* /*between*/, const float* /*taps*/, int /*size*/,
                          cudaStream_t /*stream*/) {
    throw std::runtime_error(why_missing(GpuLibrary::npp));
}
#endif

// ------------------------------------------------------------------------------------------------------------- cuBLAS

#ifdef VFILTER_WITH_CUBLAS
namespace {

struct Cublas : Library {
    Cublas() : Library("libcublas", {".13", ".12", ""}) {
        if (missing().empty() && cublasCreate_v2.pointer(&handle) != CUBLAS_STATUS_SUCCESS) {
            miss("cublasCreate failed");
        }
    }
    VFILTER_FUNCTION(cublasCreate_v2);
    VFILTER_FUNCTION(cublasSetStream_v2);
    VFILTER_FUNCTION(cublasSgemm_v2);
    cublasHandle_t handle = nullptr;
};

}  // namespace

void cublas_multiply(int m, int n, int k, const float* a, const float* b, float* c, cudaStream_t stream) {
    const Cublas& cublas = opened<Cublas>();
    const float one = 1;
    const float zero = 0;
    cublas.cublasSetStream_v2(cublas.handle, stream);
    cublas.cublasSgemm_v2(cublas.handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, a, m, b, k, &zero, c, m);
}
#else
void cublas_multiply(int /*m*/, int /*n*/, int /*k*/, const float* /*a*/, const float* /*b*/, float* /*c*/,
                     cudaStream_t /*stream*/) {
    throw std::runtime_error(why_missing(GpuLibrary::cublas));
}
#endif

// -------------------------------------------------------------------------------------------------------------- cuFFT

#ifdef VFILTER_WITH_CUFFT
namespace {

struct Cufft : Library {
    Cufft() : Library("libcufft", {".12", ".11", ""}) {}
    VFILTER_FUNCTION(cufftPlanMany);
    VFILTER_FUNCTION(cufftSetStream);
    VFILTER_FUNCTION(cufftExecR2C);
    VFILTER_FUNCTION(cufftExecC2R);
    VFILTER_FUNCTION(cufftDestroy);
};

}  // namespace

Transform cufft_transform(int width, int height, int batch, Direction direction) {
    const Cufft& cufft = opened<Cufft>();
    const bool forward = direction == Direction::forward;
    std::array<int, 2> size{height, width};
    cufftHandle plan = 0;
    cufft.cufftPlanMany(&plan, 2, size.data(), nullptr, 1, 0, nullptr, 1, 0, forward ? CUFFT_R2C : CUFFT_C2R, batch);
    const std::shared_ptr<void> owner(nullptr, [&cufft, plan](void*) { cufft.cufftDestroy(plan); });
    return [&cufft, plan, forward, owner](void* from, void* to, cudaStream_t stream) {
        cufft.cufftSetStream(plan, stream);
        if (forward) {
            cufft.cufftExecR2C(plan, static_cast<float*>(from), static_cast<cufftComplex*>(to));
        } else {
            cufft.cufftExecC2R(plan, static_cast<cufftComplex*>(from), static_cast<float*>(to));
        }
    };
}
#else
Transform cufft_transform(int /*width*/, int /*height*/, int /*batch*/, Direction /*direction*/) {
    throw std::runtime_error(why_missing(GpuLibrary::cufft));
}
#endif

// -------------------------------------------------------------------------------------------------------------- cuDNN

#ifdef VFILTER_WITH_CUDNN
namespace {

struct Cudnn : Library {
    Cudnn() : Library("libcudnn", {".9", ""}) {
        if (missing().empty() && cudnnCreate.pointer(&handle) != CUDNN_STATUS_SUCCESS) {
            miss("cudnnCreate failed");
        }
    }
    VFILTER_FUNCTION(cudnnCreate);
    VFILTER_FUNCTION(cudnnSetStream);
    VFILTER_FUNCTION(cudnnCreateTensorDescriptor);
    VFILTER_FUNCTION(cudnnDestroyTensorDescriptor);
    VFILTER_FUNCTION(cudnnSetTensor4dDescriptor);
    VFILTER_FUNCTION(cudnnCreateFilterDescriptor);
    VFILTER_FUNCTION(cudnnDestroyFilterDescriptor);
    VFILTER_FUNCTION(cudnnSetFilter4dDescriptor);
    VFILTER_FUNCTION(cudnnCreateConvolutionDescriptor);
    VFILTER_FUNCTION(cudnnDestroyConvolutionDescriptor);
    VFILTER_FUNCTION(cudnnSetConvolution2dDescriptor);
    VFILTER_FUNCTION(cudnnSetConvolutionMathType);
    VFILTER_FUNCTION(cudnnFindConvolutionForwardAlgorithmEx);
    VFILTER_FUNCTION(cudnnGetConvolutionForwardWorkspaceSize);
    VFILTER_FUNCTION(cudnnConvolutionForward);
    cudnnHandle_t handle = nullptr;
};

template <class Struct>
using Call = Function<cudnnStatus_t (*)(Struct)>;

template <class Struct>
std::shared_ptr<Struct> descriptor(const Call<Struct**>& create, const Call<Struct*>& destroy) {
    Struct* made = nullptr;
    create(&made);
    return {made, destroy.pointer};
}

// The descriptors of a convolution, and what was found out about it.
struct Described {
    const Cudnn& cudnn = opened<Cudnn>();
    std::shared_ptr<cudnnTensorStruct> input =
        descriptor(cudnn.cudnnCreateTensorDescriptor, cudnn.cudnnDestroyTensorDescriptor);
    std::shared_ptr<cudnnTensorStruct> output =
        descriptor(cudnn.cudnnCreateTensorDescriptor, cudnn.cudnnDestroyTensorDescriptor);
    std::shared_ptr<cudnnFilterStruct> filter =
        descriptor(cudnn.cudnnCreateFilterDescriptor, cudnn.cudnnDestroyFilterDescriptor);
    std::shared_ptr<cudnnConvolutionStruct> convolution =
        descriptor(cudnn.cudnnCreateConvolutionDescriptor, cudnn.cudnnDestroyConvolutionDescriptor);
    cudnnConvolutionFwdAlgoPerf_t chosen{};
    std::size_t workspace_bytes = 0;
    DeviceMemory workspace;

    explicit Described(const CudnnShape& shape) {
        const cudnnDataType_t type = shape.half ? CUDNN_DATA_HALF : CUDNN_DATA_FLOAT;
        const cudnnTensorFormat_t layout = shape.channels_last ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW;
        const int height = (shape.h + 2 * shape.pad_h - shape.r) / shape.stride + 1;
        const int width = (shape.w + 2 * shape.pad_w - shape.s) / shape.stride + 1;
        cudnn.cudnnSetTensor4dDescriptor(input.get(), layout, type, shape.n, shape.c, shape.h, shape.w);
        cudnn.cudnnSetTensor4dDescriptor(output.get(), layout, type, shape.n, shape.k, height, width);
        cudnn.cudnnSetFilter4dDescriptor(filter.get(), type, layout, shape.k, shape.c, shape.r, shape.s);
        cudnn.cudnnSetConvolution2dDescriptor(convolution.get(), shape.pad_h, shape.pad_w, shape.stride, shape.stride,
                                              1, 1, CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT);
        set_math(shape.half ? CUDNN_TENSOR_OP_MATH : CUDNN_FMA_MATH);
    }

    void set_math(cudnnMathType_t math) const { cudnn.cudnnSetConvolutionMathType(convolution.get(), math); }

    // A trial may have tried other arithmetic than what it was told: that of fp32 must stay fp32.
    void choose(bool half, const void* x, const void* w, void* y) {
        constexpr std::size_t max_bytes = std::size_t{1} << 30;
        std::array<cudnnConvolutionFwdAlgoPerf_t, 16> trials{};
        int found = 0;
        cudnn.cudnnSetStream(cudnn.handle, nullptr);
        {
            const DeviceMemory scratch = allocate(max_bytes);
            cudnn.cudnnFindConvolutionForwardAlgorithmEx(
                cudnn.handle, input.get(), x, filter.get(), w, convolution.get(), output.get(), y,
                static_cast<int>(trials.size()), &found, trials.data(), scratch.get(), max_bytes);
        }
        // Fastest first.
        const auto end = trials.begin() + found;
        const auto works = [](const auto& trial) { return trial.status == CUDNN_STATUS_SUCCESS; };
        auto best = std::find_if(trials.begin(), end, [&](const auto& trial) {
            return works(trial) && (half || trial.mathType == CUDNN_FMA_MATH);
        });
        best = best != end ? best : std::find_if(trials.begin(), end, works);
        if (best == end) {
            throw std::runtime_error("cuDNN has no algorithm for it");
        }
        chosen = *best;
        set_math(half ? chosen.mathType : CUDNN_FMA_MATH);
        cudnn.cudnnGetConvolutionForwardWorkspaceSize(cudnn.handle, input.get(), filter.get(), convolution.get(),
                                                      output.get(), chosen.algo, &workspace_bytes);
        workspace = allocate(std::max<std::size_t>(workspace_bytes, 1));
    }

    void run(const void* x, const void* w, void* y, cudaStream_t stream) const {
        const float one = 1;
        const float zero = 0;
        cudnn.cudnnSetStream(cudnn.handle, stream);
        cudnn.cudnnConvolutionForward(cudnn.handle, &one, input.get(), x, filter.get(), w, convolution.get(),
                                      chosen.algo, workspace.get(), workspace_bytes, &zero, output.get(), y);
    }
};

}  // namespace

CudnnConvolution cudnn_convolution(const CudnnShape& shape, const void* x, const void* w, void* y) {
    const auto described = std::make_shared<Described>(shape);
    described->choose(shape.half, x, w, y);
    return {[described](const void* from, const void* weights, void* to, cudaStream_t stream) {
                described->run(from, weights, to, stream);
            },
            described->chosen.time};
}
#else
CudnnConvolution cudnn_convolution(const CudnnShape& /*shape*/, const void* /*x*/, const void* /*w*/, void* /*y*/) {
    throw std::runtime_error(why_missing(GpuLibrary::cudnn));
}
#endif

const char* name_of(GpuLibrary library) {
    constexpr std::array names{"NPP", "cuBLAS", "cuFFT", "cuDNN"};
    return names[static_cast<std::size_t>(library)];
}

std::string why_missing(GpuLibrary library) {
    switch (library) {
#ifdef VFILTER_WITH_NPP
        case GpuLibrary::npp:
            return opened<Npp>().missing();
#endif
#ifdef VFILTER_WITH_CUBLAS
        case GpuLibrary::cublas:
            return opened<Cublas>().missing();
#endif
#ifdef VFILTER_WITH_CUFFT
        case GpuLibrary::cufft:
            return opened<Cufft>().missing();
#endif
#ifdef VFILTER_WITH_CUDNN
        case GpuLibrary::cudnn:
            return opened<Cudnn>().missing();
#endif
        default:
            constexpr std::array headers{"npp.h", "cublas_v2.h", "cufft.h", "cudnn.h"};
            return std::string("built without ") + headers[static_cast<std::size_t>(library)];
    }
}

}  // namespace vfilter::bench
