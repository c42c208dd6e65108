#pragma once
// A value of a document that the command line replaces: `--set /cluster=iris`.

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace ddlsim {

struct JsonChange {
  std::string path;  ///< JSON pointer: "/batch_per_gpu", "/strategies/0/servers/count"
  std::string value; ///< JSON text; a word that is not JSON is taken as a string
};

/// Puts the value at its place, making the last key when it is new. Throws UserError when the pointer is not one, or
/// leads nowhere.
void apply_change(nlohmann::json& document, const JsonChange& change);

} // namespace ddlsim
