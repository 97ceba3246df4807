# The preview's window on a virtual screen. These tests need Xvfb and xdotool, and fail where they are not.

add_executable(test_preview ${CMAKE_CURRENT_LIST_DIR}/../../support/command.cpp ${CMAKE_CURRENT_LIST_DIR}/preview_on_screen_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/preview_window_test.cpp ${CMAKE_CURRENT_LIST_DIR}/program_on_screen_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/virtual_display.cpp)
target_link_libraries(test_preview PRIVATE vfilter_pipeline vfilter_options fmt::fmt nlohmann_json::nlohmann_json
  GTest::gtest_main)
target_compile_definitions(test_preview PRIVATE VFILTER_BINARY="$<TARGET_FILE:vfilter>")
add_dependencies(test_preview vfilter vfilter_preview)
# One after another and alone: some of them look at the clock.
gtest_discover_tests(test_preview TEST_PREFIX preview. DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 120 RUN_SERIAL TRUE)
