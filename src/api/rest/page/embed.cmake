# Turns a page into C++: the files that it names between at signs are put into it, and all of it into
# a function. cmake -DPAGE=docs.html -DFUNCTION=DocumentationPage -DSOURCE=docs.cc -P embed.cmake
get_filename_component(folder "${PAGE}" DIRECTORY)
file(READ "${PAGE}" text)
string(REGEX MATCHALL "@[a-z]+[.][a-z]+@" parts "${text}")
foreach(part ${parts})
  string(REPLACE "@" "" name ${part})
  file(READ "${folder}/${name}" content)
  string(REPLACE "${part}" "${content}" text "${text}")
endforeach()
string(FIND "${text}" ")page\"" clash)
if(NOT clash EQUAL -1)
  message(FATAL_ERROR "${PAGE} contains what ends the literal it is put into.")
endif()
file(WRITE "${SOURCE}" "#include \"api/rest/page/page.h\"

namespace monotable::api::rest {

std::string_view ${FUNCTION}() {
  return R\"page(${text})page\";
}

}  // namespace monotable::api::rest
")
