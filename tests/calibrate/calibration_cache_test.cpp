#include "calibrate/cache/calibration_cache.hpp"
#include "calibrate/cache/fit_inputs.hpp"
#include "sim/base/json.hpp"
#include "sim/base/text_file.hpp"
#include "tests/base/temporary_folder.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <iterator>
#include <mutex>
#include <thread>

namespace ddlsim {
namespace {

namespace fs = std::filesystem;

const fs::path shipped_files = DDLSIM_SOURCE_DIR;
const std::string measured = "aws-2x1"; ///< tables of all-reduces alone: a fit of a tenth of a second
const std::string bare = "local";       ///< without records

/// The shipped catalogue, priors and presets, one layer table, and two clusters; a cache that is empty.
struct KeptFits {
  ddlsim_test::TemporaryFolder folder;
  DataFolder data{folder.path()};
  CalibrationCache cache;
  std::vector<std::string> lines;
  std::mutex mutex;

  KeptFits() {
    for (const std::string name :
         {"platforms/gpus.json", "platforms/priors.json", "scenarios/presets.json", "scenarios/models/lenet5.json",
          "platforms/local/cluster.json", "platforms/aws-2x1/cluster.json"})
      copy(name);
    for (const auto& file : measurement_files(shipped_files / "platforms", measured))
      copy("platforms/" + measured + "/measurements/" + file.filename().string());
    cache.kept = folder.path() / "kept" / "deep";
    cache.narrate = [this](const std::string& line) {
      const std::lock_guard hold(mutex);
      lines.push_back(line);
    };
  }

  void copy(const std::string& name) const { folder.write(name, read_text_file(shipped_files / name)); }
  /// Of a new process, which remembers nothing.
  std::optional<Calibration> ask(const std::string& cluster = measured) const {
    return fitted_calibrations(cache)(data, cluster);
  }
  std::string text() const { return calibration_json(ask().value()); }
  fs::path kept() const { return cache.kept / cached_name(measured, fit_inputs(data, measured)); }
  fs::path first_records() const { return measurement_files(data.platforms(), measured).front(); }
  std::size_t count_kept() const {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(cache.kept)) count += entry.path().extension() == ".json" ? 1U : 0U;
    return count;
  }
};

} // namespace

TEST_CASE("a cluster is fitted once, and kept under a name of what was read", "[cache]") {
  KeptFits at;
  const auto first = at.text();
  REQUIRE(at.lines.size() == 1);
  CHECK_THAT(at.lines[0], Catch::StartsWith("fitting aws-2x1 to its ") && Catch::Contains(" records, kept in ") &&
                              Catch::EndsWith("kept/deep"));
  CHECK(read_text_file(at.kept()) == first);
  CHECK(at.text() == first);
  CHECK(at.lines.size() == 1);
  fs::remove_all(at.cache.kept);
  CHECK(at.text() == first);
  CHECK(first == calibration_json(as_written(fit_from_files(at.data, measured, 1).calibration)));
}

TEST_CASE("what a fit read is another with any of its files", "[cache]") {
  KeptFits at;
  std::vector<std::string> seen{fit_inputs(at.data, measured)};
  const auto changes = [&](const std::string& name, const std::string& content) {
    at.folder.write(name, content);
    const auto now = fit_inputs(at.data, measured);
    INFO(name);
    CHECK_FALSE(is_in(seen, now));
    seen.push_back(now);
  };
  for (const std::string name :
       {"platforms/gpus.json", "platforms/priors.json", "scenarios/presets.json", "scenarios/models/lenet5.json",
        "platforms/local/cluster.json", "platforms/aws-2x1/cluster.json"})
    changes(name, read_text_file(at.folder.path() / name) + "\n");
  changes(fs::relative(at.first_records(), at.folder.path()), read_text_file(at.first_records()) + "\n");
  changes("platforms/local/measurements/new.jsonl", "");
  fs::rename(at.first_records(), at.first_records().parent_path() / "renamed.jsonl");
  CHECK_FALSE(is_in(seen, fit_inputs(at.data, measured)));
  const auto before = fit_inputs(at.data, measured);
  at.data.own_models["mine"] = at.folder.write("mine.json", "{}"); // which no fit reads
  at.folder.write("scenarios/question.json", "{}");
  CHECK(fit_inputs(at.data, measured) == before);
  CHECK(model_version().size() == before.size());
}

