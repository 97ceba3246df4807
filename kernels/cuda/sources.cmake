# The CUDA sources, below kernels/. nvcc makes the GPU's code of them, and tests/emulator/ C++ for machines without one.
set(VFILTER_CUDA_SOURCES
  cuda/bilateral/instances.cu
  cuda/blend/instances.cu
  cuda/blocks/instances.cu
  cuda/check.cpp
  cuda/choose.cpp
  cuda/deband/instances.cu
  cuda/decimated/instances.cu
  cuda/dithered/instances.cu
  cuda/fallback/instances.cu
  cuda/filter.cpp
  cuda/guided/instances.cu
  cuda/median/instances.cu
  cuda/median/networks_16.cu
  cuda/median/networks_8.cu
  cuda/median/pixels_16.cu
  cuda/median/pixels_8.cu
  cuda/nl_means/instances.cu
  cuda/plane.cpp
  cuda/samples/instances.cu
  cuda/stencil/host.cpp
  cuda/stencil/instances_16.cu
  cuda/stencil/instances_8.cu
  cuda/surface/instances.cu
  cuda/temporal/instances.cu
  cuda/tensor/filter.cpp
  cuda/tensor/fragments.cpp
  cuda/tensor_registers/host.cpp
  cuda/tensor_registers/instances_16.cu
  cuda/tensor_registers/instances_8.cu
  cuda/tensor_shared/host.cpp
  cuda/tensor_shared/instances_16.cu
  cuda/tensor_shared/instances_8.cu
  cuda/tensor_shared/prepare.cpp
  cuda/windows.cpp)
# TMA boxes, which only the driver can describe. The emulator has its own.
set(VFILTER_CUDA_DRIVER_SOURCES cuda/tensor_map.cpp)
