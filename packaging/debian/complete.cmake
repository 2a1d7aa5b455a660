# What a package has and an installed tree has not. CPack runs this when everything is installed below
# CPACK_TEMPORARY_DIRECTORY, for Debian in one folder a component, and nothing is packed yet.

# The archive has other people's code inside, so it has their licences.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  set(licences ${CPACK_TEMPORARY_DIRECTORY}/share/doc/tuner/licences)
  file(MAKE_DIRECTORY ${licences})
  foreach(package IN LISTS CPACK_TUNER_STATIC_PACKAGES)
    file(GLOB texts /usr/share/doc/${package}/copyright)
    if(NOT texts)
      message(FATAL_ERROR "There is no /usr/share/doc/${package}/copyright: the archive would lack a licence.")
    endif()
    list(GET texts -1 text)
    string(REGEX REPLACE "-?[*]" "" name ${package})
    file(COPY_FILE ${text} ${licences}/${name})
  endforeach()
  return()
endif()

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr/share)
  set(doc ${root}/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  file(MAKE_DIRECTORY ${doc})
  file(COPY_FILE ${CPACK_TUNER_DEBIAN_FOLDER}/copyright ${doc}/copyright)
  file(COPY_FILE ${CPACK_TUNER_DEBIAN_FOLDER}/changelog ${doc}/changelog.Debian)
  file(REMOVE ${doc}/LICENSE)  # it is in the file named copyright
  file(GLOB pages ${root}/man/man*/*.[1-8])
  foreach(file IN LISTS pages ITEMS ${doc}/changelog.Debian)
    # Without the file's name and time, so that packages of the same contents are the same.
    execute_process(COMMAND gzip -9nf ${file} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
endforeach()
