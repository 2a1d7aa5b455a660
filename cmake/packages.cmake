# What CPack makes of an installed tree: packages for Debian, one for each component (preset `debian`), or one archive
# that may be unpacked anywhere (preset `portable`). `./bootstrap package` makes both.
set(CPACK_PACKAGE_NAME tuner)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "autotuner for CUDA C++ kernels")
set(CPACK_PACKAGE_VENDOR "The tuner authors")
set(CPACK_PACKAGE_CONTACT "The tuner authors <tuner@example.org>")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

# The archive: tuner-0.1.0-Linux-x86_64.tar.gz, with one folder of that name.
set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_FILE_NAME tuner-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_ARCHIVE_THREADS 0)

# Debian. Packages that others load are named after the version of the binary interface.
set(library_package libtuner${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(CPACK_COMPONENTS_ALL programs library development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(package_version "${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}")
set(needs "The CUDA toolkit, 12 or 13, and the NVIDIA driver are not packages of
Debian: they come from NVIDIA, and are opened when they are first needed.
Without them the program lists, replays and exports what is stored;
tuner doctor says how to install what is missing.")

set(CPACK_DEBIAN_PROGRAMS_PACKAGE_NAME tuner)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SUGGESTS "g++, libcuda1")
set(CPACK_DEBIAN_PROGRAMS_DESCRIPTION "Finds the compile-time constants that make a CUDA kernel fastest on one GPU
for one problem, checks that results stay correct, and stores what it found.
This package has the programs and annotated kernels.
.
${needs}")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${library_package})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS "tuner (= ${package_version})")
# CPack's own files would call ldconfig in a script, where Debian wants a trigger.
file(WRITE ${PROJECT_BINARY_DIR}/package/triggers "activate-noawait ldconfig\n")
file(WRITE ${PROJECT_BINARY_DIR}/package/shlibs
     "libtuner ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} ${library_package} (>= ${PROJECT_VERSION})\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/package/triggers ${PROJECT_BINARY_DIR}/package/shlibs)
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "This package has the library, which reads decisions that were stored, and
loads and launches kernels. What is missing it has compiled by the programs
of the package tuner.
.
${needs}")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libtuner-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${library_package} (= ${package_version}), tuner (= ${package_version})")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "This package has the headers, for C++20, and what CMake and pkg-config need
to find the library.")

set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/packaging/debian/complete.cmake)
# What is linked statically, by the names that Debian has for it.
if(TUNER_STATIC_DEPENDENCIES)
  set(CPACK_TUNER_STATIC_PACKAGES libboost-program-options*-dev libfmt-dev libsqlite3-dev libxxhash-dev
                                  nlohmann-json3-dev zlib1g-dev libstdc++-*-dev)
endif()
set(CPACK_TUNER_DEBIAN_FOLDER ${PROJECT_SOURCE_DIR}/packaging/debian)
include(CPack)
