#include "tests/base/temporary_folder.hpp"
#include "trainer/communication/local_job.hpp"
#include "trainer/communication/mpi_session.hpp"
#include "trainer/data/batch_order.hpp"
#include "trainer/data/labelled_images.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <set>

using namespace ddltrain;

namespace {

namespace fs = std::filesystem;

std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(value >> shift & 0xFF);
  return bytes;
}

std::string images(std::uint32_t count, std::uint32_t rows, std::uint32_t columns) {
  std::string bytes = big_endian(0x803) + big_endian(count) + big_endian(rows) + big_endian(columns);
  for (std::uint32_t i = 0; i < count * rows * columns; ++i) bytes += static_cast<char>(i % 256);
  return bytes;
}

std::string labels(const std::string& values) {
  return big_endian(0x801) + big_endian(static_cast<std::uint32_t>(values.size())) + values;
}

} // namespace

TEST_CASE("Digits are the same for a seed, and others for another") {
  const LabelledImages some = draw_digits(20, 7);
  const LabelledImages more = draw_digits(40, 7);
  CHECK(some.pixels.size() == 20 * 28 * 28);
  CHECK(std::equal(some.pixels.begin(), some.pixels.end(), more.pixels.begin()));
  CHECK(std::equal(some.labels.begin(), some.labels.end(), more.labels.begin()));
  CHECK(draw_digits(20, 8).pixels != some.pixels);
}

TEST_CASE("Digits have ink, paper and every class about as often") {
  const LabelledImages digits = draw_digits(2000, 1);
  std::array<int, 10> counts{};
  for (const std::int64_t label : digits.labels) ++counts.at(static_cast<std::size_t>(label));
  // 200 expected of each, standard deviation 13: five of them.
  for (const int count : counts) CHECK(std::abs(count - 200) < 67);
  CHECK(*std::min_element(digits.pixels.begin(), digits.pixels.end()) == 0.0F);
  CHECK(*std::max_element(digits.pixels.begin(), digits.pixels.end()) == 1.0F);
}

TEST_CASE("An epoch shows each sample once, in an order of its own") {
  BatchOrder order(103, 5, 4, 3);
  REQUIRE(order.steps_per_epoch() == 5);
  std::array<std::vector<std::int64_t>, 2> epochs;
  for (std::size_t step = 0; step < 10; ++step) {
    for (std::size_t worker = 0; worker < 4; ++worker) {
      const auto batch = order.batch(step, worker);
      auto& epoch = epochs.at(step / 5);
      epoch.insert(epoch.end(), batch.begin(), batch.end());
    }
  }
  for (const auto& epoch : epochs) CHECK(std::set<std::int64_t>(epoch.begin(), epoch.end()).size() == 100);
  CHECK(epochs[0] != epochs[1]);
}

TEST_CASE("Workers together see what one worker with the larger batch sees") {
  BatchOrder four(1000, 8, 4, 11);
  BatchOrder one(1000, 32, 1, 11);
  for (const std::size_t step : {std::size_t{40}, std::size_t{2}}) {
    std::vector<std::int64_t> together;
    for (std::size_t worker = 0; worker < 4; ++worker) {
      const auto batch = four.batch(step, worker);
      together.insert(together.end(), batch.begin(), batch.end());
    }
    CHECK(together == one.batch(step, 0));
  }
}

TEST_CASE("IDX files are read as MNIST has them") {
  const ddlsim_test::TemporaryFolder folder;
  const LabelledImages read =
      read_idx(folder.write("i", images(3, 2, 5)), folder.write("l", labels(std::string("\x07\x00\x09", 3))));
  CHECK(read.rows == 2);
  CHECK(read.columns == 5);
  CHECK(read.labels == std::vector<std::int64_t>{7, 0, 9});
  REQUIRE(read.pixels.size() == 30);
  CHECK(read.pixels[29] == 29.0F / 255.0F);
}

