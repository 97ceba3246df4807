#pragma once
// What the code of this program's kernels was compiled for.

namespace vfilter::cuda {

/// The compute capability, major, of the code that runs on the current device: less than the device's where the program
/// was not compiled for it, but has PTX of an older one. All kernels are compiled for the same ones. Throws CudaError,
/// if there is no code for this device.
int code_capability();

}  // namespace vfilter::cuda
