# cmake -DROOT=DIR -P check_includes.cmake: no layer includes what it must not (docs/architecture.md).
# core: plain data in, plain data out. server: not cli. bench's generator: not the core that it judges.
function(forbid folder patterns)
  file(GLOB_RECURSE files ${ROOT}/${folder}/*.hpp ${ROOT}/${folder}/*.cpp ${ROOT}/${folder}/*.h)
  list(FILTER files EXCLUDE REGEX "/bench/micro/")  # measures the core from inside
  if(NOT files)
    message(FATAL_ERROR "no sources in ${folder}: is ROOT right?")
  endif()
  foreach(file IN LISTS files)
    file(STRINGS ${file} includes REGEX "^[ \t]*#[ \t]*include")
    foreach(line IN LISTS includes)
      foreach(pattern IN LISTS patterns)
        if(line MATCHES "[<\"]${pattern}")
          message(SEND_ERROR "${file}: ${line}\n  ${folder} must not include ${pattern}")
        endif()
      endforeach()
    endforeach()
  endforeach()
endfunction()

set(outside_world
  boost/asio boost/beast openssl prometheus boost/program_options
  thread mutex shared_mutex condition_variable future atomic stop_token semaphore latch barrier
  chrono ctime time.h sys/ unistd.h
  filesystem fstream iostream ostream istream sstream cstdio stdio.h syslog.h)
# ends the name, so that <thread> does not forbid <threadsafe.hpp>
list(TRANSFORM outside_world APPEND "[/>\".]" REGEX "^[a-z_]+$")
foreach(folder include/nodesieve src/core)
  forbid(${folder} "${outside_world}")
endforeach()
forbid(src/server "serve\\.hpp;cli/")
forbid(bench "nodesieve/")
