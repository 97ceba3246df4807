# Whether exit code 0 can be believed: whole files, damaged in many ways.

add_executable(damage_runs ${CMAKE_CURRENT_LIST_DIR}/damage_runs.cpp ${CMAKE_CURRENT_LIST_DIR}/../support/command.cpp)
target_link_libraries(damage_runs PRIVATE vfilter_io vfilter_options nlohmann_json::nlohmann_json fmt::fmt Threads::Threads)
add_dependencies(damage_runs vfilter)
# It runs two at a time on its own.
add_test(NAME faults.damage_runs COMMAND ${CMAKE_CURRENT_LIST_DIR}/damage.sh)
set_tests_properties(faults.damage_runs PROPERTIES LABELS faults TIMEOUT 600 PROCESSORS 2
  ENVIRONMENT VFILTER_BUILD=${CMAKE_BINARY_DIR})
