# One target a room, named after its folder: tuner/core/task is tuner_core_task. A room sees only the rooms it links, so a wrong arrow does not link.

# Flags of our own code, never passed on to users of a target. Options are structs with defaults and designated
# initialisers, so a field that is left out is meant.
add_library(tuner_flags INTERFACE)
target_compile_features(tuner_flags INTERFACE cxx_std_20)
target_compile_options(tuner_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wno-missing-field-initializers
                                             $<$<BOOL:${TUNER_WARNINGS_AS_ERRORS}>:-Werror>)
# So that what the library takes from the rooms is what it uses, close together: see tuner/runtime.
target_compile_options(tuner_flags INTERFACE $<$<CONFIG:Release>:-ffunction-sections$<SEMICOLON>-fdata-sections>)

# The public headers, which need the standard library only. Every room may use them.
add_library(tuner_headers INTERFACE)
target_include_directories(tuner_headers INTERFACE ${PROJECT_SOURCE_DIR}/tuner/include)
target_compile_features(tuner_headers INTERFACE cxx_std_20)

# tuner_room(<target> SOURCES <file>... LINK <target>... [PRIVATE <target>...])
# A static library; headers are included relative to the top folder ("search/space/space.hpp").
function(tuner_room target)
  cmake_parse_arguments(PARSE_ARGV 1 room "" "" "SOURCES;LINK;PRIVATE")
  add_library(${target} STATIC ${room_SOURCES})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PUBLIC tuner_headers ${room_LINK} PRIVATE tuner_flags ${room_PRIVATE})
  # Hidden, because rooms end up in the shared library, which exports what is marked TUNER_API.
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                                             VISIBILITY_INLINES_HIDDEN ON)
endfunction()

# tuner_rooms(<target> <room>...): several rooms under one name, for tests, benchmarks and programs that link all of them.
function(tuner_rooms target)
  add_library(${target} INTERFACE)
  target_link_libraries(${target} INTERFACE ${ARGN})
endfunction()

# tuner_program(<target> SOURCES <file>... LINK <target>...)
function(tuner_program target)
  cmake_parse_arguments(PARSE_ARGV 1 program "" "" "SOURCES;LINK")
  add_executable(${target} ${program_SOURCES})
  target_link_libraries(${target} PRIVATE tuner_flags ${program_LINK})
  if(TUNER_STATIC_DEPENDENCIES)
    target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc)
  endif()
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin CXX_VISIBILITY_PRESET hidden
                                             VISIBILITY_INLINES_HIDDEN ON)
endfunction()
