#include "calibrate/data/collective_data.hpp"
#include "calibrate/fit/collective_fit.hpp"
#include "tests/calibrate/planted_curve.hpp"

#include <catch2/catch.hpp>

using namespace ddlsim;
using namespace ddlsim_test;

namespace {

const PlantedCurve alpha_beta{50e-6, 10e9, 0.6};

CollectiveRecord record(double size_bytes, double time_s) {
  CollectiveRecord one;
  one.head.series = "two-nodes";
  one.head.transport = "nccl-ib";
  one.head.library = "nccl";
  one.operation = "all_reduce";
  one.algorithm = "ring";
  one.ranks = 16;
  one.nodes = 2;
  one.size_bytes = size_bytes;
  one.time_s = time_s;
  return one;
}

/// Exact times of the law at 4 KiB, 16 KiB, ... 256 MiB: nine rows, lines 2 to 10.
std::vector<CollectiveRecord> table() {
  std::vector<CollectiveRecord> rows;
  for (const double size : sizes_from(4096, 268435456, 4)) rows.push_back(record(size, alpha_beta.time_s(size)));
  return rows;
}

MeasurementFile file_of(const std::vector<CollectiveRecord>& rows, const std::string& name = "a.jsonl") {
  MeasurementFile file;
  file.file = "/somewhere/" + name;
  file.context.cluster = "planted";
  int line = 1;
  for (auto row : rows) {
    row.head.line = ++line;
    file.records.emplace_back(row);
  }
  return file;
}

AllCollectiveData fit_data_of(const std::vector<CollectiveRecord>& rows) {
  return collective_data({file_of(rows)});
}

/// The one note of the one curve.
Excluded only_note(const std::vector<CollectiveRecord>& rows) {
  const auto all = fit_data_of(rows);
  REQUIRE(all.curves.size() == 1);
  REQUIRE(all.curves[0].notes.size() == 1);
  return all.curves[0].notes[0];
}

} // namespace

TEST_CASE("a clean table is used whole, without a word") {
  const auto all = fit_data_of(table());
  REQUIRE(all.curves.size() == 1);
  CHECK(all.curves[0].samples.size() == 9);
  CHECK(all.curves[0].notes.empty());
  CHECK(all.notes.empty());
}

TEST_CASE("programs, ranks, nodes, algorithms and transports make curves of their own") {
  auto rows = table();
  auto other = record(4096, 1e-3);
  for (int what = 0; what < 6; ++what) {
    auto one = other;
    if (what == 0) one.head.series = "another program";
    if (what == 1) one.head.transport = "nccl-tcp";
    if (what == 2) one.head.library = "gloo";
    if (what == 3) one.algorithm = "tree";
    if (what == 4) one.ranks = 32;
    if (what == 5) one.nodes = 4;
    rows.push_back(one);
  }
  const auto all = fit_data_of(rows);
  CHECK(all.curves.size() == 7);
}

TEST_CASE("runs that shared their links are excluded, one note a file") {
  auto rows = table();
  for (int jobs = 2; jobs <= 4; ++jobs) {
    rows.push_back(record(4096, 1e-3));
    rows.back().concurrent_jobs = jobs;
    rows.back().head.series = "contended-" + std::to_string(jobs);
  }
  const auto all = fit_data_of(rows);
  CHECK(all.curves.size() == 1);
  REQUIRE(all.notes.size() == 1);
  CHECK(all.notes[0].what == "a.jsonl:11-13");
  CHECK(all.notes[0].why == "3 records of 2 to 4 jobs that shared their links: their times are not one job's");
}

TEST_CASE("suspect rows are excluded") {
  auto rows = table();
  rows[3].head.suspect = true;
  const auto note = only_note(rows);
  CHECK(note.what == "a.jsonl:5");
  CHECK(note.why == "its source doubts it");
  CHECK(fit_data_of(rows).curves[0].samples.size() == 8);

  for (auto& row : rows) row.head.suspect = true;
  const auto none = fit_data_of(rows);
  CHECK(none.curves.empty());
  REQUIRE(none.notes.size() == 1);
  CHECK(none.notes[0].why == "its source doubts it");
}

