#pragma once
// What the code of this program's kernels was compiled for.

namespace vfilter::cuda {

/// The compute capability, major, of the code that runs on the current device: less than the device's where the program
/// was not compiled for it, but has PTX of an older one. It is compiled for the same ones as kernels for tensor cores.
/// Throws CudaError, if there is no code for this device.
int code_capability();

}  // namespace vfilter::cuda
