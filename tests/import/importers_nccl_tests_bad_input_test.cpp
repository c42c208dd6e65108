#include "import/importers.hpp"
#include "tests/import/import_support.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

namespace {

using ddlsim::ImportContext;
using ddlsim::test::LogStyle;
using ddlsim::test::make_log;
using ddlsim::test::mistakes_of;
using ddlsim::test::on_iris;
using ddlsim::test::ScratchFile;

std::string mistakes_in_log(const std::string& text, const ImportContext& stated = on_iris()) {
  const ScratchFile file("run.log", text);
  return mistakes_of([&] { ddlsim::import_nccl_tests(ddlsim::LogSource(file.path()), stated); });
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

} // namespace

TEST_CASE("a spread that no record may state is refused while it is imported") {
  const std::string half = " 100.0 10.00 17.50 N/A 20000";
  const std::string text =
      make_log({}).substr(0, make_log({}).find("#       size")) +
      "# size count type redop root time algbw busbw #wrong i_cv% time algbw busbw #wrong i_cv%\n" +
      "1000000 250000 float sum -1" + half + half + "\n# Out of bounds values : 0 OK\n";
  CHECK_THAT(mistakes_in_log(text), Catch::Contains("\"20000\" in column i_cv%, expected at most 10000"));
  const ScratchFile json("run.json", R"({"version":3,"args":["all_reduce_perf"],"nccl_version":22803,)"
                                     R"("config":{"nthreads":1,"ngpus":1,"devices":[{"rank":0,"hostname":"a"}]},)"
                                     R"("results":[{"size":1000000,"count":250000,"type":"float","redop":"sum",)"
                                     R"("root":"-1","out_of_place":{"time":100.0,"alg_bw":10.0,"bus_bw":17.5},)"
                                     R"("out_of_place_per_iter":{"cv_pct":20000}}]})");
  CHECK_THAT(mistakes_of([&] { ddlsim::import_nccl_tests(ddlsim::LogSource(json.path()), on_iris()); }),
             Catch::Contains("/results/0/out_of_place_per_iter/cv_pct: 20000"));
}

TEST_CASE("rows that contradict themselves are all named with their lines") {
  // 1048576 B in 124.9 us are 8.40 GB/s, times 1.75
  auto text = replaced(make_log({}), "14.70", "15.70");
  CHECK_THAT(mistakes_in_log(text),
             Catch::Contains("run.log:18: out-of-place: busbw 15.7 GB/s contradicts algbw x 2 x (8-1)/8 = 14.7"));
  text = replaced(text, "9.54", "8.54"); // 4194304 B in 439.4 us
  CHECK_THAT(mistakes_in_log(text),
             Catch::Contains("run.log:19: out-of-place: algbw 8.54 GB/s contradicts size / time"));
  CHECK_THAT(mistakes_in_log(text), Catch::Contains("run.log:18"));
}

TEST_CASE("a number of ranks that the bandwidths contradict is a mistake") {
  auto stated = on_iris();
  stated.given = {{"ranks", "4"}};
  CHECK_THAT(mistakes_in_log(make_log({}), stated), Catch::Contains("as all_reduce on 4 ranks has it"));
  CHECK_THAT(mistakes_in_log(make_log({}), stated), Catch::Contains("or correct ranks"));
}

TEST_CASE("a row that is not whole is named, left out, and not guessed") {
  const ScratchFile file("run.log", replaced(make_log({}), "4194304       1048576     float",
                                             "4194304       1048576 node-0:71:71 [0] NCCL INFO comm"));
  const auto imported = ddlsim::import_nccl_tests(ddlsim::LogSource(file.path()), on_iris());
  CHECK(imported.measurements.records.size() == 4);
  REQUIRE(imported.notes.size() == 1);
  CHECK_THAT(imported.notes[0], Catch::Contains("other output ran into them") && Catch::Contains("line 19"));
  CHECK_THAT(mistakes_in_log(replaced(make_log({}), "124.9", "12x.9")), Catch::Contains("\"12x.9\" in column time"));
}

TEST_CASE("device lists that cannot be one run") {
  CHECK_THAT(mistakes_in_log(replaced(make_log({}), "Rank  1", "Rank  0")),
             Catch::Contains("rank 0 twice") && Catch::Contains("MPI=1"));
  CHECK_THAT(mistakes_in_log(replaced(make_log({}), "#  Rank  3", "#  lost  3")), Catch::Contains("without rank 3"));
  auto text = make_log({});
  text.erase(0, text.find("#       size"));
  CHECK_THAT(mistakes_in_log(text), Catch::Contains("found no device list") && Catch::Contains("--set ranks=N"));
}

TEST_CASE("an operation that neither the log nor the command line names") {
  LogStyle style;
  style.names_program = false;
  style.redop = "none";
  style.bus_factor = 0.875;
  CHECK_THAT(mistakes_in_log(make_log(style)),
             Catch::Contains("columns that fit all_gather and all_to_all") && Catch::Contains("--set operation=NAME"));
  auto stated = on_iris();
  stated.given = {{"operation", "all_gather"}};
  CHECK(mistakes_in_log(make_log(style), stated).empty());
  style.bus_factor = 0.5;
  CHECK_THAT(mistakes_in_log(make_log(style)), Catch::Contains("fit no operation on 8 ranks"));
}

TEST_CASE("CPU times are refused") {
  auto text = make_log({});
  for (int i = 0; i < 2; ++i) text = replaced(text, "    time   algbw", " cputime   algbw");
  CHECK_THAT(mistakes_in_log(text), Catch::Contains("found a column cputime (option -C)"));
}

TEST_CASE("all mistakes of the command line are reported at once") {
  ImportContext stated;
  stated.date = "May 2018";
  stated.given = {{"ranks", "many"}, {"transport", "pigeon"}, {"operation", "allreduce"}, {"precision", "fp32"}};
  const auto mistakes = mistakes_in_log(make_log({}), stated);
  for (const char* part : {"--cluster NAME", "found 'May 2018'", "found 'many'", "found 'pigeon'", "found 'allreduce'",
                           "precision: found an unknown name"})
    CHECK_THAT(mistakes, Catch::Contains(part));
}

TEST_CASE("a GPU that the catalogue lacks is reported and kept, and one that it has under another name is found") {
  auto stated = on_iris();
  stated.catalogue.resize(1);
  stated.catalogue[0].name = "P100-SXM2-16GB";
  const ScratchFile file("run.log", make_log({}));
  const auto import = [&] { return ddlsim::import_nccl_tests(ddlsim::LogSource(file.path()), stated); };
  CHECK(import().measurements.context.gpu == "V100-SXM2-16GB");
  REQUIRE(notes_on_gpu(stated, import()).size() == 1);
  CHECK_THAT(notes_on_gpu(stated, import())[0], Catch::Contains("no GPU \"V100-SXM2-16GB\"") &&
                                                    Catch::Contains("`--gpu NAME` says another") &&
                                                    Catch::Contains("did you mean P100-SXM2-16GB?"));
  stated.gpu = "of-my-own";
  CHECK(import().measurements.context.gpu == "of-my-own");
  stated.gpu.clear();
  stated.catalogue[0].name = "V100-16";
  stated.catalogue[0].aliases = {"v100-sxm2-16gb"};
  CHECK(import().measurements.context.gpu == "V100-16");
  CHECK(import().notes.empty());
  CHECK(notes_on_gpu(stated, import()).empty());
}

TEST_CASE("what a log says of itself must be what its rows say") {
  CHECK_THAT(mistakes_in_log(replaced(make_log({}), "bandwidth    : ", "bandwidth    : 1")),
             Catch::Contains("the closing line states an average bus bandwidth of 1"));
  CHECK_THAT(mistakes_in_log("node-0:71:90 [0] NCCL INFO comm 0x5 rank 0 nranks 16 cudaDev 0 - Init COMPLETE\n" +
                             make_log({})),
             Catch::Contains("the device list has 8 ranks, but NCCL's debug text says nranks 16"));
}

TEST_CASE("files that are no log of nccl-tests") {
  CHECK_THAT(mistakes_in_log("hello\n"), Catch::Contains("found no row of a nccl-tests table"));
  CHECK_THAT(mistakes_in_log(""), Catch::Contains("empty"));
  CHECK_THAT(mistakes_in_log("{\"version\":3,\"results\":["), Catch::Contains("run.log"));
  CHECK_THAT(mistakes_in_log("{\"version\":3,\"results\":[]}"), Catch::Contains("found no config"));
  CHECK_THAT(mistakes_in_log(make_log({}).substr(0, make_log({}).find("     1048576"))),
             Catch::Contains("a table without rows was left out"));
  CHECK_THAT(mistakes_of([] { ddlsim::import_nccl_tests(ddlsim::LogSource("no/such/file.log"), on_iris()); }),
             Catch::Contains("file.log"));
}

TEST_CASE("many mistakes are cut at fifty") {
  LogStyle style;
  style.bus_factor = 1.6;
  style.sizes.assign(80, 4194304);
  const auto mistakes = mistakes_in_log(make_log(style));
  CHECK(std::count(mistakes.begin(), mistakes.end(), '\n') == 51);
  CHECK_THAT(mistakes, Catch::Contains("and 110 more mistakes"));
}
