#include "sim/base/json.hpp"

#include "sim/base/error.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace ddlsim {

void Mistakes::add(std::string path, std::string what) {
  if (list_.size() < max_reported_mistakes) {
    list_.push_back({where_, std::move(path), std::move(what)});
  } else {
    ++unreported_;
  }
}

void Mistakes::append(const UserError& error, const std::string& path) {
  for (const auto& mistake : error.mistakes()) add(path, to_text({"", mistake.path, mistake.what}));
}

void Mistakes::throw_if_any() const {
  if (list_.empty()) return;
  auto reported = list_;
  if (unreported_ > 0)
    reported.push_back({file_, "", fmt::format("and {}{} more; mend these first", unreported_, gave_up_ ? " or" : "")});
  throw UserError(std::move(reported));
}

std::optional<nlohmann::json> json_in(std::string_view text) {
  auto value = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) return {};
  return value;
}

std::string json_to_bytes(const nlohmann::json& value) {
  const std::vector<std::uint8_t> bytes = nlohmann::json::to_cbor(value);
  return {bytes.begin(), bytes.end()};
}

nlohmann::json json_from_bytes(const std::string& bytes) {
  return nlohmann::json::from_cbor(bytes);
}

std::string json_text(const nlohmann::ordered_json& value, int indent, JsonBytes bytes) {
  using Handler = nlohmann::ordered_json::error_handler_t;
  return value.dump(indent, ' ', bytes == JsonBytes::ascii,
                    bytes == JsonBytes::strict ? Handler::strict : Handler::replace);
}

std::string describe(const nlohmann::json& value) {
  if (value.is_array()) return fmt::format("a list of {}", value.size());
  if (value.is_object()) return "an object";
  if (value.is_string()) return in_quotes(value.get_ref<const std::string&>());
  return value.dump();
}

namespace {

void check_format(const JsonNode& root, const std::string& format, const Mistakes& mistakes) {
  const std::string found = root.text("format");
  if (mistakes.empty() && found != format)
    root.mistake_at("format",
                    fmt::format("{} found, a file of format \"{}\" is expected here", in_quotes(found), format));
}

/// Throws when the file has another version, because its other mistakes would then mean nothing. A file without a
/// version is read further.
void check_version(const JsonNode& root, int version, const Mistakes& mistakes) {
  const long found = root.integer("version", 1, 1'000'000);
  if (!mistakes.empty() || found == version) return;
  root.mistake_at("version", fmt::format("{} found; this ddlsim reads version {}", found, version));
  mistakes.throw_if_any();
}

} // namespace

void read_document(const std::filesystem::path& file, const std::string& format, int version,
                   const std::function<void(const JsonNode&)>& read, const std::function<void(nlohmann::json&)>& edit) {
  auto document = parse_json(read_text_file(file), file.string());
  if (edit) edit(document);
  Mistakes mistakes(file.string());
  const JsonNode root(document, "", mistakes);
  if (!root.is_object()) mistakes.throw_if_any();
  check_format(root, format, mistakes);
  const bool of_another_format = !mistakes.empty();
  check_version(root, version, mistakes);
  if (of_another_format) mistakes.throw_if_any(); // in a file of another format, further mistakes mean nothing
  read(root);
  mistakes.throw_if_any();
}

double nine_digits(double value) {
  constexpr int digits = 9;
  return rounded_to(value, digits);
}

double rounded_to(double value, int digits) {
  return std::isfinite(value) ? std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr) : value;
}

namespace {

/// Whether a value may be set there: its parent exists, and the place is not beyond the end of a list, which the
/// library would fill with nulls.
bool is_place(const nlohmann::json& document, const nlohmann::json::json_pointer& node) {
  if (node.empty() || !document.contains(node.parent_pointer())) return false;
  const auto& parent = document.at(node.parent_pointer());
  return !parent.is_array() || document.contains(node) || node.back() == "-" ||
         node.back() == fmt::format("{}", parent.size());
}

} // namespace

void apply_change(nlohmann::json& document, const JsonChange& change) {
  auto value = json_in(change.value).value_or(change.value);
  try {
    const nlohmann::json::json_pointer node(change.path);
    if (!is_place(document, node)) {
      throw UserError("--set", change.path,
                      "leads nowhere in this file; give the path of a field, like /batch_per_gpu");
    }
    if (value.is_null() && !node.empty() && document[node.parent_pointer()].is_object())
      document[node.parent_pointer()].erase(node.back());
    else
      document[node] = std::move(value);
  } catch (const nlohmann::json::exception&) {
    throw UserError("--set", change.path,
                    "is not the path of a field; give a JSON pointer, like /gpus or /strategies/0/name");
  }
}

} // namespace ddlsim
