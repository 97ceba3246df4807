# Tests of the CUDA kernels, for a GPU and for the emulator.
set(cuda_tests choose_test.cpp decimated_test.cpp linear_filter_test.cpp smoothing_test.cpp tensor_test.cpp)
list(TRANSFORM cuda_tests PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