TEST_CASE("Bad IDX files are refused by name") {
  const ddlsim_test::TemporaryFolder folder;
  const fs::path good = folder.write("good", images(3, 2, 5));
  const fs::path good_labels = folder.write("good_labels", labels("\x01\x02\x03"));
  const auto refused = [&](const fs::path& i, const fs::path& l, const std::string& file, const std::string& words) {
    CHECK_THROWS_WITH(read_idx(i, l), Catch::Contains(file) && Catch::Contains(words));
  };
  refused(folder.path() / "missing", good_labels, "missing", "No such file");
  refused(folder.path(), good_labels, folder.path().string(), "a folder");
  refused(folder.write("empty", ""), good_labels, "empty", "too few for a header");
  refused(folder.write("packed", "\x1f\x8b\x08"), good_labels, "packed", "gunzip");
  refused(good_labels, good_labels, "good_labels", "expected 0x803");
  refused(good, good, "good", "expected 0x801");
  refused(folder.write("short", images(3, 2, 5).substr(0, 40)), good_labels, "short",
          "40 bytes found, its header says 46");
  refused(folder.write("long", images(3, 2, 5) + "x"), good_labels, "long", "47 bytes found");
  refused(folder.write("huge", big_endian(0x803) + big_endian(1) + big_endian(4294967295U) + big_endian(9)),
          good_labels, "huge", "4294967295 in dimension 2");
  refused(good, folder.write("two", labels("\x01\x02")), "two", "2 labels for the 3 images");
  refused(good, folder.write("eleven", labels("\x01\x0b\x03")), "eleven", "label 11 of image 1");
}

using namespace ddltrain;

namespace {

std::string digest(const std::vector<std::string>& lines) {
  MpirunWords words;
  std::string message;
  for (const std::string& line : lines) {
    const std::string text = words.digest(line);
    if (!text.empty()) message += text + "\n";
  }
  return message;
}

const std::string dash_line(74, '-');

} // namespace

// The same figures stand in frameworks_test.py: the scripts of frameworks draw these digits, in this order, by
// themselves.
TEST_CASE("Digits and their order are those of the frameworks' scripts") {
  const LabelledImages digits = draw_digits(50, 1);
  std::uint64_t hash = 0xcbf29ce484222325U; // FNV-1a, a number at a time
  const auto take = [&hash](std::uint64_t value) { hash = (hash ^ value) * 0x100000001b3U; };
  for (const float pixel : digits.pixels) take(static_cast<std::uint64_t>(static_cast<double>(pixel) * 255 + 0.5));
  for (const std::int64_t label : digits.labels) take(static_cast<std::uint64_t>(label));
  CHECK(hash == 0x96b5ff1451c8f4eaU);
  BatchOrder order(100, 4, 3, 7);
  CHECK(order.batch(0, 0) == std::vector<std::int64_t>{67, 94, 52, 26});
  CHECK(order.batch(9, 2) == std::vector<std::int64_t>{87, 0, 51, 43});
}

TEST_CASE("A killed rank is reported in one line") {
  CHECK(digest({dash_line, "Primary job  terminated normally, but 1 process returned",
                "a non-zero exit code. Per user-direction, the job has been aborted.", dash_line, dash_line,
                "mpirun noticed that process rank 1 with PID 0 on node vm exited on signal 9 (Killed).", dash_line}) ==
        "ddltrain: rank 1 on host vm died of signal 9 (Killed); the job has ended. Records written so far are kept.\n");
}

TEST_CASE("What mpirun prints besides is passed on") {
  CHECK(digest({"ddltrain: no space left", dash_line, "MPI_ABORT was invoked on rank 0", "with errorcode 1.", dash_line,
                "[vm:1] 1 more process has sent help message help-mpi-api.txt / mpi-abort",
                "[vm:1] Set MCA parameter \"orte_base_help_aggregate\" to 0 to see all"}) ==
        "ddltrain: no space left\n");
  CHECK(digest({dash_line, "There are not enough slots", "in the system", dash_line}) ==
        "There are not enough slots\nin the system\n");
}

TEST_CASE("Ranks that the mpirun of another MPI started get an error that says so") {
  CHECK(text_of_foreign_mpirun(2, 2, "MPICH Version: 4.0.2").empty());
  CHECK(text_of_foreign_mpirun(1, 1, "MPICH Version: 4.0.2").empty());
  CHECK(text_of_foreign_mpirun(0, 1, "MPICH Version: 4.0.2").empty()); // no mpirun at all
  CHECK_THAT(
      text_of_foreign_mpirun(2, 1, "MPICH Version: 4.0.2"),
      Catch::Contains("mpirun started 2 ranks, but MPICH Version: 4.0.2, with which this ddltrain was built, finds "
                      "only one"));
}

TEST_CASE("Ranks are grouped by host, in the order hosts come") {
  const NodeMap nodes = map_nodes({"b", "b", "a", "b"});
  CHECK(nodes.nodes == 2);
  CHECK(nodes.most_ranks_per_node == 3);
  CHECK(nodes.node_of_rank == std::vector<int>{0, 0, 1, 0});
}
