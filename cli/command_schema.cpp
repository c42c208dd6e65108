#include "cli/command.hpp"
#include "sim/base/error.hpp"
#include "sim/base/json.hpp"
#include "sim/formats/file_formats.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace ddlsim {

int run_schema(const SchemaCommand& command, const CommandLine& line) {
  const auto formats = file_formats();
  const auto found = std::find_if(formats.begin(), formats.end(),
                                  [&](const FileFormat& format) { return format.name == command.format; });
  if (found == formats.end()) {
    std::vector<std::string> names;
    for (const auto& format : formats) names.push_back(format.name);
    throw UserError("", "", unknown_name_text("kind of file", command.format, names, names));
  }
  emit(line, command.markdown ? field_list(found->root.fields) : json_text(json_schema(*found), 1) + "\n");
  return 0;
}

} // namespace ddlsim
