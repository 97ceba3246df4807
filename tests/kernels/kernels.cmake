# Proof of the kernels: every implementation of the arithmetic contract against its specification and OpenCV.

find_package(GTest REQUIRED)
include(GoogleTest)

add_executable(test_kernels
  ${CMAKE_CURRENT_LIST_DIR}/harness.cpp
  ${CMAKE_CURRENT_LIST_DIR}/../filters/filters_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/arithmetic/decimated_filter_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/arithmetic/linear_filter_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/arithmetic/smoothing_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/cpu/simd_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/arithmetic/reference_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/../filters/region_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/arithmetic/opencv_test.cpp)
target_link_libraries(test_kernels PRIVATE
  vfilter_filters vfilter_kernels vfilter_options vfilter_opencv_core vfilter_opencv_imgproc GTest::gtest_main Threads::Threads)
if(VFILTER_WITH_CUDA)
  include(${CMAKE_CURRENT_LIST_DIR}/cuda/tests.cmake)
  target_sources(test_kernels PRIVATE ${cuda_tests})
endif()
gtest_discover_tests(test_kernels TEST_PREFIX kernels. DISCOVERY_TIMEOUT 30)
