# The CUDA sources, below kernels/. nvcc makes the GPU's code of them, and tests/emulator/ C++ for machines without one.
set(VFILTER_CUDA_SOURCES
  cuda/blender.cu
  cuda/coarse.cu
  cuda/composite_any.cu
  cuda/convolver.cpp
  cuda/general.cu
  cuda/planner.cpp
  cuda/quick_16.cu
  cuda/quick_8.cu
  cuda/tensor_chain_16.cu
  cuda/tensor_chain_8.cu
  cuda/tensor_filter.cpp
  cuda/tensor_tile_16.cu
  cuda/tensor_tile_8.cu)
# GPUs with tensor cores run these where they are told to alone (KernelChoice), from Turing's PTX.
set(VFILTER_CUDA_FUSED_SOURCES cuda/fused_16.cu cuda/fused_8.cu)
# TMA boxes, which only the driver can describe. The emulator has its own.
set(VFILTER_CUDA_DRIVER_SOURCES cuda/box_map.cpp)
