# One target a room, named after its folder: tuner/core/task is tuner_core_task. A room links every room whose
# headers it includes: tests/structure finds what is missing.

# What all of our own code is compiled with, never passed on to users of a target. Options are structs with defaults and
# designated initialisers, so a field that is left out is meant. Clang calls a local a shadow of what an inline namespace
# has (tuner/include/tuner/buffer.hpp).
add_library(tuner_flags INTERFACE)
target_compile_features(tuner_flags INTERFACE cxx_std_20)
target_compile_options(tuner_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion -Wno-missing-field-initializers -Winvalid-pch -fPIC
  $<IF:$<CXX_COMPILER_ID:GNU>,-Wshadow,-Wno-missing-braces> $<$<BOOL:${TUNER_WARNINGS_AS_ERRORS}>:-Werror>)
# Where the standard library is precompiled, GCC 12 warns of its sums of strings: they are said to leave their buffers.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(tuner_flags INTERFACE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
endif()
target_link_libraries(tuner_flags INTERFACE tuner_fmt)
# So that what the library takes from the rooms is what it uses, close together: see tuner/runtime.
target_compile_options(tuner_flags INTERFACE $<$<CONFIG:Release>:-ffunction-sections$<SEMICOLON>-fdata-sections>)

# The public headers, which need the standard library only. Every room may use them.
add_library(tuner_headers INTERFACE)
target_include_directories(tuner_headers INTERFACE ${PROJECT_SOURCE_DIR}/tuner/include)
target_compile_features(tuner_headers INTERFACE cxx_std_20)

# What units include and no change of ours touches, parsed once: that is half of what a unit costs to compile. What it
# hides, a missing include of a library, tests/structure finds. JSON is not for GCC, to which reading it back would cost
# every unit 0.4 s; Clang reads what a unit uses. The presets also compile files of a room together, in batches
# (CMAKE_UNITY_BUILD), so helpers of one room need different names. With TUNER_COMPILE_ALONE they do not, which finds
# missing includes of our own.
set(tuner_precompiled_headers
    <algorithm> <chrono> <filesystem> <functional> <map> <memory> <mutex> <optional> <set> <span> <string> <string_view>
    <utility> <variant> <vector> <fmt/chrono.h> <fmt/format.h> <fmt/ranges.h>)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  list(APPEND tuner_precompiled_headers <fstream> <nlohmann/json.hpp> <sstream> <thread>)
endif()

# How rooms and programs are compiled: alike, because precompiled headers serve only targets with equal flags. Hidden,
# because rooms end up in the shared library, which exports what is marked TUNER_API. HOT: optimised, in a release
# fully, because its loops cost a tuning session, a launch or a test measurable time; the rest compiles in half the time.
# Not with TUNER_COLD, where the build would take longer than the tests then save: under the address sanitizer.
function(tuner_compile_alike target)
  cmake_parse_arguments(PARSE_ARGV 1 compile "HOT" "" "")
  target_link_libraries(${target} PRIVATE tuner_flags)
  set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  if(TUNER_COMPILE_ALONE)
    set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
  endif()
  set(precompiled tuner_precompiled)
  if(compile_HOT AND NOT TUNER_COLD)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O3> $<$<CONFIG:RelWithDebInfo>:-O1>)
    set(precompiled tuner_precompiled_hot)
  endif()
  if(target STREQUAL precompiled)
    target_precompile_headers(${target} PRIVATE ${tuner_precompiled_headers})
  else()
    target_precompile_headers(${target} REUSE_FROM ${precompiled})
  endif()
endfunction()

# Written once: a file that is newer would have everything compiled again.
if(NOT EXISTS ${PROJECT_BINARY_DIR}/precompiled.cpp)
  file(WRITE ${PROJECT_BINARY_DIR}/precompiled.cpp "")
endif()
add_library(tuner_precompiled OBJECT ${PROJECT_BINARY_DIR}/precompiled.cpp)
tuner_compile_alike(tuner_precompiled)
add_library(tuner_precompiled_hot OBJECT ${PROJECT_BINARY_DIR}/precompiled.cpp)
tuner_compile_alike(tuner_precompiled_hot HOT)

