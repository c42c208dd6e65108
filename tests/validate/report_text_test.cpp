#include "tests/validate/result.hpp"
#include "validate/report.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace ddlsim::test;

namespace ddlsim {
namespace {

/// Answers nothing.
class Unmeasured final : public Method {
public:
  explicit Unmeasured(std::string name) : name_(std::move(name)) {}
  std::string name() const override { return name_; }
  void prepare(const Evidence&) override {}
  std::optional<Forecast> forecast(const Question&) const override { return {}; }

private:
  std::string name_;
};

/// Says half a second, and of no interval.
class Point final : public Method {
public:
  std::string name() const override { return "point"; }
  void prepare(const Evidence&) override {}
  std::optional<Forecast> forecast(const Question&) const override { return Forecast{0.5, 0, 0}; }
};

ValidationResult of_one_cluster(std::unique_ptr<Method> reference) {
  std::vector<std::unique_ptr<Method>> methods;
  methods.push_back(std::move(reference));
  methods.push_back(std::make_unique<Point>());
  methods.push_back(std::make_unique<Unmeasured>("mute"));
  return validate_measurements({curve_file("a", "f", {1.01, 1.02, 1.03, 1.04, 1.05, 1.06})}, methods, {});
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// With one space wherever there are several: columns may change their widths.
std::string squeezed(const std::string& text) {
  std::string kept;
  for (const char letter : text)
    if (letter != ' ' || kept.empty() || kept.back() != ' ') kept += letter;
  return kept;
}

} // namespace

TEST_CASE("methods without an answer are named as such, not as saying the same") {
  const auto text = validation_text(of_one_cluster(std::make_unique<Unmeasured>("ddlsim")));
  CHECK(has(text, "no answer to any point: ddlsim, mute\n"));
  CHECK_FALSE(has(text, "says the same"));
  CHECK(has(squeezed(text), "mean error, % points ddlsim point\n")); // the reference keeps its column
}

TEST_CASE("where no interval is known no figure of intervals is printed, nor classes without a point") {
  const auto text = validation_text(of_one_cluster(std::make_unique<Unmeasured>("ddlsim")));
  CHECK(has(squeezed(text), "covered by 90 %, % - -\n"));
  CHECK(has(squeezed(text), "half-width, % - -\n"));
  CHECK(has(text, "  class C "));
  CHECK_FALSE(has(text, "  class A "));
}

TEST_CASE("a table has the range of error and coverage over sites, or says that there are too few") {
  CHECK(has(validation_text(small_result(1.5)),
            "no range of error and coverage: 2 sites say nothing of others, 4 would\n"));
  std::vector<MeasurementFile> files;
  for (const char* cluster : {"a", "b", "c", "d"}) files.push_back(curve_file(cluster, "f", {1, 1, 1, 1.1, 1.2, 1.3}));
  std::vector<std::unique_ptr<Method>> methods;
  methods.push_back(std::make_unique<FixedAnswer>(1.1));
  const auto result = validate_measurements(files, methods, {});
  const auto text = squeezed(validation_text(result));
  CHECK(has(text, "mean of sites 8 4.4\n 90 % of resampled sites 4.4 to 4.4\n")); // ln(1.2 / 1.1) / 2
  CHECK(has(text, "covered by 90 %, % 100.0\n 90 % of resampled sites 100 to 100\n"));
  CHECK_FALSE(has(text, "no range"));
}

TEST_CASE("a difference on one cluster has no range: every resample of it is the same") {
  const auto one = validation_text(of_one_cluster(std::make_unique<FixedAnswer>(1.5)));
  CHECK(has(one, "ddlsim against point: "));
  CHECK(has(one, " points on 1 cluster\n"));
  CHECK_FALSE(has(one, " points ["));
}

} // namespace ddlsim
