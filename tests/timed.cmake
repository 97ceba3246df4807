# Tests against a clock: cameras, senders, receivers, signals that end a run in time. Each counts as two, so that fewer others
# run beside it. ctest reads this when it knows the tests of all programs.

set(timed_tests ${test_end_to_end_TESTS} ${test_faults_TESTS})
list(FILTER timed_tests INCLUDE REGEX
  "^(end_to_end\\.(Camera|Live|Recording|StreamOut|Signals)|faults\\.(Killed|Blocked|Each/StuckStage))\\.")
if(NOT timed_tests)
  message(FATAL_ERROR "tests/timed.cmake: there are no such tests")
endif()
foreach(timed_test IN LISTS timed_tests)
  set_tests_properties("${timed_test}" PROPERTIES PROCESSORS 2)
endforeach()
