#pragma once
// NVIDIA's own libraries, for comparison: compiled against the toolkit's headers, where it has them, and opened by name
// when the program runs. Nothing is linked, and one that is missing is a contestant that is left out. Each opens when
// it is first asked for and stays open until the program ends. One thread, one GPU; errors are std::runtime_error with
// the call's name.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <string>

namespace vfilter::bench {

enum class GpuLibrary { npp, cublas, cufft, cudnn };

/// Empty where it can be used; otherwise why not: "libnppif was not found", "built without npp.h". What is below may be
/// called only if it can.
std::string why_missing(GpuLibrary library);
/// "NPP", "cuDNN".
const char* name_of(GpuLibrary library);

/// A plane in device memory and where its result goes. All pointers are to samples of 8 or 16 bits, rows `pitch` bytes
/// apart. Borders are replicated.
struct NppPlane {
    const void* from;
    void* to;
    int width;
    int height;
    int pitch;
    int depth;  ///< bits, 8 to 16
};
/// A Gaussian with `size` taps (in device memory) along both axes, as one filter; and as one of rows and one of
/// columns.
void npp_gauss(const NppPlane& plane, const float* taps, int size, cudaStream_t stream);
void npp_rows_and_columns(const NppPlane& plane, void* between, const float* taps, int size, cudaStream_t stream);

/// C (m x n) = A (m x k) times B (k x n) in fp32, all of them column by column and dense.
void cublas_multiply(int m, int n, int k, const float* a, const float* b, float* c, cudaStream_t stream);

/// Transforms `batch` pictures of fp32, one after the other in memory, into spectra of width / 2 + 1 numbers a row, or
/// back.
enum class Direction { forward, backward };
using Transform = std::function<void(void* from, void* to, cudaStream_t stream)>;
Transform cufft_transform(int width, int height, int batch, Direction direction);

struct CudnnShape {
    int n, c, h, w;  ///< of the input
    int k, r, s;     ///< filters, their height and width
    int pad_h, pad_w;
    int stride = 1;
    bool half = false;           ///< fp16 with tensor cores; otherwise fp32, which is then not shortened to TF32
    bool channels_last = false;  ///< NHWC instead of NCHW
};
/// A convolution with the algorithm that a trial found to be the fastest.
struct CudnnConvolution {
    std::function<void(const void* x, const void* w, void* y, cudaStream_t stream)> run;
    float trial_milliseconds = 0;
};
/// Tries with these buffers, and overwrites `y`.
CudnnConvolution cudnn_convolution(const CudnnShape& shape, const void* x, const void* w, void* y);

}  // namespace vfilter::bench
