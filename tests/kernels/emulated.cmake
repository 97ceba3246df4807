# The CUDA kernels without a GPU and without CUDA: their sources as C++, on an emulator of what they need of it. Of the
# kernels' library, which may hold them as nvcc made them, the linker takes nothing that is here.
include(${CMAKE_SOURCE_DIR}/kernels/cuda/sources.cmake)
list(TRANSFORM VFILTER_CUDA_SOURCES PREPEND ${CMAKE_SOURCE_DIR}/kernels/ OUTPUT_VARIABLE sources)
set(emulator ${CMAKE_CURRENT_LIST_DIR}/../emulator)
list(APPEND sources ${emulator}/tensor_map.cpp ${emulator}/emulator_test.cpp)
set_source_files_properties(${sources} PROPERTIES LANGUAGE CXX)
add_library(vfilter_emulated_cuda OBJECT ${sources})
include(${CMAKE_CURRENT_LIST_DIR}/cuda/tests.cmake)
add_executable(test_kernels_emulated ${CMAKE_CURRENT_LIST_DIR}/harness.cpp ${cuda_tests} ${emulator}/cuda_emulator.cpp)
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
# Less those whose many cases take long here; the files of the tensor kernels and of the decimated filters have some of each.
set(slow Cuda*.EverySizeDepthAndBorder Cuda*.EveryKernelDepthAndBorder Cuda*.EveryWidthAndHeight Cuda*.Large*
  Cuda*.KernelsMuchLargerThanThePicture Cuda*.StencilsAtEveryDepth CudaDecimated.SigmasDepthsStepsAndBorders
  CudaLinearFilter.PlanesWithDifferentFilters CudaLinearFilter.TermsOfAMatrixOfFullRank)
list(JOIN slow : slow)
gtest_discover_tests(test_kernels_emulated TEST_PREFIX emulated. TEST_FILTER -${slow} DISCOVERY_TIMEOUT 30)
