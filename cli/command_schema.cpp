#include "cli/command.hpp"
#include "cli/known_formats.hpp"
#include "sim/base/error.hpp"
#include "sim/base/json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ddlsim {
namespace {

/// Returns the keys as a table, or a table for each kind of line if a file has several kinds.
std::string key_lists(const ValueShape& root) {
  if (root.kind != ValueKind::either) return field_list(root.fields);
  std::string lists;
  for (const auto& line : root.parts)
    lists += fmt::format("{}`{}`:\n\n{}", lists.empty() ? "" : "\n", line.fields.front().value.words.front(),
                         field_list(line.fields));
  return lists;
}

} // namespace

int run_schema(const SchemaCommand& command, const CommandLine& line) {
  const auto found = format_with_name(command.format);
  if (!found) {
    const auto names = names_of_formats();
    throw UserError("", "", unknown_name_text("kind of file", command.format, names, names));
  }
  emit(line, command.markdown ? key_lists(found->root) : json_text(json_schema(*found), 1) + "\n");
  return 0;
}

} // namespace ddlsim
