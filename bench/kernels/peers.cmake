# bench_peers: what the shipped kernels are compared with. CUB needs nvcc and the toolkit's static runtime; without them
# the peer says so when it is asked for.
add_library(bench_peers STATIC EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/peers.cpp)
target_include_directories(bench_peers PUBLIC ${PROJECT_SOURCE_DIR})
target_link_libraries(bench_peers PUBLIC tuner_cuda_headers PRIVATE tuner_driver tuner_flags ${CMAKE_DL_LIBS})

set(TUNER_BENCH_ARCHITECTURE 90 CACHE STRING "Compute capability for which nvcc builds the benchmarks' peers")
find_program(TUNER_NVCC nvcc
  HINTS ${CUDAToolkit_ROOT} ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin)
cmake_path(GET TUNER_CUDA_INCLUDE_DIR PARENT_PATH bench_toolkit)
find_library(TUNER_CUDART_STATIC cudart_static HINTS ${bench_toolkit} PATH_SUFFIXES lib64 lib)
if(TUNER_NVCC AND TUNER_CUDART_STATIC)
  set(cub_object ${CMAKE_CURRENT_BINARY_DIR}/cub_reduce.o)
  add_custom_command(OUTPUT ${cub_object}
    COMMAND ${TUNER_NVCC} -std=c++17 -O3 -arch=sm_${TUNER_BENCH_ARCHITECTURE} -Xcompiler -fPIC
            -c ${CMAKE_CURRENT_LIST_DIR}/cub_reduce.cu -o ${cub_object}
    DEPENDS ${CMAKE_CURRENT_LIST_DIR}/cub_reduce.cu VERBATIM)
  set_source_files_properties(${cub_object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  target_sources(bench_peers PRIVATE ${cub_object})
  target_compile_definitions(bench_peers PRIVATE BENCH_HAS_CUB=1)
  find_package(Threads REQUIRED)
  target_link_libraries(bench_peers PRIVATE ${TUNER_CUDART_STATIC} Threads::Threads rt)
else()
  target_compile_definitions(bench_peers PRIVATE BENCH_HAS_CUB=0)
endif()
