# What `cmake --install` puts where. vfilter_docs writes the man page and the completions from the table of options.

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME vfilter)

# libvfilter: the shared library, and what programs are compiled with.
include(CMakePackageConfigHelpers)
install(TARGETS vfilter_shared EXPORT vfilter
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development)
include(cmake/copyright.cmake)
vfilter_copyright(${CMAKE_BINARY_DIR}/copyright/library libhwy-dev)
install(FILES ${CMAKE_BINARY_DIR}/copyright/library DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libvfilter0 RENAME copyright COMPONENT library)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libvfilter-dev RENAME copyright COMPONENT development)
install(DIRECTORY library/include/vfilter DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/vfilter)
install(EXPORT vfilter NAMESPACE vfilter:: FILE vfilter-targets.cmake DESTINATION ${package_folder} COMPONENT development)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/vfilter-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES library/vfilter-config.cmake ${CMAKE_BINARY_DIR}/vfilter-config-version.cmake
  DESTINATION ${package_folder} COMPONENT development)
file(RELATIVE_PATH to_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(library/vfilter.pc.in ${CMAKE_BINARY_DIR}/vfilter.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/vfilter.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

if(NOT VFILTER_PROGRAM)
  return()
endif()

set(programs vfilter)
if(TARGET vfilter-bench)
  list(APPEND programs vfilter-bench vfilter-study)
  install(PROGRAMS bench/pages.py DESTINATION ${CMAKE_INSTALL_DATADIR}/vfilter)
endif()
# RPATH and not RUNPATH, which is not searched for what the private libraries of a tarball need (cmake/package.cmake). In
# the build tree it is a folder inside of that tree: what lies beside it may be anybody's, as beside /tmp/build. CMake's own
# RPATH of a build tree ends with an empty entry, which means the working directory, so the linker is told of it; the slashes
# leave room for what is installed.
set(build_rpath "$ORIGIN/lib/vfilter///")
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/lib/vfilter)  # io/preview/preview_window.cpp
file(WRITE ${CMAKE_BINARY_DIR}/rpath.options "--disable-new-dtags -rpath ${build_rpath}")  # CMake would double the dollar
foreach(program ${programs})
  set_target_properties(${program} PROPERTIES SKIP_BUILD_RPATH ON)
  target_link_options(${program} PRIVATE LINKER:@${CMAKE_BINARY_DIR}/rpath.options)
endforeach()
install(TARGETS ${programs} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(CODE "foreach(program ${programs})
  file(RPATH_CHANGE FILE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/\${program}\"
    OLD_RPATH [[${build_rpath}]] NEW_RPATH [[$ORIGIN/../lib/vfilter]])
endforeach()")
if(VFILTER_WITH_PREVIEW)
  install(TARGETS vfilter_preview LIBRARY DESTINATION lib/vfilter COMPONENT preview)  # where the program looks: ../lib/vfilter
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/vfilter-preview RENAME copyright COMPONENT preview)
endif()
install(DIRECTORY config/presets DESTINATION ${CMAKE_INSTALL_DATADIR}/vfilter)
install(FILES README.md LICENSE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
vfilter_copyright(${CMAKE_BINARY_DIR}/copyright/program libhwy-dev libcli11-dev libconcurrentqueue-dev nlohmann-json3-dev)
install(FILES ${CMAKE_BINARY_DIR}/copyright/program DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN "*.sh" EXCLUDE)

if(TARGET vfilter_docs)
  set(man_page ${CMAKE_BINARY_DIR}/vfilter.1)
  # Each shell's folder, and the name that it looks for there. zsh looks below /usr into the first on Debian, and into the
  # second everywhere else and below any other prefix.
  set(bash_completion bash-completion/completions/vfilter)
  set(zsh_completion zsh/vendor-completions/_vfilter zsh/site-functions/_vfilter)
  set(fish_completion fish/vendor_completions.d/vfilter.fish)
  set(completions)
  foreach(shell bash zsh fish)
    foreach(name IN LISTS ${shell}_completion)
      set(completion ${CMAKE_BINARY_DIR}/completion/${name})
      cmake_path(GET completion PARENT_PATH folder)
      file(MAKE_DIRECTORY ${folder})
      add_custom_command(OUTPUT ${completion} COMMAND vfilter_docs ${shell} > ${completion} VERBATIM)
      list(APPEND completions ${completion})
    endforeach()
  endforeach()
  add_custom_command(OUTPUT ${man_page} COMMAND vfilter_docs man > ${man_page} VERBATIM)
  add_custom_target(vfilter_manual ALL DEPENDS ${man_page} ${completions})

  install(FILES ${man_page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(DIRECTORY ${CMAKE_BINARY_DIR}/completion/ DESTINATION ${CMAKE_INSTALL_DATADIR})
endif()
