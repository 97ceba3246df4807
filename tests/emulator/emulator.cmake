# vfilter_emulated_cuda: the CUDA kernels without a GPU and without CUDA: their sources as C++, on an emulator of what they
# need of it. Of the kernels' library, which may hold them as nvcc made them, the linker takes nothing that is here: that
# library is linked as a file, so that what it wants of CUDA's own headers and libraries is not.

include(${CMAKE_SOURCE_DIR}/kernels/cuda/sources.cmake)
list(TRANSFORM VFILTER_CUDA_SOURCES PREPEND ${CMAKE_SOURCE_DIR}/kernels/ OUTPUT_VARIABLE sources)
list(APPEND sources ${CMAKE_CURRENT_LIST_DIR}/tensor_map.cpp ${CMAKE_CURRENT_LIST_DIR}/emulator_test.cpp)
set_source_files_properties(${sources} PROPERTIES LANGUAGE CXX)

add_library(vfilter_emulated_cuda OBJECT EXCLUDE_FROM_ALL ${sources})
# Most of the time goes into what they include, but for the largest ones.
set_target_properties(vfilter_emulated_cuda PROPERTIES UNITY_BUILD ${VFILTER_UNITY})
set(large ${sources})
list(FILTER large INCLUDE REGEX "(stencil|tensor_registers)/instances|/emulator/")
set_source_files_properties(${large} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
target_compile_definitions(vfilter_emulated_cuda PUBLIC VFILTER_WITH_CUDA VFILTER_CUDA_EMULATOR)
# First, so that the emulator's cuda_runtime.h and the like are found before others.
target_include_directories(vfilter_emulated_cuda BEFORE PUBLIC
  ${CMAKE_CURRENT_LIST_DIR} ${CMAKE_BINARY_DIR}/rooms/kernels ${CMAKE_BINARY_DIR}/rooms/filters)
# Names of shared memory are thread_local ones that no initializer goes with.
target_compile_options(vfilter_emulated_cuda PUBLIC $<$<CXX_COMPILER_ID:GNU>:-fno-extern-tls-init>
  # gcc tells that it passes what is aligned to more than 16 bytes otherwise than it did ten years ago.
  PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-psabi>
  PRIVATE -O1 -x c++ -include cuda_device.h -Wall -Wno-unknown-pragmas
  $<$<CXX_COMPILER_ID:Clang>:-Wno-undefined-internal> $<$<CXX_COMPILER_ID:Clang>:-Wno-pass-failed>)
target_link_libraries(vfilter_emulated_cuda PRIVATE GTest::gtest INTERFACE $<TARGET_FILE:vfilter_filters>
  $<TARGET_FILE:vfilter_kernels> vfilter_highway vfilter_opencv_core Threads::Threads)
