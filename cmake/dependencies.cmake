# Third-party libraries. docs/dependencies.md says why each is here. Our targets link the names defined below, so that
# the choice between shared and static stands in one place.
if(TUNER_STATIC_DEPENDENCIES)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
  set(Boost_USE_STATIC_LIBS ON)
  set(ZLIB_USE_STATIC_LIBS ON)
endif()

find_package(Threads REQUIRED)
find_package(SQLite3 REQUIRED)
if(TUNER_BUILD_PROGRAMS)
  find_package(Boost REQUIRED COMPONENTS program_options)
  find_package(ZLIB REQUIRED)
endif()
find_package(nlohmann_json 3.11 REQUIRED)
find_package(fmt 9 REQUIRED)

# What is for the machine that is built for in a toolkit's folder `targets`, as tuner/core/base/toolkit_folders.hpp says
# for when it runs. Only the path differs: the headers of both are the same.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(TUNER_CUDA_TARGET sbsa-linux)
else()
  set(TUNER_CUDA_TARGET x86_64-linux)
endif()
# Only the toolkit's headers: libcuda and NVRTC are opened when they are first needed. FindCUDAToolkit would ask for
# libraries that are not used here.
find_path(TUNER_CUDA_INCLUDE_DIR nvrtc.h
          HINTS ${CUDAToolkit_ROOT} ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda
          PATH_SUFFIXES include targets/${TUNER_CUDA_TARGET}/include
          DOC "Folder with the CUDA toolkit's headers" REQUIRED)
add_library(tuner_cuda_headers INTERFACE)
target_include_directories(tuner_cuda_headers SYSTEM INTERFACE ${TUNER_CUDA_INCLUDE_DIR})

# xxhash is used as a header; Debian's libfmt has no archive, so a static build takes fmt as headers too.
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
add_library(tuner_xxhash INTERFACE)
target_include_directories(tuner_xxhash SYSTEM INTERFACE ${XXHASH_INCLUDE_DIR})
target_compile_definitions(tuner_xxhash INTERFACE XXH_INLINE_ALL)

add_library(tuner_fmt INTERFACE)
if(TUNER_STATIC_DEPENDENCIES)
  target_link_libraries(tuner_fmt INTERFACE fmt::fmt-header-only)
else()
  target_link_libraries(tuner_fmt INTERFACE fmt::fmt)
endif()

add_library(tuner_sqlite INTERFACE)
target_link_libraries(tuner_sqlite INTERFACE SQLite::SQLite3 Threads::Threads ${CMAKE_DL_LIBS})
if(TUNER_STATIC_DEPENDENCIES)
  target_link_libraries(tuner_sqlite INTERFACE m)
  target_compile_definitions(tuner_sqlite INTERFACE TUNER_OWN_SQLITE)
endif()

# For `tuner fleet` and `tuner pull` of the program; the library never links it. Its archive needs those of Kerberos and
# LDAP, which Debian does not have, so a static build goes without.
if(TUNER_BUILD_PROGRAMS AND NOT TUNER_STATIC_DEPENDENCIES)
  find_package(PostgreSQL QUIET)
  if(PostgreSQL_FOUND)
    add_library(tuner_libpq INTERFACE)
    target_link_libraries(tuner_libpq INTERFACE PostgreSQL::PostgreSQL)
  else()
    message(STATUS "There is no libpq: `tuner fleet` and `tuner pull` will say so (install libpq-dev)")
  endif()
endif()

if(TUNER_BUILD_TESTS)
  find_package(doctest REQUIRED)
endif()
