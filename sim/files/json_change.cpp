#include "sim/files/json_change.hpp"

#include "sim/files/error.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ddlsim {

void apply_change(nlohmann::json& document, const JsonChange& change) {
  auto value = nlohmann::json::parse(change.value, nullptr, false);
  if (value.is_discarded()) value = change.value;
  try {
    const nlohmann::json::json_pointer place(change.path);
    if (place.empty() || !document.contains(place.parent_pointer())) {
      throw UserError("--set", change.path,
                      "leads nowhere in this file; give the path of a field, like /batch_per_gpu");
    }
    document[place] = std::move(value);
  } catch (const nlohmann::json::exception&) {
    throw UserError("--set", change.path,
                    "is not the path of a field; give a JSON pointer, like /gpus or /strategies/0/name");
  }
}

} // namespace ddlsim
