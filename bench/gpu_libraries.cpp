#include "bench/gpu_libraries.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace vfilter::bench {

namespace {

// As a toolkit, a distribution or Python's packages name it, the newest first; the toolkit's own folder need not be on
// the loader's path.
std::vector<std::string> names_of(const std::string& library, const std::vector<std::string>& versions) {
    std::vector<std::string> names;
    for (const char* const folder : {"", "/usr/local/cuda/lib64/"}) {
        for (const std::string& version : versions) {
            names.push_back(folder + library + ".so" + version);
        }
    }
    return names;
}

constexpr int type_float = 0;
constexpr int type_half = 2;
constexpr int cross_correlation = 1;
constexpr int math_tensor_cores = 1;
constexpr int math_fma = 3;

}  // namespace

Library::Library(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        if (handle_ == nullptr) {
            handle_ = dlopen(name.c_str(), RTLD_NOW);
        }
    }
}

void* Library::find(const char* name) const {
    return handle_ == nullptr ? nullptr : dlsym(handle_, name);
}

void library_check(int status, const char* call) {
    if (status != 0) {
        throw std::runtime_error(std::string(call) + ": status " + std::to_string(status));
    }
}

Npp::Npp() {
    const Library library(names_of("libnppif", {".13", ".12", ""}));
    const auto load = [&](Functions& functions, const std::string& samples) {
        const bool gauss = library.load(functions.gauss, ("nppiFilterGaussAdvancedBorder" + samples).c_str());
        const bool row = library.load(functions.row, ("nppiFilterRowBorder32f" + samples).c_str());
        const bool column = library.load(functions.column, ("nppiFilterColumnBorder32f" + samples).c_str());
        return gauss && row && column;
    };
    there = load(bytes, "_8u_C1R_Ctx");
    load(words, "_16u_C1R_Ctx");
    int device = 0;
    cudaDeviceProp properties{};
    cuda_check(cudaGetDevice(&device), "cudaGetDevice");
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

Cublas::Cublas() {
    const Library library(names_of("libcublas", {".13", ".12", ""}));
    int (*create)(void**) = nullptr;
    there = library.load(create, "cublasCreate_v2") && library.load(destroy_, "cublasDestroy_v2") &&
            library.load(set_stream_, "cublasSetStream_v2") && library.load(sgemm_, "cublasSgemm_v2") &&
            create(&handle_) == 0;
}

Cublas::~Cublas() {
    if (there) {
        destroy_(handle_);
    }
}

void Cublas::multiply(int m, int n, int k, const float* a, const float* b, float* c, cudaStream_t stream) const {
    constexpr int as_it_is = 0;
    const float one = 1;
    const float zero = 0;
    library_check(set_stream_(handle_, stream), "cublasSetStream");
    library_check(sgemm_(handle_, as_it_is, as_it_is, m, n, k, &one, a, m, b, k, &zero, c, m), "cublasSgemm");
}

Cufft::Cufft() {
    const Library library(names_of("libcufft", {".12", ".11", ""}));
    there = library.load(plan_many, "cufftPlanMany") && library.load(forward, "cufftExecR2C") &&
            library.load(backward, "cufftExecC2R") && library.load(set_stream, "cufftSetStream") &&
            library.load(destroy, "cufftDestroy");
}

CufftPlan::CufftPlan(const Cufft& library, int width, int height, int type, int batch) : library_(library) {
    int n[2] = {height, width};
    library_check(library_.plan_many(&plan_, 2, n, nullptr, 1, 0, nullptr, 1, 0, type, batch), "cufftPlanMany");
}

CufftPlan::~CufftPlan() {
    library_.destroy(plan_);
}

void CufftPlan::forward(float* from, float2* to, cudaStream_t stream) const {
    library_check(library_.set_stream(plan_, stream), "cufftSetStream");
    library_check(library_.forward(plan_, from, to), "cufftExecR2C");
}

void CufftPlan::backward(float2* from, float* to, cudaStream_t stream) const {
    library_check(library_.set_stream(plan_, stream), "cufftSetStream");
    library_check(library_.backward(plan_, from, to), "cufftExecC2R");
}

Cudnn::Cudnn() {
    const Library library(names_of("libcudnn", {".9", ""}));
    int (*create)(void**) = nullptr;
    there = library.load(create, "cudnnCreate") && library.load(destroy_, "cudnnDestroy") &&
            library.load(set_stream, "cudnnSetStream") && library.load(create_tensor, "cudnnCreateTensorDescriptor") &&
            library.load(destroy_tensor, "cudnnDestroyTensorDescriptor") &&
            library.load(set_tensor, "cudnnSetTensor4dDescriptor") &&
            library.load(create_filter, "cudnnCreateFilterDescriptor") &&
            library.load(destroy_filter, "cudnnDestroyFilterDescriptor") &&
            library.load(set_filter, "cudnnSetFilter4dDescriptor") &&
            library.load(create_convolution, "cudnnCreateConvolutionDescriptor") &&
            library.load(destroy_convolution, "cudnnDestroyConvolutionDescriptor") &&
            library.load(set_convolution, "cudnnSetConvolution2dDescriptor") &&
            library.load(set_math, "cudnnSetConvolutionMathType") &&
            library.load(find, "cudnnFindConvolutionForwardAlgorithmEx") &&
            library.load(workspace_size, "cudnnGetConvolutionForwardWorkspaceSize") &&
            library.load(forward, "cudnnConvolutionForward") && create(&handle) == 0;
}

Cudnn::~Cudnn() {
    if (there) {
        destroy_(handle);
    }
}

CudnnConvolution::CudnnConvolution(const Cudnn& library, const Shape& shape, const void* x, const void* w, void* y)
    : library_(library) {
    try {
        describe(shape);
        choose(shape, x, w, y);
    } catch (...) {
        release();
        throw;
    }
}

CudnnConvolution::~CudnnConvolution() {
    release();
}

void CudnnConvolution::describe(const Shape& shape) {
    const int type = shape.half ? type_half : type_float;
    const int layout = static_cast<int>(shape.layout);
    const int height = (shape.h + 2 * shape.pad_h - shape.r) / shape.stride + 1;
    const int width = (shape.w + 2 * shape.pad_w - shape.s) / shape.stride + 1;
    library_check(library_.create_tensor(&input_), "cudnnCreateTensorDescriptor");
    library_check(library_.create_tensor(&output_), "cudnnCreateTensorDescriptor");
    library_check(library_.create_filter(&filter_), "cudnnCreateFilterDescriptor");
    library_check(library_.create_convolution(&convolution_), "cudnnCreateConvolutionDescriptor");
    library_check(library_.set_tensor(input_, layout, type, shape.n, shape.c, shape.h, shape.w),
                  "cudnnSetTensor4dDescriptor");
    library_check(library_.set_tensor(output_, layout, type, shape.n, shape.k, height, width),
                  "cudnnSetTensor4dDescriptor");
    library_check(library_.set_filter(filter_, type, layout, shape.k, shape.c, shape.r, shape.s),
                  "cudnnSetFilter4dDescriptor");
    library_check(library_.set_convolution(convolution_, shape.pad_h, shape.pad_w, shape.stride, shape.stride, 1, 1,
                                           cross_correlation, type_float),
                  "cudnnSetConvolution2dDescriptor");
    library_check(library_.set_math(convolution_, shape.half ? math_tensor_cores : math_fma),
                  "cudnnSetConvolutionMathType");
}

void CudnnConvolution::choose(const Shape& shape, const void* x, const void* w, void* y) {
    constexpr std::size_t most = std::size_t{1} << 30;
    std::array<Cudnn::Trial, 16> trials{};
    int found = 0;
    library_check(library_.set_stream(library_.handle, nullptr), "cudnnSetStream");
    {
        const DeviceMemory scratch = allocate(most);
        library_check(library_.find(library_.handle, input_, x, filter_, w, convolution_, output_, y,
                                    static_cast<int>(trials.size()), &found, trials.data(), scratch.get(), most),
                      "cudnnFindConvolutionForwardAlgorithmEx");
    }
    // Fastest first. A trial may have tried other arithmetic than what it was told: that of fp32 must stay fp32.
    const int math = shape.half ? math_tensor_cores : math_fma;
    const auto end = trials.begin() + found;
    auto best = std::find_if(trials.begin(), end, [&](const auto& trial) {
        return trial.status == 0 && (shape.half || trial.math == math);
    });
    if (best == end) {
        best = std::find_if(trials.begin(), end, [](const auto& trial) { return trial.status == 0; });
    }
    if (best == end) {
        throw std::runtime_error("cuDNN has no algorithm for it");
    }
    chosen_ = *best;
    library_check(library_.set_math(convolution_, shape.half ? chosen_.math : math), "cudnnSetConvolutionMathType");
    library_check(library_.workspace_size(library_.handle, input_, filter_, convolution_, output_, chosen_.algorithm,
                                          &workspace_bytes_),
                  "cudnnGetConvolutionForwardWorkspaceSize");
    workspace_ = allocate(std::max<std::size_t>(workspace_bytes_, 1));
}

void CudnnConvolution::release() {
    const auto destroy = [](int (*with)(void*), void*& what) {
        if (what != nullptr) {
            with(what);
            what = nullptr;
        }
    };
    destroy(library_.destroy_tensor, input_);
    destroy(library_.destroy_tensor, output_);
    destroy(library_.destroy_filter, filter_);
    destroy(library_.destroy_convolution, convolution_);
}

void CudnnConvolution::run(const void* x, const void* w, void* y, cudaStream_t stream) const {
    const float one = 1;
    const float zero = 0;
    library_check(library_.set_stream(library_.handle, stream), "cudnnSetStream");
    library_check(library_.forward(library_.handle, &one, input_, x, filter_, w, convolution_, chosen_.algorithm,
                                   workspace_.get(), workspace_bytes_, &zero, output_, y),
                  "cudnnConvolutionForward");
}

}  // namespace vfilter::bench
