#pragma once
// NVIDIA's own libraries, for comparison: opened by name when the program runs, so that nothing is needed to build, and
// one that is missing is a rung that is left out. Types and numbers are those of their documented interfaces.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/gpu.h"

namespace vfilter::bench {

/// A shared library under the first of its names that is found; it stays open until the program ends.
class Library {
public:
    explicit Library(const std::vector<std::string>& names);

    [[nodiscard]] bool there() const { return handle_ != nullptr; }
    /// Where to find a function, or null.
    [[nodiscard]] void* find(const char* name) const;
    /// False where there is none.
    template <class Function>
    bool load(Function*& function, const char* name) const {
        function = reinterpret_cast<Function*>(find(name));
        return function != nullptr;
    }

private:
    void* handle_ = nullptr;
};

/// Throws std::runtime_error with the call's name unless `status` is 0, which all these libraries call success.
void library_check(int status, const char* call);

/// NVIDIA Performance Primitives.
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

    /// Pointers are to samples of a kind; steps are in bytes.
    using Gauss = int(const void*, int, Size, Size, void*, int, Size, int taps, const float*, int border, Context);
    using Line = int(const void*, int, Size, Size, void*, int, Size, const float*, int taps, int anchor, int border,
                     Context);
    /// For samples of 8 or 16 bits; null where this version has it not.
    struct Functions {
        Gauss* gauss = nullptr;  ///< a Gaussian with the caller's taps
        Line* row = nullptr;
        Line* column = nullptr;
    };

    Npp();

    bool there = false;
    Functions bytes;
    Functions words;
    Context context{};
};

class Cublas {
public:
    Cublas();
    ~Cublas();
    Cublas(const Cublas&) = delete;
    Cublas& operator=(const Cublas&) = delete;

    /// C (m x n) = A (m x k) times B (k x n), all of them column by column and dense.
    void multiply(int m, int n, int k, const float* a, const float* b, float* c, cudaStream_t stream) const;

    bool there = false;

private:
    void* handle_ = nullptr;
    int (*destroy_)(void*) = nullptr;
    int (*set_stream_)(void*, cudaStream_t) = nullptr;
    int (*sgemm_)(void*, int, int, int, int, int, const float*, const float*, int, const float*, int, const float*,
                  float*, int) = nullptr;
};

class Cufft {
public:
    static constexpr int real_to_complex = 0x2a;
    static constexpr int complex_to_real = 0x2c;

    Cufft();

    bool there = false;
    int (*plan_many)(int* plan, int rank, int* n, int*, int, int, int*, int, int, int type, int batch) = nullptr;
    int (*forward)(int plan, float* from, float2* to) = nullptr;
    int (*backward)(int plan, float2* from, float* to) = nullptr;
    int (*set_stream)(int plan, cudaStream_t) = nullptr;
    int (*destroy)(int plan) = nullptr;
};

/// Transforms of `batch` pictures, one after the other in memory.
class CufftPlan {
public:
    CufftPlan(const Cufft& library, int width, int height, int type, int batch);
    ~CufftPlan();
    CufftPlan(const CufftPlan&) = delete;
    CufftPlan& operator=(const CufftPlan&) = delete;

    void forward(float* from, float2* to, cudaStream_t stream) const;
    void backward(float2* from, float* to, cudaStream_t stream) const;

private:
    const Cufft& library_;
    int plan_ = 0;
};

class Cudnn {
public:
    /// What a trial found out about one algorithm.
    struct Trial {
        int algorithm;
        int status;
        float milliseconds;
        std::size_t workspace;
        int deterministic;
        int math;
        int reserved[3];
    };

    Cudnn();
    ~Cudnn();
    Cudnn(const Cudnn&) = delete;
    Cudnn& operator=(const Cudnn&) = delete;

    bool there = false;
    void* handle = nullptr;
    int (*set_stream)(void*, cudaStream_t) = nullptr;
    int (*create_tensor)(void**) = nullptr;
    int (*destroy_tensor)(void*) = nullptr;
    int (*set_tensor)(void*, int layout, int type, int n, int c, int h, int w) = nullptr;
    int (*create_filter)(void**) = nullptr;
    int (*destroy_filter)(void*) = nullptr;
    int (*set_filter)(void*, int type, int layout, int k, int c, int h, int w) = nullptr;
    int (*create_convolution)(void**) = nullptr;
    int (*destroy_convolution)(void*) = nullptr;
    int (*set_convolution)(void*, int pad_h, int pad_w, int u, int v, int dilation_h, int dilation_w, int mode,
                           int type) = nullptr;
    int (*set_math)(void*, int math) = nullptr;
    int (*find)(void*, void*, const void* x, void*, const void* w, void*, void*, void* y, int wanted, int* found,
                Trial*, void* workspace, std::size_t) = nullptr;
    int (*workspace_size)(void*, void*, void*, void*, void*, int algorithm, std::size_t*) = nullptr;
    int (*forward)(void*, const void* alpha, void*, const void* x, void*, const void* w, void*, int algorithm, void*,
                   std::size_t, const void* beta, void*, void* y) = nullptr;

private:
    int (*destroy_)(void*) = nullptr;
};

/// A convolution of cuDNN with the algorithm that a trial found to be the fastest.
class CudnnConvolution {
public:
    enum class Layout { nchw = 0, nhwc = 1 };
    struct Shape {
        int n, c, h, w;  ///< of the input
        int k, r, s;     ///< filters, their height and width
        int pad_h, pad_w;
        int stride;
        bool half;  ///< fp16 with tensor cores; otherwise fp32, which is then not shortened to TF32
        Layout layout;
    };

    /// The trial overwrites `y`.
    CudnnConvolution(const Cudnn& library, const Shape& shape, const void* x, const void* w, void* y);
    ~CudnnConvolution();
    CudnnConvolution(const CudnnConvolution&) = delete;
    CudnnConvolution& operator=(const CudnnConvolution&) = delete;

    void run(const void* x, const void* w, void* y, cudaStream_t stream) const;
    [[nodiscard]] float trial_milliseconds() const { return chosen_.milliseconds; }

private:
    void describe(const Shape& shape);
    void choose(const Shape& shape, const void* x, const void* w, void* y);
    void release();

    const Cudnn& library_;
    void* input_ = nullptr;
    void* filter_ = nullptr;
    void* convolution_ = nullptr;
    void* output_ = nullptr;
    Cudnn::Trial chosen_{};
    std::size_t workspace_bytes_ = 0;
    DeviceMemory workspace_;
};

/// All of them.
struct Libraries {
    Npp npp;
    Cublas cublas;
    Cufft cufft;
    Cudnn cudnn;
};

}  // namespace vfilter::bench
