# Compiler flags of all our targets, and the function that makes a room: one folder, one target, and an include path with
# this folder alone, so that a file can include no room that its target does not link.

# For those who change vfilter. The preset `package` turns it off, as compilers that nobody has tried may warn.
option(CMAKE_COMPILE_WARNING_AS_ERROR "Warnings are errors" ON)

# Many sources as one: most of what compiling takes is in what they include. Who changes them wants each by itself, and
# compiler caches do, too.
set(unity ON)
if(CMAKE_CXX_COMPILER_LAUNCHER)
  set(unity OFF)
endif()
option(VFILTER_UNITY "Compile many sources of a room as one" ${unity})
set(CMAKE_UNITY_BUILD_BATCH_SIZE 64)

add_library(vfilter_options INTERFACE)
set(warnings -Wall -Wextra -Wpedantic -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align
  -Wunused -Wnull-dereference -Wdouble-promotion -Wimplicit-fallthrough)
target_compile_options(vfilter_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${warnings}>"
  # nvcc hands its own code to the host's compiler as well, which would not pass all warnings.
  "$<$<COMPILE_LANGUAGE:CUDA>:--compress-mode=size;--expt-relaxed-constexpr;-Xcompiler=-Wall>")
# In such a build a name of one file may stand above the functions of the next.
target_compile_options(vfilter_options INTERFACE
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>>>:-Wshadow>)
# Paths in messages are relative to the source tree; vfilter_room() adds the folders of the build tree by way of which files are
# included.
function(vfilter_leave_out prefix)
  target_compile_options(vfilter_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fmacro-prefix-map=${prefix}=>
    $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-fmacro-prefix-map=${prefix}=>)
endfunction()
vfilter_leave_out(${CMAKE_SOURCE_DIR}/)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False alarms inside the standard library and fmt in optimised code, such as gcc bugs 105329 and 109642; gcc 13 warns of
  # array bounds in fmt 9 (Ubuntu 24.04).
  target_compile_options(vfilter_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>
    $<$<COMPILE_LANGUAGE:CXX>:-Wno-null-dereference> $<$<COMPILE_LANGUAGE:CXX>:-Wno-array-bounds>)
  # Where many sources are one, each of them is taken for a header.
  target_compile_options(vfilter_options INTERFACE
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>>:-Wno-subobject-linkage>)
  include(CheckCXXCompilerFlag)
  check_cxx_compiler_flag(-Wdangling-reference VFILTER_HAS_DANGLING_REFERENCE)
  if(VFILTER_HAS_DANGLING_REFERENCE)
    target_compile_options(vfilter_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-dangling-reference>)
  endif()
endif()

# vfilter opens untrusted files, so it is hardened as far as the toolchain goes: position-independent programs (the default
# of the compilers of Debian and Ubuntu), all relocations done and read-only before main, guarded stacks, checked calls of
# the C library, and marked targets of indirect jumps (CET). Debian's crt1.o and NVIDIA's static runtime lack the last mark,
# so the linker is told to set it. tests/binaries.sh checks every binary.
set(hardening -fstack-protector-strong)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND hardening -fcf-protection=full)
  add_link_options(LINKER:-z,ibt LINKER:-z,shstk)
endif()
list(JOIN hardening "," hardening_of_nvcc)
add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:${hardening}>" "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${hardening_of_nvcc}>")
add_link_options(LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)
set(fortify 2)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12)
  set(fortify 3)
endif()
if(NOT VFILTER_SANITIZE)
  # Sanitizers check these calls themselves; without optimisation there are no such checks. What a distribution's own flags
  # ask for stays: some say 3.
  if(NOT "${CMAKE_C_FLAGS} ${CMAKE_CXX_FLAGS}" MATCHES "_FORTIFY_SOURCE")
    add_compile_options("$<$<AND:$<COMPILE_LANGUAGE:C,CXX>,$<NOT:$<CONFIG:Debug>>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=${fortify}>")
  endif()
endif()

# The loops over samples are in kernels/, which asks for -O3; elsewhere it takes a fifth more of compiling for nothing.
add_compile_options($<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O2>)

if(VFILTER_SANITIZE)
  # Of undefined behaviour what the address sanitizer does not see anyway: the checks of each access by a pointer (null,
  # alignment, vptr, object-size, pointer-overflow) take as long to compile as all the rest.
  string(REPLACE "undefined" "bool,bounds,enum,float-cast-overflow,integer-divide-by-zero,return,shift,signed-integer-overflow,unreachable"
    sanitizers "${VFILTER_SANITIZE}")
  # Reports need line numbers only (-g1). Optimising takes longer than what it saves, but for the loops over samples
  # (kernels/), where each access is looked up (thread), and where all runs again and again (fuzzer). clang 14 takes two to
  # three times as long over the SIMD sources.
  set(optimisation -O0)
  if(VFILTER_SANITIZE MATCHES "thread|fuzzer")
    set(optimisation -O1)
  endif()
  add_compile_options(-fsanitize=${sanitizers} -fno-omit-frame-pointer -fno-sanitize-recover=all -g1 ${optimisation})
  if(VFILTER_SANITIZE MATCHES "address")
    # Checks are calls, not code in place: SIMD sources compile in a third of the time.
    set(threshold asan-instrumentation-with-call-threshold=0)
    add_compile_options("$<IF:$<CXX_COMPILER_ID:GNU>,--param=${threshold},SHELL:-mllvm -${threshold}>")
  endif()
  add_link_options(-fsanitize=${sanitizers})
  if(VFILTER_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-tsan)  # fences inside moodycamel's queue
  endif()
endif()

function(vfilter_room name)
  set(room ${CMAKE_BINARY_DIR}/rooms/${name})
  vfilter_leave_out(${room}/)
  file(MAKE_DIRECTORY ${room})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${room}/${name} SYMBOLIC)
  add_library(vfilter_${name} STATIC ${ARGN})
  set_target_properties(vfilter_${name} PROPERTIES UNITY_BUILD ${VFILTER_UNITY})
  target_include_directories(vfilter_${name} PUBLIC ${room})
  target_link_libraries(vfilter_${name} PRIVATE vfilter_options)
endfunction()

# Of a room that is linked into the program and into the shared library (library/): compiled once for both. What is hidden
# needs no detour through a table of symbols, so that the program loses nothing by it.
function(vfilter_shared_code target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endfunction()
