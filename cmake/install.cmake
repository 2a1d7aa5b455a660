# What is installed, and where. The tree may be moved as a whole: library and programs find each other by their
# distance.
include(CMakePackageConfigHelpers)

# Components are the packages of cmake/packages.cmake: what names none belongs to the programs.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME programs)
install(TARGETS libtuner EXPORT tunerTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development
        FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
if(TUNER_BUILD_PROGRAMS)
  install(TARGETS tuner RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(TARGETS tuner-engine tuner-worker RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/tuner)
  if(TARGET tuner-inject)
    install(TARGETS tuner-inject LIBRARY DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/tuner)
  endif()
  install(DIRECTORY ${PROJECT_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
  # Where shells look. Debian has a folder of its own for what zsh finds in packages: share/zsh/vendor-completions.
  set(TUNER_ZSH_FOLDER ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING "Folder in which zsh looks for completions")
  set(completion tuner/cli/completion)
  install(FILES ${completion}/tuner.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME tuner)
  install(FILES ${completion}/_tuner DESTINATION ${TUNER_ZSH_FOLDER})
  install(FILES ${completion}/tuner.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
install(DIRECTORY kernel_sources/ DESTINATION ${CMAKE_INSTALL_DATADIR}/tuner/kernel_sources)
install(FILES packaging/fleet/schema.sql packaging/fleet/tuner-fleet.service DESTINATION ${CMAKE_INSTALL_DATADIR}/tuner/fleet)
install(PROGRAMS packaging/fleet/tuner-fleet.sbatch DESTINATION ${CMAKE_INSTALL_DATADIR}/tuner/fleet)
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR} USE_SOURCE_PERMISSIONS PATTERN docs/site EXCLUDE)
# Where the target `site` was built.
install(DIRECTORY ${PROJECT_BINARY_DIR}/site/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/html OPTIONAL)

# find_package(tuner CONFIG)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/tuner)
set(kernel_sources_folder ${CMAKE_INSTALL_DATADIR}/tuner/kernel_sources)
configure_package_config_file(cmake/package/tunerConfig.cmake.in ${PROJECT_BINARY_DIR}/package/tunerConfig.cmake
                              INSTALL_DESTINATION ${package_folder} PATH_VARS kernel_sources_folder)
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/tunerConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/tunerConfig.cmake ${PROJECT_BINARY_DIR}/package/tunerConfigVersion.cmake
        DESTINATION ${package_folder} COMPONENT development)
install(EXPORT tunerTargets NAMESPACE tuner:: DESTINATION ${package_folder} COMPONENT development)

# pkg-config tuner. Folders are said relative to the file itself, so that it is right after a move; those that were
# given as absolute paths stay where they are.
file(RELATIVE_PATH prefix_from_file ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
foreach(folder LIBDIR INCLUDEDIR DATADIR)
  if(IS_ABSOLUTE ${CMAKE_INSTALL_${folder}})
    set(pkgconfig_${folder} ${CMAKE_INSTALL_${folder}})
  else()
    set(pkgconfig_${folder} "\${prefix}/${CMAKE_INSTALL_${folder}}")
  endif()
endforeach()
configure_file(cmake/package/tuner.pc.in ${PROJECT_BINARY_DIR}/package/tuner.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/tuner.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