TEST_CASE("a row a thousand times off is taken for a slip of the unit") {
  for (const double factor : {1000.0, 0.001}) {
    for (std::size_t row = 0; row < 9; ++row) {
      INFO("row " << row << ", factor " << factor);
      auto rows = table();
      rows[row].time_s *= factor;
      const auto note = only_note(rows);
      CHECK(note.what == "a.jsonl:" + std::to_string(row + 2));
      CHECK_THAT(note.why, Catch::Contains("slip of the unit"));
      CHECK_THAT(note.why, Catch::Contains(factor > 1 ? "1000 times longer" : "1000 times shorter"));
    }
  }
}

TEST_CASE("a run of rows in another unit is one note: the smaller part of the table") {
  auto rows = table();
  for (std::size_t row = 0; row < 4; ++row) rows[row].time_s *= 1000;
  const auto note = only_note(rows);
  CHECK(note.what == "a.jsonl:2-5");
  CHECK(fit_data_of(rows).curves[0].samples.size() == 5);
}

TEST_CASE("a single row four times off both neighbours is an outlier") {
  for (std::size_t row = 1; row < 8; ++row) {
    INFO("row " << row);
    auto rows = table();
    rows[row].time_s *= 20;
    const auto note = only_note(rows);
    CHECK(note.what == "a.jsonl:" + std::to_string(row + 2));
    CHECK_THAT(note.why, Catch::Contains("than the sizes on both sides say"));
  }
}

TEST_CASE("a switch of protocol is no outlier: a jump that stays is kept") {
  auto rows = table();
  for (std::size_t row = 4; row < 9; ++row) rows[row].time_s *= 3.5;
  CHECK(fit_data_of(rows).curves[0].samples.size() == 9);
}

TEST_CASE("repeats of a size are one sample, their middle, and contradictory ones are noted") {
  auto rows = table();
  rows.push_back(record(4096, 1.1 * rows[0].time_s));
  rows.push_back(record(4096, 1.2 * rows[0].time_s));
  auto all = fit_data_of(rows);
  CHECK(all.curves[0].notes.empty());
  CHECK(all.curves[0].samples[0].sample.time_s == Approx(1.1 * rows[0].time_s));
  CHECK(all.curves[0].samples[0].spread > 0.05);
  CHECK(all.curves[0].samples[0].lines == std::vector<int>{2, 11, 12});

  rows.push_back(record(1048576, 1.6 * alpha_beta.time_s(1048576)));
  const auto note = only_note(rows);
  CHECK(note.what == "a.jsonl:6, 13");
  CHECK_THAT(note.why, Catch::Contains("contradict each other at 1 size"));
}

TEST_CASE("two tables with equal times are noted") {
  auto rows = table();
  for (auto& row : rows) row.head.transport = "nccl-tcp";
  const auto all = collective_data({file_of(table()), file_of(rows, "b.jsonl")});
  REQUIRE(all.curves.size() == 2);
  REQUIRE(all.curves[1].notes.size() == 1);
  CHECK_THAT(all.curves[1].notes[0].why, Catch::Contains("one of the two tables is a copy"));
}

TEST_CASE("all at one size: the curve is made, with a note of what is not known") {
  const auto fits = fit_collectives({file_of({record(1048576, 2e-4), record(1048576, 2.1e-4)})});
  REQUIRE(fits.fits.size() == 1);
  const auto& fit = fits.fits[0];
  REQUIRE(fit.excluded.size() == 1);
  CHECK_THAT(fit.excluded[0].why, Catch::Contains("one size only"));
  CHECK(fit.curve.points.size() == 1);
  CHECK_FALSE(fit.curve.latency_s.identified);
}