TEST_CASE("a kept file that is not whole or not of this is fitted anew, with one line", "[cache]") {
  KeptFits at;
  const auto whole = at.text();
  const auto file = at.kept();
  auto other = as_written(at.ask().value());
  at.lines.clear();
  std::string spoilt;
  SECTION("cut off") {
    spoilt = whole.substr(0, whole.size() / 2);
  }
  SECTION("empty") {
    spoilt = "";
  }
  SECTION("of another cluster") {
    other.cluster = bare;
    spoilt = calibration_json(other);
  }
  SECTION("of other files") {
    other.inputs = "0123456789abcdef";
    spoilt = calibration_json(other);
  }
  SECTION("of another version") {
    spoilt = R"({"format": "ddlsim-calibration", "version": 1, "cluster": "aws-2x1"})";
  }
  write_file(file, spoilt);
  CHECK(at.text() == whole);
  REQUIRE(at.lines.size() == 1);
  CHECK_THAT(at.lines[0], Catch::StartsWith("fitting aws-2x1") && Catch::Contains("; " + file.string()));
  CHECK(read_text_file(file) == whole);
}

TEST_CASE("a folder that cannot be written costs time alone", "[cache]") {
  KeptFits at;
  const auto whole = at.text();
  at.lines.clear();
  at.cache.kept = at.folder.write("a-file", "") / "kept"; // also true of root
  const auto source = fitted_calibrations(at.cache);
  for (int time = 0; time < 2; ++time) CHECK(calibration_json(source(at.data, measured).value()) == whole);
  REQUIRE(at.lines.size() == 1); // the function remembers
  CHECK_THAT(at.lines[0], Catch::Contains("not kept") && Catch::EndsWith("a-file/kept cannot be written"));
  at.cache.kept.clear();
  CHECK(at.text() == whole);
}

TEST_CASE("without records nothing is fitted, written or said", "[cache]") {
  KeptFits at;
  CHECK_FALSE(at.ask(bare));
  CHECK_FALSE(at.ask("no-such-cluster"));
  CHECK(at.lines.empty());
  CHECK_FALSE(fs::exists(at.cache.kept));
  CHECK_FALSE(load_calibration(at.data, measured)); // a folder without a source
}

TEST_CASE("records that teach nothing are read once", "[cache]") {
  KeptFits at;
  const auto lines = read_text_file(at.first_records());
  for (const auto& file : measurement_files(at.data.platforms(), measured)) fs::remove(file);
  const auto context = lines.substr(0, lines.find('\n') + 1);
  at.folder.write("platforms/aws-2x1/measurements/none.jsonl", context);
  CHECK_FALSE(at.ask());
  CHECK(at.lines.empty()); // no record
  at.folder.write("platforms/aws-2x1/measurements/none.jsonl",
                  context + R"({"record": "step", "series": "s", "transport": "nccl-tcp", "model": "of_nobody", )"
                            R"("precision": "fp32", "batch_per_gpu": 8, "preset": "horovod", "strategy": {"name": )"
                            R"("ring"}, "gpus": 2, "nodes": 2, "synchronised": true, "data": "synthetic", )"
                            R"("unit": "samples/s", "value": 100})"
                            "\n");
  for (int time = 0; time < 2; ++time) CHECK_FALSE(at.ask());
  CHECK(at.lines.size() == 1);
}

