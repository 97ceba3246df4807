# find_package(vfilter): the target vfilter::vfilter.
include("${CMAKE_CURRENT_LIST_DIR}/vfilter-targets.cmake")
