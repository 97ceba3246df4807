# The CUDA kernels without a GPU and without CUDA: their sources as C++, on an emulator of what they need of it. Of the
# kernels' library, which may hold them as nvcc made them, the linker takes nothing that is here.
set(cuda_sources blender.cu coarse.cu composite_any.cu convolver.cpp fused_16.cu fused_8.cu general.cu quick_16.cu quick_8.cu
  planner.cpp tensor_chain_16.cu tensor_chain_8.cu tensor_filter.cpp tensor_tile_16.cu tensor_tile_8.cu)
list(TRANSFORM cuda_sources PREPEND ${CMAKE_CURRENT_LIST_DIR}/../../kernels/cuda/)
set(emulator ${CMAKE_CURRENT_LIST_DIR}/../emulator)
add_library(vfilter_emulated_cuda OBJECT ${cuda_sources} ${emulator}/box_map.cpp ${emulator}/tensor_test.cpp)
add_executable(test_kernels_emulated
  ${CMAKE_CURRENT_LIST_DIR}/harness.cpp
  ${CMAKE_CURRENT_LIST_DIR}/cuda/cuda_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/cuda/decimated_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/cuda/linear_filter_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/cuda/tensor_test.cpp
  ${emulator}/cuda_emulator.cpp)
set_source_files_properties(${cuda_sources} PROPERTIES LANGUAGE CXX)
target_link_libraries(vfilter_emulated_cuda PRIVATE GTest::gtest)
target_compile_options(vfilter_emulated_cuda PRIVATE -x c++ -include cuda_device.h -Wall -Wno-unknown-pragmas
  $<$<CXX_COMPILER_ID:Clang>:-Wno-undefined-internal> $<$<CXX_COMPILER_ID:Clang>:-Wno-pass-failed>)
target_link_libraries(test_kernels_emulated PRIVATE vfilter_emulated_cuda $<TARGET_FILE:vfilter_filters> $<TARGET_FILE:vfilter_kernels>
  PkgConfig::HIGHWAY vfilter_options vfilter_opencv_core GTest::gtest_main Threads::Threads)
add_dependencies(test_kernels_emulated vfilter_filters vfilter_kernels)
foreach(target vfilter_emulated_cuda test_kernels_emulated)
  target_compile_definitions(${target} PRIVATE VFILTER_WITH_CUDA VFILTER_CUDA_EMULATOR)
  target_include_directories(${target} BEFORE PRIVATE ${emulator} ${CMAKE_BINARY_DIR}/rooms/kernels ${CMAKE_BINARY_DIR}/rooms/filters)
  # Names of shared memory are thread_local ones that no initializer goes with.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-extern-tls-init>)
endforeach()
# Less those whose many cases take long here; kernels_tensor.cpp and the others of the coarse grid have some of each kernel.
set(slow Cuda*.EverySizeDepthAndBorder Cuda*.EveryKernelDepthAndBorder Cuda*.EveryWidthAndHeight Cuda*.Large*
  Cuda.KernelsMuchLargerThanThePicture Cuda*.QuickKernelsAtEveryDepth CudaCoarse.SigmasDepthsStepsAndBorders
  CudaComposites.PlanesWithDifferentFilters CudaComposites.TermsOfAMatrixOfFullRank)
list(JOIN slow : slow)
gtest_discover_tests(test_kernels_emulated TEST_PREFIX emulated. TEST_FILTER -${slow} DISCOVERY_TIMEOUT 30)
