// Every reader of a format, units and JSON, as rows of one table, with those of importers.cpp.
#include "sim/base/escape.hpp"
#include "sim/base/json.hpp"
#include "sim/base/text_file.hpp"
#include "sim/compute/kernels/kernel_book.hpp"
#include "sim/formats/calibration.hpp"
#include "sim/formats/check.hpp"
#include "sim/formats/glossary.hpp"
#include "sim/formats/prior_book.hpp"
#include "sim/formats/record.hpp"
#include "sim/formats/scenario.hpp"
#include "tests/fuzz/sample_folder.hpp"
#include "tests/fuzz/target.hpp"
#include "validate/blind/blind_log.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>

namespace ddlsim_fuzz {
namespace {

namespace fs = std::filesystem;
using namespace ddlsim;

// JSON and units.

bool take_json(const std::string& text) {
  nlohmann::json document;
  if (!accepted([&] { document = parse_json(text, "a.json"); })) return false;
  describe(document);
  demand(parse_json(json_text(document), "again") == document, "the document is another when it is read again");
  return true;
}

bool take_quantity(const std::string& text) {
  bool any = false;
  for (const auto dimension :
       {Dimension::time, Dimension::size, Dimension::bandwidth, Dimension::compute_rate, Dimension::work,
        Dimension::rate, Dimension::power, Dimension::price, Dimension::count}) {
    double value = 0;
    if (!accepted([&] { value = parse_quantity(text, dimension); })) continue;
    any = true;
    demand(std::isfinite(value) && value >= 0, "a quantity that is negative or not finite");
    demand(!print_quantity(value, dimension).empty(), "a quantity without words");
  }
  return any;
}

/// `--set POINTER=VALUE` of a scenario.
bool take_change(const std::string& text) {
  const auto equals = std::min(text.find('='), text.size());
  const JsonChange change{text.substr(0, equals), text.substr(std::min(equals + 1, text.size()))};
  return accepted([&] { read_scenario(folder().path() / "scenarios/tiny-iris.json", {change}); });
}

Target json_target() {
  return {
      "json", {R"({"a": [1, 2.5e-3, "x", null, true], "b": {}})", ddlsim_test::sample_cluster().dump(1)}, take_json};
}

Target units_target() {
  return {"units",
          {"12.5 GB/s", "100 Gbps", "1.5 us", "16 GiB", "15.7 TFLOP/s", "300 W", "5 USD/h", "9 samples/s", "$3M",
           "2 weeks", "100 Gbit/s", "300B tokens"},
          take_quantity};
}

Target change_target() {
  return {"set", {"/batch_per_gpu=32", "/strategies/0/name=tree", "/gpus=[1,2]"}, take_change};
}

// ddlsim's own formats, through `check`: NAME is the file's name, after which some formats are called.

Target checked(const std::string& name, const std::string& file, std::vector<std::string> seeds) {
  return {name, std::move(seeds), [file](const std::string& text) {
            std::string summary;
            if (!accepted([&] { summary = check_file(put(file, text), sample_data()); })) return false;
            demand(!summary.empty(), "a file without a summary");
            return true;
          }};
}

/// A parameter, a series and a line over batch.
std::string small_calibration() {
  Calibration small;
  small.cluster = "iris";
  small.version = "0.1.0";
  CalibratedParameter rate;
  rate.name = "nic_efficiency";
  rate.scope.transport = "nccl-ib";
  rate.prior = {"nic_efficiency", "nccl-ib", "", 0.8, 0.15, PriorScale::log, "1", "runs", {}};
  small.parameters = {rate, rate};
  small.correlation = {{}, {-0.5}};
  small.series = {{"iris/runs/a", rate.scope, "ring", 0.05, true, {{4, 1, -0.01, 0.004}, {8, 2, 0.02, 0.015}}}};
  small.excluded = {{"iris/runs/b", "it says \"twice\""}};
  return calibration_json(small);
}

/// What `predict` reads of it.
Target calibration_target() {
  return {"calibration", {small_calibration()}, [](const std::string& text) {
            return accepted([&] { read_calibration(put("calibration.json", text)); });
          }};
}

/// What is learnt of any book that is read has a median and a width.
Target priors_target() {
  return {"learnt-priors", {ddlsim_test::sample_priors().dump(1)}, [](const std::string& text) {
            PriorBook book;
            if (!accepted([&] { book = read_priors(put("priors.json", text)); })) return false;
            for (const auto& prior : priors_for(book, "iris"))
              demand(std::isfinite(prior.width) && prior.width > 0, "a prior without a width");
            for (const auto& prior : priors_for(book))
              demand(std::isfinite(prior.median) && prior.median >= 0, "a prior without a median");
            return true;
          }};
}

/// What `calibrate --kernels` makes of any file that is read is a file of rates.
Target kernel_fit_target() {
  return {
      "kernel-fit", {ddlsim_test::sample_kernels().dump(1)}, [](const std::string& text) {
        std::string rates;
        if (!accepted([&] {
              const auto file = put("kernels.json", text);
              const auto fit = fit_kernel_book({{"kernels.json", read_gpu_kernels(file)}}, load_gpus(sample_data()));
              demand(!kernel_book_text(fit).empty(), "rates without a text");
              rates = kernel_rates_json(fit.book);
            }))
          return false;
        read_kernel_rates(put("kernel-rates.json", rates)); // an error here ends the test
        return true;
      }};
}

std::vector<Target> own_formats() {
  using namespace ddlsim_test;
  return {
      checked("scenario", "question.json",
              {sample_scenario().dump(1), sample_two_stacks().dump(1), sample_best_servers().dump(1),
               sample_best_layout().dump(1), sample_hybrid_shards().dump(1), sample_named_input().dump(1),
               sample_fine_tuning().dump(1)}),
      checked("plan-request", "plan.json", {sample_plan_request().dump(1)}),
      checked("cluster", "iris/cluster.json", {sample_cluster().dump(1)}),
      checked("model", "tiny.json", {sample_model().dump(1), sample_repeated_model().dump(1)}),
      checked("gpus", "gpus.json", {sample_gpus().dump(1)}),
      checked("presets", "presets.json", {sample_presets().dump(1)}),
      checked("priors", "priors.json", {sample_priors().dump(1)}),
      checked("kernels", "kernels.json", {sample_kernels().dump(1)}),
      checked("kernel-rates", "kernel-rates.json", {sample_kernel_rates().dump(1)}),
      kernel_fit_target(),
      priors_target(),
      checked("inputs", "inputs.json", {sample_inputs().dump(1)}),
      checked("convergence", "tiny-set.json", {sample_convergence().dump(1)}),
      checked("records", "all.jsonl",
              {sample_measurements(), sample_context().dump() + "\n" + sample_server_in_training().dump() + "\n",
               sample_measurements() + sample_measurements(), // a context for each half
               sample_context().dump() + "\n" + R"({"record": "common", "next": 2, "fields": {"note": "of both"}})" +
                   "\n" + sample_record("layer").dump() + "\n" + sample_record("layer").dump() + "\n"}),
      calibration_target()};
}

/// Each line with the checksum that belongs to it, so that what is spoilt before it is read.
std::string with_right_checksums(const std::string& text) {
  constexpr std::string_view key = ",\"chain\":\"";
  std::string chain, right;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto body = line.substr(0, line.rfind(key));
    Fnv1a sum;
    sum.take(chain + body);
    chain = sum.text();
    right += body + std::string(key) + chain + "\"}\n";
  }
  return right;
}

/// What is read fits into a table that no name breaks out of.
bool take_blind_log(const std::string& text) {
  std::vector<BlindEntry> log;
  const auto read = [&](const std::string& lines) { log = read_blind_log(put("blind.jsonl", lines)); };
  if (!accepted([&] { read(text); }) && !accepted([&] { read(with_right_checksums(text)); })) return false;
  const auto table = blind_table(log);
  demand(static_cast<std::size_t>(std::count(table.begin(), table.end(), '\n')) <= log.size() + 2, "a row too many");
  demand(table == for_terminal(table), "a control character in the table");
  return true;
}

Target blind_log_target() {
  BlindScore score{"training steps", BlindKnowledge::one_gpu, 8, 1, 0.2, 0.15, -0.1, 0.75, 0.3, {{"linear", 0.4}}, "a"};
  const auto file = folder().path() / "read/seed-blind.jsonl";
  fs::create_directories(file.parent_path());
  append_to_blind_log(file, {{"2026-11-29", "abc", "a | table\x1b[31m <b>of</b>\nruns", "r.jsonl", "r1", false, score},
                             {"2026-11-29", "abc", "runs", "r.jsonl", "r2", true, score}});
  return {"blind-log", {read_text_file(file)}, take_blind_log};
}

/// Each entry that is read is found by each of its spellings, and has a text.
bool take_glossary(const std::string& text) {
  std::vector<GlossaryEntry> entries;
  if (!accepted([&] { entries = read_glossary(put("glossary.md", text)); })) return false;
  for (const auto& entry : entries) {
    demand(!entry.text.empty(), "an entry without a text");
    for (const auto& spelling : spellings_of(entry))
      demand(find_entry(entries, spelling) == &entry, "a spelling of another entry");
  }
  return true;
}

Target glossary_target() {
  return {"glossary",
          {"# Words\n\n**batch** (also: samples a GPU, ?): Samples of\none iteration.\n\n**1F1B**: In turns.\n"},
          take_glossary};
}

std::vector<Target> all_readers() {
  std::vector<Target> rows{json_target(), units_target(), change_target()};
  for (auto& row : own_formats()) rows.push_back(std::move(row));
  for (auto& row : importer_targets()) rows.push_back(std::move(row));
  for (auto& row : own_reader_targets()) rows.push_back(std::move(row));
  rows.push_back(blind_log_target());
  rows.push_back(glossary_target());
  return rows;
}

} // namespace

const std::vector<Target>& reader_targets() {
  static const auto rows = all_readers();
  return rows;
}

} // namespace ddlsim_fuzz
