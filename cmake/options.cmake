# Compiler flags of every target of ours, and the function that makes a room: one folder, one target, and an include path
# on which only this folder stands, so that a file can include no room that its target does not link.

# For whoever changes vfilter. Who only builds it may have a compiler that nobody here has seen (preset `package`).
option(CMAKE_COMPILE_WARNING_AS_ERROR "Warnings are errors" ON)

add_library(vfilter_options INTERFACE)
set(warnings -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align
  -Wunused -Wnull-dereference -Wdouble-promotion -Wimplicit-fallthrough)
target_compile_options(vfilter_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${warnings}>"
  # What nvcc hands to the host's compiler is its own code as well as ours.
  "$<$<COMPILE_LANGUAGE:CUDA>:--compress-mode=size;--expt-relaxed-constexpr;-Xcompiler=-Wall>")
# Messages name files of the source, not of the machine that built them.
target_compile_options(vfilter_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False alarms inside the standard library and fmt once optimised, gcc bugs 105329 and 109642 among them; gcc 13 sees fmt 9
  # leave an array (Ubuntu 24.04).
  target_compile_options(vfilter_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>
    $<$<COMPILE_LANGUAGE:CXX>:-Wno-null-dereference> $<$<COMPILE_LANGUAGE:CXX>:-Wno-array-bounds>)
  include(CheckCXXCompilerFlag)
  check_cxx_compiler_flag(-Wdangling-reference VFILTER_HAS_DANGLING_REFERENCE)
  if(VFILTER_HAS_DANGLING_REFERENCE)
    target_compile_options(vfilter_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-dangling-reference>)
  endif()
endif()

# Files of strangers are opened: what a bug in reading them could do is made as little as the toolchain can. Position
# independent programs, which the compilers of Debian and Ubuntu make by themselves, all relocations done and read-only before main, guarded stacks, checked calls of the C library, and
# marked targets of indirect jumps. crt1.o of Debian lacks the mark of the last, and so does NVIDIA's static runtime, so
# the linker is told. tests/binaries.sh looks at every binary.
set(hardening -fstack-protector-strong)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND hardening -fcf-protection=full)
  add_link_options(LINKER:-z,ibt LINKER:-z,shstk)
endif()
list(JOIN hardening "," hardening_of_nvcc)
add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:${hardening}>" "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${hardening_of_nvcc}>")
add_link_options(LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)
if(NOT VFILTER_SANITIZE)
  # The sanitizers have checks of their own for these calls; without optimisation there are none.
  add_compile_options("$<$<AND:$<COMPILE_LANGUAGE:C,CXX>,$<NOT:$<CONFIG:Debug>>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
endif()

if(VFILTER_SANITIZE)
  # Lines are all that a sanitizer tells; more, and more optimisation, would double the time that compiling takes.
  add_compile_options(-fsanitize=${VFILTER_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all -O1 -g1)
  add_link_options(-fsanitize=${VFILTER_SANITIZE})
  if(VFILTER_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-tsan)  # fences inside moodycamel's queue
  endif()
endif()

function(vfilter_room name)
  set(room ${CMAKE_BINARY_DIR}/rooms/${name})
  file(MAKE_DIRECTORY ${room})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${room}/${name} SYMBOLIC)
  add_library(vfilter_${name} STATIC ${ARGN})
  target_include_directories(vfilter_${name} PUBLIC ${room})
  target_link_libraries(vfilter_${name} PRIVATE vfilter_options)
endfunction()
