# Every fault of docs/reliability.md that is not tested elsewhere: the program from outside, and machines that fail.

find_package(GTest REQUIRED)
include(GoogleTest)

add_executable(test_faults
  ${CMAKE_CURRENT_LIST_DIR}/../support/command.cpp
  ${CMAKE_CURRENT_LIST_DIR}/../end_to_end/end_to_end.cpp
  ${CMAKE_CURRENT_LIST_DIR}/blocked.cpp
  ${CMAKE_CURRENT_LIST_DIR}/disk.cpp
  ${CMAKE_CURRENT_LIST_DIR}/holes.cpp
  ${CMAKE_CURRENT_LIST_DIR}/killed.cpp
  ${CMAKE_CURRENT_LIST_DIR}/limits.cpp
  ${CMAKE_CURRENT_LIST_DIR}/names.cpp
  ${CMAKE_CURRENT_LIST_DIR}/ranges.cpp
  ${CMAKE_CURRENT_LIST_DIR}/text.cpp
  ${CMAKE_CURRENT_LIST_DIR}/videos.cpp)
# Preloaded into the program: a disk that loses writes, a library that never comes back.
foreach(module lossy_disk stuck)
  add_library(${module} MODULE ${CMAKE_CURRENT_LIST_DIR}/${module}.c)
  target_link_libraries(${module} PRIVATE ${CMAKE_DL_LIBS})
endforeach()
target_compile_definitions(test_faults PRIVATE VFILTER_LOSSY_DISK="$<TARGET_FILE:lossy_disk>"
  VFILTER_STUCK="$<TARGET_FILE:stuck>" VFILTER_BINARY="$<TARGET_FILE:vfilter>"
  VFILTER_SOURCE="${CMAKE_CURRENT_LIST_DIR}/../..")
target_link_libraries(test_faults PRIVATE
  vfilter_io vfilter_options GTest::gtest_main nlohmann_json::nlohmann_json fmt::fmt)
add_dependencies(test_faults vfilter lossy_disk stuck)

gtest_discover_tests(test_faults TEST_PREFIX faults. NO_PRETTY_VALUES DISCOVERY_TIMEOUT 60
  PROPERTIES TIMEOUT 120 LABELS faults)

# Tests of other programs that are of faults, too.
set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${CMAKE_CURRENT_LIST_DIR}/labels.cmake)
