# The CUDA kernels and their host side: for nvcc in kernels/CMakeLists.txt, for the emulator in tests/kernels/emulated.cmake.
set(cuda_sources
  blend/instances.cu check.cpp choose.cpp decimated/instances.cu fallback/instances.cu filter.cpp plane.cpp
  stencil/host.cpp stencil/instances_16.cu stencil/instances_8.cu tensor/filter.cpp tensor/fragments.cpp
  tensor_registers/host.cpp tensor_registers/instances_16.cu tensor_registers/instances_8.cu
  tensor_shared/host.cpp tensor_shared/instances_16.cu tensor_shared/instances_8.cu tensor_shared/prepare.cpp)
list(TRANSFORM cuda_sources PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
# It talks to the driver: the emulator has one of its own.
set(cuda_driver_sources ${CMAKE_CURRENT_LIST_DIR}/tensor_map.cpp)
