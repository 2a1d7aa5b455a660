# Builds for Arm servers on another machine: `./bootstrap aarch64` puts third-party libraries for them into
# build/aarch64-root, so that nothing of this machine's is found in their place. Debian's cross compiler brings the C and
# C++ libraries. What CMake runs while it builds or tests, it runs with qemu.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
# Not with -L, which would put the cross compiler's folder in the place of /: databases are reached from there.
set(cross_libraries /usr/aarch64-linux-gnu/lib)
set(CMAKE_CROSSCOMPILING_EMULATOR
    qemu-aarch64 ${cross_libraries}/ld-linux-aarch64.so.1 --library-path ${cross_libraries})

set(CMAKE_FIND_ROOT_PATH "${CMAKE_CURRENT_LIST_DIR}/../build/aarch64-root")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
