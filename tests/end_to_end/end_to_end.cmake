# The program as a whole, from outside: whole runs on files made on the spot, ffmpeg and ffprobe as witnesses.

find_package(GTest REQUIRED)
include(GoogleTest)

add_executable(test_end_to_end
  ${CMAKE_CURRENT_LIST_DIR}/../support/command.cpp
  ${CMAKE_CURRENT_LIST_DIR}/end_to_end.cpp
  ${CMAKE_CURRENT_LIST_DIR}/damage_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/formats_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/live_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/lossless_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/mistakes_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/options_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/pipes_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/presets_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/recording_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/regions_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/reports_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/signals_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/streams_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/timestamps_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/../support/picture_samples.cpp)
# Preloaded into the program, it is a camera.
add_library(fake_camera MODULE ${CMAKE_CURRENT_LIST_DIR}/../support/fake_camera.c)
target_link_libraries(fake_camera PRIVATE ${CMAKE_DL_LIBS})
target_compile_definitions(test_end_to_end PRIVATE VFILTER_FAKE_CAMERA="$<TARGET_FILE:fake_camera>"
  VFILTER_BINARY="$<TARGET_FILE:vfilter>" VFILTER_SOURCE="${CMAKE_CURRENT_LIST_DIR}/../..")
target_link_libraries(test_end_to_end PRIVATE
  vfilter_io vfilter_options vfilter_opencv_core vfilter_opencv_imgproc GTest::gtest_main nlohmann_json::nlohmann_json fmt::fmt)
add_dependencies(test_end_to_end vfilter fake_camera)

if(VFILTER_BENCH)
  target_sources(test_end_to_end PRIVATE ${CMAKE_CURRENT_LIST_DIR}/bench_test.cpp)
  add_dependencies(test_end_to_end vfilter-bench)
endif()

gtest_discover_tests(test_end_to_end TEST_PREFIX end_to_end. DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 120)