TEST_CASE("the file that a user had written holds while what it was fitted to is the same", "[cache]") {
  KeptFits at;
  auto of_user = as_written(fit_from_files(at.data, measured, 1).calibration);
  of_user.excluded.push_back({"a mark", "of this file"});
  const auto file = at.folder.write("platforms/aws-2x1/calibration.json", calibration_json(of_user));
  CHECK(at.text() == calibration_json(of_user));
  CHECK(at.lines.empty());
  CHECK_FALSE(fs::exists(at.cache.kept));
  write_file(at.first_records(), read_text_file(at.first_records()) + "\n");
  const auto newer = at.ask().value();
  CHECK(newer.inputs == fit_inputs(at.data, measured));
  REQUIRE(at.lines.size() == 1);
  CHECK_THAT(at.lines[0], Catch::StartsWith("fitting aws-2x1") && Catch::Contains("; " + file.string()) &&
                              Catch::EndsWith("was fitted to other files, or by another model"));
  at.ask(); // now kept
  REQUIRE(at.lines.size() == 2);
  CHECK_THAT(at.lines[1], Catch::StartsWith(file.string()) && Catch::EndsWith("; a newer fit takes its place"));
}

TEST_CASE("a package's calibration comes before the kept ones, and is not written", "[cache]") {
  KeptFits at;
  const auto whole = at.text();
  at.cache.shipped = at.cache.kept;
  at.cache.kept = at.folder.path() / "of-user";
  at.lines.clear();
  CHECK(at.text() == whole);
  CHECK(at.lines.empty());
  CHECK_FALSE(fs::exists(at.cache.kept));
}

TEST_CASE("of a cluster the calibrations used last are kept, and other clusters' stay", "[cache]") {
  KeptFits at;
  const auto longer_name = at.cache.kept / cached_name("aws-2x1-b", "0123456789abcdef");
  fs::create_directories(at.cache.kept);
  write_file(longer_name, "");
  at.ask();
  const auto first = at.kept();
  const auto records = at.first_records();
  for (std::size_t i = 0; i < most_cached + 1; ++i) {
    write_file(records, read_text_file(records) + "\n");
    at.ask();
  }
  CHECK_FALSE(fs::exists(first));
  CHECK(fs::exists(at.kept()));
  CHECK(fs::exists(longer_name));
  CHECK(at.count_kept() == most_cached + 1);
}

TEST_CASE("of two that ask at once one fits, and both have the same", "[cache]") {
  KeptFits at;
  std::string one;
  std::string other;
  std::thread beside([&] { one = at.text(); });
  other = at.text();
  beside.join();
  CHECK(one == other);
  CHECK(at.lines.size() == 1);
}

TEST_CASE("where fits are kept", "[cache]") {
  const auto kept = [](const char* stated, const char* cache, const char* home, const fs::path& checkout) {
    const std::pair<const char*, const char*> all[]{
        {"DDLSIM_CACHE", stated}, {"XDG_CACHE_HOME", cache}, {"HOME", home}};
    std::vector<std::pair<const char*, std::optional<std::string>>> before;
    for (const auto& [name, value] : all) {
      const char* was = std::getenv(name);
      before.emplace_back(name, was == nullptr ? std::nullopt : std::optional<std::string>(was));
      ::setenv(name, value, 1);
    }
    const auto place = cache_folder(checkout);
    for (const auto& [name, value] : before) value ? ::setenv(name, value->c_str(), 1) : ::unsetenv(name);
    return place;
  };
  CHECK(kept("/stated", "/cache", "/home/a", "/checkout") == "/stated");
  CHECK(kept("", "/cache", "/home/a", "/checkout") == "/checkout/build/calibrations");
  CHECK(kept("", "/cache", "/home/a", "") == "/cache/ddlsim");
  CHECK(kept("", "", "/home/a", "") == "/home/a/.cache/ddlsim");
  CHECK(kept("", "", "", "").empty());
}

} // namespace ddlsim
