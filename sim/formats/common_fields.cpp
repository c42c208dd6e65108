#include "sim/formats/record_fields.hpp"

namespace ddlsim {

namespace {

constexpr long most_records = 100'000;

} // namespace

ValueShape common_shape() {
  ValueShape fields{ValueKind::any};
  fields.fewest_items = 1;
  ValueShape shape{ValueKind::object};
  shape.fields = {{"record", Presence::required, {ValueKind::constant, {"common"}}, "the kind of line"},
                  {"next", Presence::required, whole_type(1, most_records).shape,
                   "how many records have the fields, unless they state them"},
                  {"fields", Presence::required, fields, "of the records"}};
  return shape;
}

CommonFields common_fields_from(const JsonNode& node, int line) {
  static constexpr std::string_view known[]{"record", "next", "fields"};
  node.allow_only(known);
  CommonFields common{line, node.integer("next", 1, most_records), nlohmann::json::object(), ""};
  const auto fields = node.at("fields");
  if (!fields.is_object()) return common;
  if (fields.value().empty()) node.mistake_at("fields", "no field found; give those that the records share");
  common.fields = fields.value();
  common.text = json_text(common.fields);
  if (!fields.has("record")) return common;
  const auto& kind = fields.at("record").value();
  if (kind == "context" || kind == "common")
    fields.mistake_at("record", "no record is of this kind; give the kind of the records, or leave it to each");
  return common;
}

} // namespace ddlsim
