# Run when the component `libraries` is installed: copies the shared libraries that `program` (a list) needs and those that it
# opens by name (`opened`, a list of links of development packages), and writes their packages and licences into `docs`.

set(folder "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib/vfilter")
set(docs "$ENV{DESTDIR}${docs}/libraries")
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${program} LIBRARIES ${opened} RESOLVED_DEPENDENCIES_VAR libraries
  PRE_EXCLUDE_REGEXES
    "^(ld-linux|lib(c|m|mvec|dl|pthread|rt|resolv|util|anl|nsl|stdc\\+\\+|gcc_s)\\.so)"
    "^lib(cuda|nvcuvid|nvidia-.*)\\.so")
set(packages)
file(MAKE_DIRECTORY "${folder}" "${docs}")
# By the names that they are opened by: libx.so.8 of libx.so.8.44.100.
foreach(library IN LISTS opened)
  file(REAL_PATH "${library}" file)
  string(REGEX REPLACE "(\\.so\\.[0-9]+).*" "\\1" name "${file}")
  list(APPEND libraries "${name}")
endforeach()
foreach(library IN LISTS libraries)
  get_filename_component(name "${library}" NAME)
  file(REAL_PATH "${library}" file)
  file(COPY_FILE "${file}" "${folder}/${name}")

  # Where /lib is a link to /usr/lib, dpkg knows a file by one of the two names.
  string(REGEX REPLACE "^/usr" "" short "${file}")
  execute_process(COMMAND dpkg-query -S "/usr${short}" "${short}" OUTPUT_VARIABLE owner ERROR_QUIET)
  if(NOT owner MATCHES "^([^:\n]+)[^\n]*\n")
    message(FATAL_ERROR "${file} belongs to no package, so it has no licence that could be copied along")
  endif()
  set(package ${CMAKE_MATCH_1})
  list(APPEND packages ${package})
endforeach()

list(REMOVE_DUPLICATES packages)
foreach(package IN LISTS packages)
  file(REAL_PATH "/usr/share/doc/${package}/copyright" licence)
  file(COPY_FILE "${licence}" "${docs}/${package}")
endforeach()
execute_process(COMMAND dpkg-query -W -f "\${source:Package} \${source:Version}: \${Package}\n" ${packages}
  COMMAND sort OUTPUT_VARIABLE sources COMMAND_ERROR_IS_FATAL ANY)
file(WRITE "${docs}/SOURCES" "${sources}")