# tuner_headers_alone(<target> <header>...): compiles those that have no source, each for itself.
function(tuner_headers_alone target)
  set(sources "")
  foreach(header ${ARGN})
    string(REGEX REPLACE "[.]hpp$" ".cpp" source ${header})
    if(NOT EXISTS ${source})
      cmake_path(RELATIVE_PATH header BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
      string(REPLACE tuner/include/ "" header ${header})
      file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/alone/${header}.cpp CONTENT "#include \"${header}\"\n")
      list(APPEND sources ${PROJECT_BINARY_DIR}/alone/${header}.cpp)
    endif()
  endforeach()
  if(sources)
    add_library(${target}_headers OBJECT ${sources})
    target_link_libraries(${target}_headers PRIVATE ${target})
    tuner_compile_alike(${target}_headers)
  endif()
endfunction()

file(GLOB_RECURSE tuner_public_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tuner/include/*.hpp)
if(TUNER_COMPILE_ALONE)
  tuner_headers_alone(tuner_headers ${tuner_public_headers})
endif()

# Where a room's files are and what it links, a line each in rooms.txt: tests/structure compares that with what the files
# include. A room has folders; a program, which lies in one of them, has files.
set(tuner_rooms_file ${PROJECT_BINARY_DIR}/rooms.txt)
file(WRITE ${tuner_rooms_file} "")
function(tuner_write_down target kind sources)
  list(FILTER sources EXCLUDE REGEX "^/")  # written by the build
  list(TRANSFORM sources PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  set(places "")
  foreach(place IN LISTS sources)
    if(kind STREQUAL "room")
      cmake_path(GET place PARENT_PATH place)
    endif()
    cmake_path(RELATIVE_PATH place BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    list(APPEND places ${place})
  endforeach()
  list(REMOVE_DUPLICATES places)
  list(JOIN places "," places)
  list(JOIN ARGN " " links)
  file(APPEND ${tuner_rooms_file} "${target} ${places} ${links}\n")
endfunction()

# tuner_room(<target> SOURCES <file>... [LINK <target>...] [PRIVATE <target>...] [HOT])
# A static library; headers are included relative to the top folder ("search/space/space.hpp"). With TUNER_COMPILE_ALONE
# its headers without a source, which would include them first, are compiled alone too.
function(tuner_room target)
  cmake_parse_arguments(PARSE_ARGV 1 room "HOT" "" "SOURCES;LINK;PRIVATE")
  add_library(${target} STATIC ${room_SOURCES})
  list(TRANSFORM room_SOURCES REPLACE "[^/]+$" "*.hpp" OUTPUT_VARIABLE patterns)
  list(REMOVE_DUPLICATES patterns)
  file(GLOB headers CONFIGURE_DEPENDS ${patterns})
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${headers})
  target_link_libraries(${target} PUBLIC tuner_headers ${room_LINK} PRIVATE ${room_PRIVATE})
  tuner_write_down(${target} room "${room_SOURCES}" ${room_LINK} ${room_PRIVATE})
  if(room_HOT)
    tuner_compile_alike(${target} HOT)
  else()
    tuner_compile_alike(${target})
  endif()
  if(TUNER_COMPILE_ALONE)
    tuner_headers_alone(${target} ${headers})
  endif()
endfunction()

# tuner_program(<target> SOURCES <file>... LINK <target>...)
function(tuner_program target)
  cmake_parse_arguments(PARSE_ARGV 1 program "" "" "SOURCES;LINK")
  add_executable(${target} ${program_SOURCES})
  target_link_libraries(${target} PRIVATE ${program_LINK})
  tuner_write_down(${target} program "${program_SOURCES}" ${program_LINK})
  tuner_compile_alike(${target})
  if(TUNER_STATIC_DEPENDENCIES)
    target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc)
    target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tuner/process/portable_random.cpp)
  endif()
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
endfunction()
