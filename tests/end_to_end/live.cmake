# Tests against a clock: cameras, senders, receivers. Each counts as two, so that fewer others run beside it. ctest reads this
# when it knows the tests of all programs.

set(live_tests ${test_end_to_end_TESTS})
list(FILTER live_tests INCLUDE REGEX "^end_to_end\\.(Camera|Live|Recording|StreamOut)\\.")
if(NOT live_tests)
  message(FATAL_ERROR "tests/end_to_end/live.cmake: there are no such tests")
endif()
foreach(live_test IN LISTS live_tests)
  set_tests_properties("${live_test}" PROPERTIES PROCESSORS 2)
endforeach()
