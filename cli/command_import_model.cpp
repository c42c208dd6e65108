#include "cli/command.hpp"
#include "own/hf_config.hpp"
#include "sim/base/error.hpp"
#include "sim/formats/readers.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <charconv>

namespace ddlsim {
namespace {

/// Writes a number with thousands separators: "8,030,261,248".
std::string in_thousands(double count) {
  auto digits = fmt::format("{:.0f}", count);
  for (auto at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

HfOptions options_of(const ImportCommand& command, const CommandLine& line) {
  HfOptions options;
  options.name = !command.name.empty() ? command.name : line.output.stem().string();
  options.sequence = command.sequence;
  options.eager_attention = command.attention == "eager";
  for (const auto& [name, value] : command.context.given) {
    const auto read = std::from_chars(value.data(), value.data() + value.size(), options.predicted_words);
    if (name != "predicted_words" || read.ec != std::errc() || read.ptr != value.data() + value.size() ||
        options.predicted_words < 1)
      throw UserError("--set", "",
                      fmt::format("{} found; of a config only predicted_words=NUMBER can be set: positions that a head "
                                  "of masked words scores",
                                  in_quotes(name + "=" + value)));
  }
  return options;
}

} // namespace

const std::vector<std::pair<std::string, std::string>>& model_imports() {
  static const std::vector<std::pair<std::string, std::string>> kinds{
      {"hf-config", "a config.json of Hugging Face Transformers: " + join_names(hf_families())}};
  return kinds;
}

bool makes_model(const std::string& kind) {
  for (const auto& known : model_imports())
    if (known.first == kind) return true;
  return false;
}

std::string checked_table(const Model& model, const std::string& where) {
  auto text = model_json(model);
  const auto document = parse_json(text, where);
  Mistakes mistakes(where);
  model_from(JsonNode(document, "", mistakes));
  mistakes.throw_if_any();
  return text;
}

int run_model_import(const ImportCommand& command, const CommandLine& line) {
  const auto made = import_hf_config(command.file, options_of(command, line));
  const auto text = checked_table(made.model, line.output.empty() ? "--name" : line.output.string());
  for (const auto& note : made.notes) narrate(line, note);
  narrate(line, fmt::format("{}: {} parameters, {:.4g} FLOP forward a sample", made.model.title,
                            in_thousands(made.model.parameters), made.model.forward_flop_per_sample()));
  emit(line, text);
  return 0;
}

} // namespace ddlsim
