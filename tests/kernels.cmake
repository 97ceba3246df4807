# Proof of the kernels: every implementation of the arithmetic contract against its specification and OpenCV.

find_package(GTest REQUIRED)
include(GoogleTest)

add_executable(test_kernels
  ${CMAKE_CURRENT_LIST_DIR}/kernels_harness.cpp
  ${CMAKE_CURRENT_LIST_DIR}/kernels_filters.cpp
  ${CMAKE_CURRENT_LIST_DIR}/kernels_coarse.cpp
  ${CMAKE_CURRENT_LIST_DIR}/kernels_composites.cpp
  ${CMAKE_CURRENT_LIST_DIR}/kernels_convolution.cpp
  ${CMAKE_CURRENT_LIST_DIR}/kernels_simd.cpp
  ${CMAKE_CURRENT_LIST_DIR}/kernels_reference.cpp
  ${CMAKE_CURRENT_LIST_DIR}/kernels_regions.cpp
  ${CMAKE_CURRENT_LIST_DIR}/kernels_opencv.cpp)
target_link_libraries(test_kernels PRIVATE
  vfilter_kernels vfilter_options vfilter_opencv_core vfilter_opencv_imgproc GTest::gtest_main Threads::Threads)
if(VFILTER_WITH_CUDA)
  target_sources(test_kernels PRIVATE
    ${CMAKE_CURRENT_LIST_DIR}/kernels_cuda.cpp
    ${CMAKE_CURRENT_LIST_DIR}/kernels_cuda_coarse.cpp
    ${CMAKE_CURRENT_LIST_DIR}/kernels_cuda_composites.cpp
    ${CMAKE_CURRENT_LIST_DIR}/kernels_tensor.cpp)
endif()
gtest_discover_tests(test_kernels TEST_PREFIX kernels. DISCOVERY_TIMEOUT 30)