TEST_CASE("one-way messages have a curve too, the empty one included") {
  MeasurementFile file;
  file.file = "link.jsonl";
  file.context.cluster = "planted";
  for (const double size : {0.0, 1024.0, 1048576.0}) {
    PointToPointRecord one;
    one.head.series = "one-way";
    one.head.transport = "mpi-tcp";
    one.head.library = "open-mpi";
    one.size_bytes = size;
    one.time_s = 20e-6 + size / 1e9;
    file.records.emplace_back(one);
  }
  const auto fits = fit_collectives({file});
  REQUIRE(fits.fits.size() == 1);
  const auto& curve = fits.fits[0].curve;
  CHECK(curve.key.operation == "point_to_point");
  CHECK(collective_time_s(curve, 1048576) == Approx(20e-6 + 1048576 / 1e9).epsilon(1e-12));
  CHECK(collective_time_s(curve, 0) == Approx(20e-6).epsilon(0.01)); // the law of 0 bytes against that of 1
}

TEST_CASE("messages of several pairs or both ways make no curve, and no complaint") {
  MeasurementFile file;
  file.file = "link.jsonl";
  file.context.cluster = "planted";
  for (const double size : {1024.0, 4096.0, 1048576.0}) {
    PointToPointRecord one;
    one.head.series = "one-way";
    one.head.transport = "mpi-tcp";
    one.head.library = "open-mpi";
    one.size_bytes = size;
    one.time_s = 20e-6 + size / 1e9;
    file.records.emplace_back(one);
    one.time_s *= 3;
    one.pairs = 2;
    file.records.emplace_back(one);
    one.pairs = 1;
    one.both_ways = true;
    file.records.emplace_back(one);
  }
  const auto fits = fit_collectives({file});
  REQUIRE(fits.fits.size() == 1);
  CHECK(fits.excluded.empty());
  CHECK(fits.fits[0].excluded.empty());
  CHECK(fits.fits[0].curve.points.size() == 3);
  CHECK(collective_time_s(fits.fits[0].curve, 4096) == Approx(20e-6 + 4096 / 1e9).epsilon(1e-12));
}

TEST_CASE("reduce-scatters, all-gathers and broadcasts have curves of their own beside all-reduces") {
  auto rows = table();
  const auto alone = fit_collectives({file_of(rows)}).fits.at(0).curve;
  auto all = rows;
  for (const char* operation : {"reduce_scatter", "all_gather", "broadcast"}) {
    for (auto row : rows) {
      row.operation = operation;
      row.time_s /= 2;
      all.push_back(row);
    }
  }
  const auto fits = fit_collectives({file_of(all)});
  REQUIRE(fits.fits.size() == 4);
  CHECK(fits.excluded.empty());
  const auto same = std::find_if(fits.fits.begin(), fits.fits.end(),
                                 [](const auto& fit) { return fit.curve.key.operation == "all_reduce"; });
  REQUIRE(same != fits.fits.end());
  CHECK(same->curve.latency_s.value == alone.latency_s.value);
}

TEST_CASE("a curve has the version of its library that the records or their context state") {
  auto file = file_of(table());
  const auto version = [&] {
    const auto found = collective_data({file}).curves.at(0).version;
    return found ? to_text(*found) : "";
  };
  CHECK(version().empty());
  file.context.software = "NCCL 2.26.2, nccl-tests";
  CHECK(version() == "nccl 2.26.2");
  for (auto& record : file.records) std::get<CollectiveRecord>(record).head.software = "NCCL 2.4.8";
  CHECK(version() == "nccl 2.4.8");
  std::get<CollectiveRecord>(file.records.front()).head.software = "NCCL 2.3.7";
  CHECK(version().empty()); // records of one curve that contradict each other
}

TEST_CASE("the order of files and rows does not matter, and the same evidence gives the same bytes") {
  auto rows = table();
  const auto forward = fit_collectives({file_of(rows)}).fits.at(0).curve;
  std::reverse(rows.begin(), rows.end());
  const auto backward = fit_collectives({file_of(rows)}).fits.at(0).curve;
  CHECK(forward.latency_s.value == backward.latency_s.value);
  CHECK(forward.rate_Bps.error == backward.rate_Bps.error);
  CHECK(forward.worst_leave_one_out_error == backward.worst_leave_one_out_error);
}
