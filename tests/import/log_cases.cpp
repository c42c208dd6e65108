#include "tests/import/log_cases.hpp"

#include "import/importers.hpp"
#include "tests/import/import_support.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace ddlsim::test {
namespace {

Imported import_steps_of(const std::string& log, const Given& given) {
  auto stated = on_iris();
  stated.given = given;
  const ScratchFile file("run.log", log);
  return importer_of("steps").import(LogSource(file.path()), stated);
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

} // namespace

void check_case(const LogCase& one) {
  INFO(one.name);
  Imported imported;
  std::string said = mistakes_of([&] { imported = import_steps_of(one.log, one.given); });
  CHECK((one.step_s == 0) == !said.empty());
  if (said.empty() != (one.step_s == 0)) {
    said += joined(imported.notes);
    if (one.step_s > 0) {
      const auto step = std::get<StepRecord>(read_back(imported).records.front());
      CHECK(step.iteration_s == Approx(one.step_s).epsilon(1e-3));
      CHECK(step.batch_per_gpu == Approx(one.batch_per_gpu).epsilon(1e-3));
      CHECK(step.gpus == one.gpus);
    }
  }
  for (const auto& part : one.statement) CHECK_THAT(said, Catch::Contains(part));
}

std::string cell_of(const std::string& log, const Given& given, const std::string& name) {
  const auto lines = to_json_lines(import_steps_of(log, given).measurements);
  const auto record = nlohmann::json::parse(lines.substr(lines.find('\n')));
  const auto& cell = record.at(name);
  return cell.is_object() ? cell.at("name").get<std::string>() : cell.get<std::string>();
}

std::string numbered(int count, const std::string& line, int first) {
  std::string text;
  for (int i = first; i < first + count; ++i)
    for (const char letter : line) text += letter == '@' ? std::to_string(i) : std::string(1, letter);
  return text;
}

} // namespace ddlsim::test
