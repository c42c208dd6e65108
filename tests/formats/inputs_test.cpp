#include "sim/base/error.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/formats/inputs.hpp"
#include "tests/formats/sample_files.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace ddlsim;

namespace {

InputCatalogue sample_catalogue() {
  const ddlsim_test::TemporaryFolder folder;
  return read_inputs(folder.write("a.json", ddlsim_test::sample_inputs().dump()));
}

Scenario scenario_of_names(const InputNames& names) {
  Scenario scenario;
  scenario.name = "s";
  scenario.input_names = names;
  return scenario;
}

} // namespace

TEST_CASE("named input is read") {
  const auto inputs = sample_catalogue();
  REQUIRE(inputs.storages.size() == 2);
  CHECK(inputs.datasets[0].bytes_per_sample == 100e3);
  CHECK(inputs.storages[0].read_Bps == RoughValue{2e9, 1e9, 4e9});
  CHECK(inputs.storages[1].shared_opens_per_s == 5000);
  CHECK(inputs.storages[1].judgement == "all of it");
  CHECK(inputs.formats[0].one_file_a_sample);
  CHECK(inputs.formats[1].core_share == RoughValue{0.5, 0.25, 1});
  CHECK(inputs.loaders[1].gpu_samples_per_s.median == 1000);
}

TEST_CASE("a rough value has its ends where it says, and its median between") {
  const RoughValue value{100, 20, 150};
  constexpr double upper_95 = 1.6448536269514722;
  CHECK(factor_at(value, 0) == 1);
  CHECK(factor_at(value, -upper_95) == Approx(0.2));
  CHECK(factor_at(value, upper_95) == Approx(1.5));
  CHECK(factor_at(value, -2 * upper_95) == Approx(0.04));
  CHECK(factor_at({}, 3) == 1);
}

TEST_CASE("names become rates: what a format and a data set cost is in them") {
  const auto known = sample_catalogue();
  const auto files = resolve_input(scenario_of_names({"pictures", "disk", "files", "by-core", 8, 0}), known);
  CHECK(files.pipeline.bytes_per_sample == 100e3);
  CHECK(files.pipeline.read_Bps == 1e9);          // half of its rate, in small pieces
  CHECK(files.pipeline.core_samples_per_s == 50); // twice the work of the usual picture
  CHECK(files.pipeline.open_s == 1e-3);
  CHECK(files.pipeline.readers == 8);
  CHECK(files.pipeline.shared_read_Bps == 0);
  CHECK(files.uncertainty.read == known.storages[0].read_Bps);
  const auto packed = resolve_input(scenario_of_names({"pictures", "nfs", "packed", "by-core", 8, 0}), known);
  CHECK(packed.pipeline.bytes_per_sample == 50e3);
  CHECK(packed.pipeline.core_samples_per_s == 25);
  CHECK(packed.pipeline.open_s == 0); // read in sequence
  CHECK(packed.pipeline.shared_read_Bps == 1e9);
  CHECK(packed.uncertainty.core_share == known.formats[1].core_share);
}

TEST_CASE(
    "workers read and decode one after another where it is said how many, by loader and format, not from memory") {
  auto known = sample_catalogue();
  const auto workers = [&known](const InputNames& names) {
    return resolve_input(scenario_of_names(names), known).pipeline.serial_workers;
  };
  CHECK(workers({"pictures", "disk", "files", "by-core", 8, 3}) == 3);
  CHECK(workers({"pictures", "disk", "files", "by-core", 8, 0}) == 0);  // nobody says how many
  CHECK(workers({"pictures", "disk", "packed", "by-core", 8, 3}) == 0); // read ahead by another stage
  CHECK(workers({"pictures", "disk", "", "by-core", 8, 3}) == 0);       // as packed
  CHECK(workers({"pictures", "disk", "files", "by-gpu", 0, 3}) == 0);
  CHECK(workers({"pictures", "disk", "files", "", 0, 3}) == 0);
  known.loaders[0].workers_read.sequence = true;
  CHECK(workers({"pictures", "disk", "packed", "by-core", 8, 3}) == 3);
  known.storages[0].in_memory = true;
  CHECK(workers({"pictures", "disk", "files", "by-core", 8, 3}) == 0);
}

TEST_CASE("what is typed beats what a name says, and is not in doubt") {
  const auto known = sample_catalogue();
  auto scenario = scenario_of_names({"pictures", "nfs", "files", "by-core", 8, 2});
  scenario.input.bytes_per_sample = 7;
  scenario.input.shared_read_Bps = 5e9;
  scenario.input.read_Bps = 3e9;
  const auto input = resolve_input(scenario, known);
  CHECK(input.pipeline.bytes_per_sample == 7);
  CHECK(input.pipeline.shared_read_Bps == 5e9);
  CHECK(input.pipeline.read_Bps == 3e9);
  CHECK(input.pipeline.readers == 2);
  CHECK(input.uncertainty.read == RoughValue{});
  CHECK(input.uncertainty.shared_read == RoughValue{});
  CHECK(input.uncertainty.open == known.storages[1].open_s);
}

TEST_CASE("names that nobody knows are refused together") {
  const auto scenario = scenario_of_names({"picture", "nsf", "fils", "by-cpu", 8, 0});
  try {
    resolve_input(scenario, sample_catalogue());
    FAIL("taken");
  } catch (const UserError& error) {
    REQUIRE(error.mistakes().size() == 4);
    CHECK(error.mistakes()[0].path == "/input/dataset");
    CHECK_THAT(error.mistakes()[1].what, Catch::Contains("did you mean nfs?"));
  }
}

TEST_CASE("mistakes in named input") {
  const auto read = [](const std::filesystem::path& file) { read_inputs(file); };
  ddlsim_test::check_spoilt(
      ddlsim_test::sample_inputs(),
      {
          {"/storages/0/read/low", "\"3 GB/s\"",
           "/storages/0/read: the median does not lie between low and high; give low, median and high in ascending "
           "order"},
          {"/storages/0/read", "",
           "/storages/0: no rate found; give read (of one node), shared_read (of all together) or both"},
          {"/storages/1/open", "", "/storages/1/open: missing; give the time to open a file beside shared_opens_per_s"},
          {"/storages/1/name", "\"disk\"", "/storages/1/name: \"disk\" is taken by an entry above; give another name"},
          {"/storages/0/small_read_share", "2", "/storages/0/small_read_share: 2 found; give a share, 1 or less"},
          {"/formats/0/reads", "\"in-order\"",
           "/formats/0/reads: \"in-order\" found; give one of file-a-sample, in-sequence"},
          {"/loaders/0/core_samples_per_s", "",
           "/loaders/0: no rate found; give core_samples_per_s, gpu_samples_per_s or both"},
          {"/loaders/0/workers_read/0", "\"files\"",
           "/loaders/0/workers_read/0: \"files\" found; give one of file-a-sample, in-sequence"},
          {"/loaders/0/core_samples_per_s/high", "",
           "/loaders/0/core_samples_per_s/high: missing; give a number above 0"},
          {"/datasets/0/source", "", "/datasets/0/source: missing; give a text, or the list of its lines"},
      },
      read);
}

TEST_CASE("the shipped names are read") {
  const auto inputs = load_inputs({DDLSIM_SOURCE_DIR});
  CHECK(inputs.storages.size() >= 6);
  CHECK(std::count_if(inputs.storages.begin(), inputs.storages.end(),
                      [](const NamedStorage& storage) { return storage.in_memory; }) == 1);
  CHECK(unknown_inputs({"imagenet", "nfs", "tfrecord", "pytorch-dataloader", 0, 0}, inputs).empty());
}
