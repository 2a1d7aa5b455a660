# What each of Debian's packages has and an installed tree has not. CPack runs this when everything is installed below
# CPACK_TEMPORARY_DIRECTORY, one folder a component, and nothing is packed yet.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()

# Without the name and the time of the file, so that packages of the same contents are the same.
function(compress file)
  execute_process(COMMAND gzip -9nf ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  set(package ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr/share)
  file(INSTALL ${CPACK_TUNER_DEBIAN_FOLDER}/copyright ${CPACK_TUNER_DEBIAN_FOLDER}/changelog DESTINATION ${root}/doc/${package})
  file(RENAME ${root}/doc/${package}/changelog ${root}/doc/${package}/changelog.Debian)
  file(REMOVE ${root}/doc/${package}/LICENSE)  # the licence is in the file named copyright
  file(GLOB pages ${root}/man/man*/*.[1-8])
  foreach(file IN LISTS pages ITEMS ${root}/doc/${package}/changelog.Debian)
    compress(${file})
  endforeach()
endforeach()
