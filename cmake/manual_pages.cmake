# cmake -D TUNER=program -D EMULATOR=what-runs-it -D FOLDER=man -P manual_pages.cmake
# Writes the manual pages that the program prints: tuner.1, and tuner-COMMAND.1 for each command that it completes.
function(run result)
  execute_process(COMMAND ${EMULATOR} "${TUNER}" ${ARGN} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${FOLDER}")
run(page help --man)
file(WRITE "${FOLDER}/tuner.1" "${page}")
run(answer complete)
# Behind the first line, which says how the rest is to be read, each has a command and, behind a tab, what it does.
string(REGEX MATCHALL "\n[a-z]+\t" commands "${answer}")
if(NOT commands)
  message(FATAL_ERROR "${TUNER} named no commands.")
endif()
foreach(command IN LISTS commands)
  string(STRIP "${command}" command)
  run(page help ${command} --man)
  file(WRITE "${FOLDER}/tuner-${command}.1" "${page}")
endforeach()
