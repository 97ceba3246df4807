# When tests run; ctest reads this when it knows the tests of all programs.

# Those against a clock: cameras, senders, receivers, signals that end a run in time. They begin first (COST), one of them at
# a time (RESOURCE_LOCK), which counts as two, so that fewer others run beside it. Two places become free at once only where
# one of them has ended: so the first needs them all free, and begins behind a test that runs alone. Otherwise they would all
# wait for the end, and others beside them for nothing.

string(CONCAT timed_end_to_end
  "end_to_end\\.((Camera|Live|LiveSound|Containers/LiveSilence|LiveAddresses|Microphone|Recording|Containers/Killed|StreamOut|Signals)\\.|"
  "Batch\\.(EndsItsChildren|Remembers)|ForeignSteps\\.EndWithin|Hostile\\.OpeningThatTakesLong)")
string(CONCAT timed_faults
  "faults\\.((Killed|Each/KilledQuicktime|Blocked|SecondSignal|NoStall|Each/StuckStage)\\.|Names\\.AReportGoesIntoPipes|MovedFiles\\.|Videos\\.AllAreStopped)")
set(timed_tests ${test_end_to_end_TESTS} ${test_faults_TESTS} ${test_pipeline_TESTS})
list(FILTER timed_tests INCLUDE REGEX "^(${timed_end_to_end}|${timed_faults}|Live\\.)")
if(NOT timed_tests)
  message(FATAL_ERROR "tests/order.cmake: there are no such tests")
endif()
foreach(timed_test IN LISTS timed_tests)
  set_tests_properties("${timed_test}" PROPERTIES PROCESSORS 2 COST 200 RESOURCE_LOCK clock)
endforeach()

# Those of half a minute do not begin last.
set(long_tests ${test_end_to_end_TESTS} ${test_formats_TESTS})
list(FILTER long_tests INCLUDE REGEX "^end_to_end\\.(Rows/FromFfmpeg|Formats\\.NothingIsChangedUnsaid)")
foreach(long_test IN LISTS long_tests)
  set_tests_properties("${long_test}" PROPERTIES COST 100)
endforeach()
