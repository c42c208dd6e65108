// `check`, then `predict` or `plan` on whatever `check` accepts: no crash, no NaN, bounds in order, every report
// written.
#include "plan/plan.hpp"
#include "plan/report.hpp"
#include "sim/base/json.hpp"
#include "sim/compute/other_clusters.hpp"
#include "sim/formats/check.hpp"
#include "sim/formats/own_files.hpp"
#include "sim/predict/predict.hpp"
#include "sim/predict/report.hpp"
#include "tests/formats/sample_files.hpp"
#include "tests/fuzz/target.hpp"
#include "viewer/answers/pictures.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

namespace ddlsim_fuzz {
namespace {

namespace fs = std::filesystem;
using namespace ddlsim;
using ddlsim_test::TemporaryFolder;

// A question is cut to so much, so that one takes milliseconds; sizes by themselves are what tests/reliability tries.
constexpr int most_samples = 20;
constexpr std::size_t most_scales = 3;
constexpr std::size_t most_strategies = 2;
constexpr int most_nodes = 8;

/// The small model and cluster of the tests beside the shipped priors, presets, GPUs and inputs; nothing measured.
struct QuestionFolder {
  TemporaryFolder folder;
  DataFolder data{folder.path()};
  MeasuredTimes measured;

  QuestionFolder() {
    write_sample_data(folder);
    fs::remove_all(folder.path() / "platforms/iris/measurements");
    for (const char* file :
         {"platforms/gpus.json", "platforms/priors.json", "scenarios/presets.json", "scenarios/inputs.json"})
      folder.write(file, read_text_file(fs::path(DDLSIM_SOURCE_DIR) / file));
    measured = read_measured_times(data);
  }
};

void demand_number(double value, const std::string& what) {
  demand(std::isfinite(value) && value >= 0, fmt::format("{} is {}", what, value));
}

void demand_order(double low, double value, double high, const std::string& what) {
  demand_number(low, what);
  demand_number(high, what);
  demand(low <= value && value <= high, fmt::format("{}: {} is not between {} and {}", what, value, low, high));
}

void demand_point(const PredictedPoint& point) {
  if (!point.error.empty()) return;
  demand_order(point.iteration_s_low, point.iteration_s, point.iteration_s_high, "iteration_s");
  demand_order(point.samples_per_s_low, point.samples_per_s, point.samples_per_s_high, "samples_per_s");
  demand_order(point.efficiency_low, point.efficiency, point.efficiency_high, "efficiency");
  for (const double part : {point.parts.compute_s, point.parts.exposed_communication_s, point.parts.synchronisation_s,
                            point.parts.straggling_s, point.parts.neighbours_s, point.parts.input_wait_s,
                            point.memory ? point.memory->parts.total() : 0, point.mean_staleness})
    demand_number(part, "a part of the iteration");
  demand(std::isfinite(point.parts.unexplained_s), "unexplained_s is no number");
}

void demand_prediction(const Prediction& prediction) {
  for (const auto& answer : prediction.strategies) {
    for (const auto& point : answer.points) demand_point(point);
    demand(answer.largest_scale.gpus_low <= answer.largest_scale.gpus &&
               answer.largest_scale.gpus <= answer.largest_scale.gpus_high,
           "the largest efficient scale is outside its interval");
  }
  for (const auto& text : {to_terminal_text(prediction), to_csv_text(prediction), to_markdown_text(prediction),
                           page_html(prediction_picture(prediction))})
    demand(!text.empty(), "an empty report");
  parse_json(to_json_text(prediction), "the answer");
}

bool take_question(const QuestionFolder& at, const fs::path& file) {
  return accepted([&] {
    check_file(file, at.data);
    auto scenario = read_scenario(file);
    scenario.samples = std::min(scenario.samples, most_samples);
    scenario.gpus.resize(std::min(scenario.gpus.size(), most_scales));
    scenario.strategies.resize(std::min(scenario.strategies.size(), most_strategies));
    demand_prediction(predict(scenario, with_own_files(at.data, scenario), {Fidelity::formula, {}, &at.measured}));
  });
}

/// The text stands in place of FILE of the data folder; the question is that of the tests.
Target changed_file(const std::string& name, const std::string& file, std::vector<std::string> seeds) {
  return {name, std::move(seeds), [file, at = std::shared_ptr<QuestionFolder>()](const std::string& text) mutable {
            if (!at) at = std::make_shared<QuestionFolder>();
            const auto changed = at->folder.write(file, text);
            if (!accepted([&] { check_file(changed, at->data); })) return false;
            return take_question(*at, at->data.scenarios() / "tiny-iris.json");
          }};
}

Target scenario_target() {
  using namespace ddlsim_test;
  return {"predict-scenario",
          {sample_scenario().dump(1), sample_best_servers().dump(1), sample_best_layout().dump(1),
           sample_hybrid_shards().dump(1)},
          [](const std::string& text) {
            static const QuestionFolder at;
            return take_question(at, at.folder.write("question.json", text));
          }};
}

void demand_plan(const Plan& plan) {
  for (const auto& option : plan.options) {
    demand_number(option.time_s.value, "time_s");
    demand_number(option.kwh.value, "kwh");
    demand_number(option.goodput, "goodput");
    if (option.usd) demand_number(option.usd->value, "usd");
    if (option.simulated) demand(option.time_s.low <= option.time_s.high, "bounds of time_s out of order");
  }
  for (const auto& text :
       {to_terminal_text(plan), to_csv_text(plan), to_markdown_text(plan), page_html(plan_picture(plan))})
    demand(!text.empty(), "an empty report");
  parse_json(to_json_text(plan), "the plan");
}

bool take_plan(const std::string& text) {
  static const QuestionFolder at;
  const auto file = at.folder.write("plan.json", text);
  return accepted([&] {
    check_file(file, at.data);
    auto request = read_plan_request(file);
    request.samples = std::min(request.samples, most_samples);
    request.limits.nodes = request.limits.nodes == 0 ? most_nodes : std::min(request.limits.nodes, most_nodes);
    request.candidates.resize(std::min(request.candidates.size(), most_strategies));
    for (auto& candidate : request.candidates) {
      candidate.gpus.resize(std::min(candidate.gpus.size(), most_scales));
      candidate.strategies.resize(std::min(candidate.strategies.size(), most_strategies));
    }
    demand_plan(make_plan(request, at.data));
  });
}

} // namespace

const std::vector<Target>& answer_targets() {
  using namespace ddlsim_test;
  static const std::vector<Target> rows{
      scenario_target(),
      changed_file("predict-cluster", "platforms/iris/cluster.json", {sample_cluster().dump(1)}),
      changed_file("predict-model", "scenarios/models/tiny.json", {sample_model().dump(1)}),
      {"plan", {sample_plan_request().dump(1)}, take_plan},
  };
  return rows;
}

} // namespace ddlsim_fuzz
