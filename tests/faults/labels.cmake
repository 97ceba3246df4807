# All tests that docs/reliability.md names in the last columns of its tables of faults and of promises get the label "faults".
# ctest reads this, and the page, when it knows the tests of all programs. A name may have stars, stands for itself and for all
# that continue it with a slash, and one that begins with a point goes on from the one before. A name without a test is an
# error, but for those that only builds with CUDA, or with its emulator, have.

set(faults_known faults.damage_runs binaries.LoadOnlyWhatTheyShould
  ${test_pipeline_TESTS} ${test_config_TESTS} ${test_kernels_TESTS} ${test_kernels_emulated_TESTS} ${test_end_to_end_TESTS}
  ${test_formats_TESTS} ${test_faults_TESTS})

# Names that may have no test here.
set(faults_elsewhere "^emulated[.]")
set(faults_cuda ${test_pipeline_TESTS})
list(FILTER faults_cuda INCLUDE REGEX "^CudaFaults[.]")
if(NOT faults_cuda)
  string(APPEND faults_elsewhere "|Cuda")
endif()
foreach(faults_program IN ITEMS pipeline config kernels end_to_end formats faults)
  if(NOT test_${faults_program}_TESTS)  # it is not built
    set(faults_elsewhere ".*")
  endif()
endforeach()

file(READ ${CMAKE_CURRENT_LIST_DIR}/../../docs/reliability.md faults_page)
# Both tables, a line each; what CMake's lists take for their own is in none of the names.
string(REGEX REPLACE "^.*\n## The [0-9]+ faults\n" "" faults_page "${faults_page}")
string(REGEX REPLACE "\n## Damaged and whole files\n.*$" "" faults_page "${faults_page}")
string(REGEX REPLACE "[][;\\]" " " faults_page "${faults_page}")
string(REGEX MATCHALL "\n[|] [^\n]*[|][^|\n]*`[^|\n]* [|]" faults_rows "${faults_page}")

set(faults_labelled)
foreach(faults_row IN LISTS faults_rows)
  string(REGEX REPLACE "^.*[|]([^|]*)[|]$" "\\1" faults_column "${faults_row}")
  string(REGEX MATCHALL "`[^`]+`" faults_names "${faults_column}")
  set(faults_suite)
  foreach(faults_name IN LISTS faults_names)
    string(REPLACE "`" "" faults_name "${faults_name}")
    if(faults_name MATCHES "^[.]")
      string(PREPEND faults_name "${faults_suite}")
    endif()
    string(REGEX REPLACE "[.][^.]*$" "" faults_suite "${faults_name}")
    string(REPLACE "." "[.]" faults_pattern "${faults_name}")
    string(REPLACE "*" ".*" faults_pattern "${faults_pattern}")
    set(faults_found ${faults_known})
    list(FILTER faults_found INCLUDE REGEX "^${faults_pattern}($|[/ ])")
    if(NOT faults_found AND NOT faults_name MATCHES "${faults_elsewhere}")
      message(FATAL_ERROR "docs/reliability.md: there is no test ${faults_name}")
    endif()
    list(APPEND faults_labelled ${faults_found})
  endforeach()
endforeach()
list(LENGTH faults_rows faults_count)
if(faults_count LESS 60)
  message(FATAL_ERROR "docs/reliability.md: its tables of faults and promises are not found")
endif()
list(REMOVE_DUPLICATES faults_labelled)
foreach(faults_test IN LISTS faults_labelled)
  set_tests_properties("${faults_test}" PROPERTIES LABELS faults)
endforeach()
