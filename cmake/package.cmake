# What `cpack` makes of the installation: packages for this release of the distribution (DEB), and a tarball of the program
# with private copies of the libraries, for any Linux whose glibc and libstdc++ are at least as new (TXZ).
# scripts/package.sh makes both. Without the program (VFILTER_PROGRAM) there are the library's packages alone.

set(CPACK_PACKAGE_VENDOR "the vfilter authors")
set(CPACK_PACKAGE_CONTACT "the vfilter authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)

# A .deb is for the release whose libraries it was linked with, so its version names the release.
cmake_host_system_information(RESULT release QUERY DISTRIB_INFO)
set(CPACK_DEBIAN_PACKAGE_RELEASE "1~${release_ID}${release_VERSION_ID}")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION video)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)  # who links libvfilter.so.0 needs libvfilter0
set(CPACK_DEB_COMPONENT_INSTALL ON)

# For programs of others: needs neither FFmpeg nor OpenCV.
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libvfilter0)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "vfilter's filters for pictures in memory, as a library with a C interface.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libvfilter-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libvfilter0 (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Headers of libvfilter for C and C++, and how CMake and pkg-config find it.")

set(CPACK_GENERATOR DEB)
set(components library development)
if(VFILTER_PROGRAM)
  list(APPEND CPACK_GENERATOR TXZ)
  list(PREPEND components vfilter)
  set(CPACK_DEBIAN_VFILTER_PACKAGE_NAME vfilter)
  string(REGEX MATCH "^[0-9]+" devices "${FFMPEG_libavformat_VERSION}")
  # Opened by its name (io/graph/filter_library.h), which dpkg-shlibdeps does not see.
  string(REGEX MATCH "^[0-9]+" filters "${LIBAVFILTER_VERSION}")
  set(CPACK_DEBIAN_VFILTER_PACKAGE_DEPENDS libavfilter${filters})
  set(CPACK_DEBIAN_VFILTER_PACKAGE_SUGGESTS "vfilter-preview, libavdevice${devices}")
  string(CONCAT CPACK_COMPONENT_VFILTER_DESCRIPTION "Filters every picture of a video and keeps all the rest of it. Runs on the "
    "CPU and, where it was built with CUDA, on NVIDIA GPUs, for which it needs nothing but the driver.")
  # On its own, so that a server needs no graphical libraries.
  set(CPACK_DEBIAN_PREVIEW_PACKAGE_NAME vfilter-preview)
  set(CPACK_DEBIAN_PREVIEW_PACKAGE_DEPENDS "vfilter (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
  set(CPACK_COMPONENT_PREVIEW_DESCRIPTION "The window of vfilter --preview.")

  set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
  string(TOLOWER "${PROJECT_NAME}-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}" CPACK_PACKAGE_FILE_NAME)

  # The copies lie where the program's RPATH points (cmake/install.cmake), where no other program looks for libraries. Left
  # to the system: the C and C++ libraries, and those of the driver.
  install(CODE "set(program \"$<TARGET_FILE:vfilter>\")" COMPONENT libraries EXCLUDE_FROM_ALL)
  if(TARGET vfilter-bench)
    install(CODE "list(APPEND program \"$<TARGET_FILE:vfilter-bench>\" \"$<TARGET_FILE:vfilter-study>\")" COMPONENT libraries EXCLUDE_FROM_ALL)
  endif()
  # What the program opens by name.
  find_library(LIBAVFILTER_FILE avfilter HINTS ${LIBAVFILTER_LIBRARY_DIRS} REQUIRED)
  install(CODE "set(opened \"${LIBAVFILTER_FILE}\")" COMPONENT libraries EXCLUDE_FROM_ALL)
  install(CODE "set(docs \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}\")" COMPONENT libraries EXCLUDE_FROM_ALL)
  install(SCRIPT cmake/private_libraries.cmake COMPONENT libraries EXCLUDE_FROM_ALL)
endif()
if(VFILTER_WITH_PREVIEW)
  list(APPEND components preview)
endif()

set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_BINARY_DIR}/package_of_one_kind.cmake)
file(CONFIGURE OUTPUT ${CPACK_PROJECT_CONFIG_FILE} @ONLY CONTENT [[
if(CPACK_GENERATOR STREQUAL "DEB")
  set(CPACK_COMPONENTS_ALL "@components@")
  if(DEFINED VFILTER_COMPONENTS)  # cpack -D VFILTER_COMPONENTS=library: of these alone
    set(CPACK_COMPONENTS_ALL "${VFILTER_COMPONENTS}")
  endif()
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
else()
  set(CPACK_COMPONENTS_ALL vfilter libraries)
  set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
endif()
]])
include(CPack)
