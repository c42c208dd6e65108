#include "own/new_plan.hpp"

#include "own/node_prices.hpp"
#include "sim/base/error.hpp"
#include "sim/base/json.hpp"
#include "sim/base/units.hpp"
#include "sim/formats/known_spelling.hpp"
#include "sim/formats/own_files.hpp"
#include "sim/formats/readers.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <regex>

namespace ddlsim {
namespace {

using RequestJson = nlohmann::ordered_json;

/// Tokens of an iteration where nobody states a batch: those of Llama 3 8B and 70B in most of their training
/// (arXiv:2407.21783, section 3.4.1).
constexpr double usual_batch_tokens = 4.0 * 1024 * 1024;

/// Samples of a GPU for models without tokens.
constexpr double usual_batch_per_gpu = 64;

const std::regex& machine_form() {
  static const std::regex form(R"(^\s*(\d{1,7})\s*[x*]\s*(\d{1,4})\s*[x*]\s*([^,]*[^,\s])\s*(?:,\s*(.*\S))?\s*$)",
                               std::regex::icase);
  return form;
}

bool starts_machine(const std::string& text) {
  static const std::regex start(R"(^\s*\d+\s*[x*]\s*\d+\s*[x*])", std::regex::icase);
  return std::regex_search(text, start);
}

bool sounds_like_network(const std::string& text) {
  static const std::regex rate(R"(\d\s*g(b|bit|bps)?\b|b/s|bit/s|bps|[qfehnx]dr|infiniband|ethernet|roce|efa)",
                               std::regex::icase);
  return std::regex_search(text, rate);
}

Model model_asked(const PlanWords& words, const DataFolder& data) {
  if (is_path(words.model)) return read_model(path_from(words.model, words.file));
  const auto name = model_meant(words.model, list_models(data));
  return load_model(data, name.empty() ? words.model : name);
}

bool is_language_model(const Model& model) {
  const auto is_attention = [](const Layer& layer) { return layer.kind == "attention"; };
  return model.tokens_per_sample() > 0 && std::any_of(model.layers.begin(), model.layers.end(), is_attention);
}

void check_quantity(const char* option, const std::string& typed, Dimension dimension, Mistakes& mistakes) {
  if (typed.empty()) return;
  try {
    parse_quantity(typed, dimension);
  } catch (const UserError& error) {
    mistakes.add(option, error.mistakes().front().what);
  }
}

void check_quantities(const PlanWords& words, Mistakes& mistakes) {
  check_quantity("--tokens", words.tokens, Dimension::count, mistakes);
  check_quantity("--samples", words.samples, Dimension::count, mistakes);
  check_quantity("--within", words.deadline, Dimension::time, mistakes);
  check_quantity("--budget", words.budget.empty() ? "" : money_of(words.budget), Dimension::price, mistakes);
  check_quantity("--power", words.power, Dimension::power, mistakes);
}

RequestJson length_of(const PlanWords& words) {
  if (!words.tokens.empty()) return {{"tokens", words.tokens}};
  return {{"samples", words.samples}, {"epochs", words.epochs > 0 ? words.epochs : 1}};
}

RequestJson batch_of(const PlanWords& words, const Model& model, std::vector<std::string>& notes) {
  if (words.batch_per_gpu > 0) return {{"batch_per_gpu", words.batch_per_gpu}};
  if (words.global_batch > 0) return {{"global_batch", words.global_batch}};
  const double tokens = model.tokens_per_sample();
  if (tokens <= 0) {
    notes.push_back(fmt::format("no batch stated: {:g} samples a GPU are assumed (--batch)", usual_batch_per_gpu));
    return {{"batch_per_gpu", usual_batch_per_gpu}};
  }
  const double samples = std::max(1.0, std::round(usual_batch_tokens / tokens));
  notes.push_back(fmt::format("no batch stated: {:g} sequences of {:g} tokens on all GPUs are assumed, as Llama 3 had "
                              "(--global-batch)",
                              samples, tokens));
  return {{"global_batch", samples}};
}

RequestJson workload_of(const PlanWords& words, const Model& model, bool is_language, std::vector<std::string>& notes) {
  RequestJson work{{"model", words.model}};
  work.update(length_of(words));
  work.update(batch_of(words, model, notes));
  const std::string usual = is_language ? "bf16" : "fp32";
  if (words.precision.empty()) notes.push_back(fmt::format("no precision stated: {} is assumed (--precision)", usual));
  work["precision"] = words.precision.empty() ? usual : words.precision;
  return work;
}

RequestJson limits_of(const PlanWords& words) {
  RequestJson limits = RequestJson::object();
  if (!words.deadline.empty()) limits["deadline"] = words.deadline;
  if (!words.budget.empty()) limits["budget"] = money_of(words.budget);
  if (!words.power.empty()) limits["power"] = words.power;
  if (words.chance > 0) limits["chance"] = words.chance;
  return limits;
}

RequestJson candidate_of(const PlanWords& words, const std::string& machine, bool is_language) {
  RequestJson candidate{{"name", is_path(machine) ? std::filesystem::path(machine).filename().string() : machine},
                        {"cluster", machine},
                        {"preset", !words.preset.empty() ? words.preset
                                   : is_language         ? "megatron-lm"
                                                         : "pytorch-ddp"}};
  const RequestJson best{{"name", "model-parallel"}, {"layout", "best"}};
  const RequestJson automatic{{"name", "auto"}};
  candidate["strategies"] = RequestJson::array({is_language ? best : automatic});
  if (!words.gpus.empty()) candidate["gpus"] = words.gpus;
  return candidate;
}

} // namespace

bool is_machine_words(const std::string& text) {
  return starts_machine(text);
}

std::vector<std::string> split_machines(const std::vector<std::string>& typed) {
  std::vector<std::string> machines;
  bool takes_network = false; // the part before is words of a machine that still have no network
  for (const auto& text : typed)
    for (std::size_t from = 0; from <= text.size();) {
      const auto comma = std::min(text.find(',', from), text.size());
      const auto part = text.substr(from, comma - from);
      const bool is_network = takes_network && sounds_like_network(part);
      if (is_network)
        machines.back() += "," + part;
      else if (part.find_first_not_of(' ') != std::string::npos)
        machines.push_back(part.substr(part.find_first_not_of(' ')));
      takes_network = !is_network && starts_machine(part);
      from = comma + 1;
    }
  return machines;
}

MachineWords machine_words(const std::string& text) {
  std::smatch found;
  if (!std::regex_match(text, found, machine_form()))
    throw UserError("--on", "",
                    fmt::format("{} found; nodes x GPUs x GPU and a network expected, like \"64 x 8 x H100, 8x400 Gb/s "
                                "IB\"",
                                in_quotes(text)));
  return {std::stoi(found[1]), std::stoi(found[2]), found[3], found[4]};
}

void check_plan_words(const PlanWords& words, Mistakes& mistakes) {
  const auto note = [&](const char* option, const char* what) { mistakes.add(option, what); };
  if (words.machines.empty()) note("--on", "missing; give clusters, like p5,p6-b200 (`ddlsim list clusters`)");
  if (words.tokens.empty() && words.samples.empty())
    note("--tokens", "missing; give the tokens of the training, like 300B, or --samples of an epoch");
  if (!words.tokens.empty() && !words.samples.empty()) note("--samples", "contradicts --tokens; give one of them");
  if (!words.tokens.empty() && words.epochs > 0)
    note("--epochs", "goes with --samples; --tokens are those of all epochs");
  if (words.global_batch > 0 && words.batch_per_gpu > 0)
    note("--batch", "contradicts --global-batch; give one of them");
  check_quantities(words, mistakes);
}

NewPlan new_plan(const PlanWords& words, const DataFolder& data) {
  Mistakes mistakes("");
  check_plan_words(words, mistakes);
  mistakes.throw_if_any();
  const auto model = model_asked(words, data);
  const bool is_language = is_language_model(model);
  NewPlan made;
  RequestJson candidates = RequestJson::array();
  std::vector<std::string> names;
  for (const auto& machine : words.machines) {
    candidates.push_back(candidate_of(words, machine, is_language));
    names.push_back(candidates.back()["name"]);
  }
  for (const auto& price : stated_prices(words.prices, names, mistakes))
    candidates[price.machine]["price"] = price_of_candidate(price);
  mistakes.throw_if_any();
  RequestJson request{{"format", "ddlsim-plan-request"},
                      {"version", 1},
                      {"name", words.file.stem().string()},
                      {"workload", workload_of(words, model, is_language, made.notes)}};
  if (const auto limits = limits_of(words); !limits.empty()) request["limits"] = limits;
  request["failures"] = {{"checkpoint", "1 min"}, {"restart", "10 min"}};
  made.notes.emplace_back("assumed: a checkpoint takes a minute, a restart ten, and a node fails as often as those of "
                          "Llama 3 (a request file can say otherwise: ddlsim new plan)");
  request["candidates"] = candidates;
  made.text = json_text(request, 2) + "\n";
  return made;
}

} // namespace ddlsim
