#include "sim/base/error.hpp"
#include "trainer/campaign/part.hpp"
#include "trainer/run_error.hpp"
#include "work_folder.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace ddltrain_test;

namespace {

const std::string machine_line = R"({"record":"context","machine":"m","date":"2026-01-01"})";
const std::string step_line = R"({"record":"step","value":0.1,"note":"n"})";

ddltrain::Part part_named(const std::string& name) {
  ddltrain::Part part;
  part.run = "run";
  part.name = name;
  return part;
}

} // namespace

TEST_CASE("part: accepted records change their name only") {
  const WorkFolder folder;
  const auto files = ddltrain::files_of(folder.path("out"), part_named("a"));
  folder.write("out/parts/a.running", machine_line + "\n" + step_line + "\n");
  ddltrain::accept(files, "");
  CHECK(folder.read("out/parts/a.jsonl") == machine_line + "\n" + step_line + "\n");
  CHECK_FALSE(folder.exists("out/parts/a.running"));
  CHECK_FALSE(ddltrain::has_suspect(files));
}

TEST_CASE("part: a disturbed part's records say so, its context does not") {
  const WorkFolder folder;
  const auto files = ddltrain::files_of(folder.path("out"), part_named("a"));
  folder.write("out/parts/a.running", machine_line + "\n" + step_line + "\n");
  ddltrain::accept(files, "busy");
  CHECK(folder.read("out/parts/a.jsonl") ==
        machine_line + "\n" + R"({"record":"step","value":0.1,"note":"n; busy","suspect":true})" + "\n");
  CHECK(ddltrain::has_suspect(files));
}

TEST_CASE("part: without records nothing is accepted") {
  const WorkFolder folder;
  const auto files = ddltrain::files_of(folder.path("out"), part_named("a"));
  CHECK_THROWS_AS(ddltrain::accept(files, ""), ddltrain::RunError);
  folder.write("out/parts/a.running", machine_line + "\n");
  CHECK_THROWS_AS(ddltrain::accept(files, ""), ddltrain::RunError);
  folder.write("out/parts/a.running", machine_line + "\n{\"rec");
  CHECK_THROWS_AS(ddltrain::accept(files, ""), ddltrain::RunError);
  CHECK_FALSE(folder.exists("out/parts/a.jsonl"));
}

TEST_CASE("part: a line that is no record is reported, and so is a run without a context") {
  const WorkFolder folder;
  const auto files = ddltrain::files_of(folder.path("out"), part_named("a"));
  const std::string deep(100000, '[');
  const std::vector<std::string> none = {
      "5", "[]", R"({"record":5})", R"({"record":"step","note":[1]})", R"({"record":"step","suspect":"yes"})", deep};
  for (const std::string& line : none) {
    INFO(line.substr(0, 50));
    folder.write("out/parts/a.running", machine_line + "\n" + line + "\n");
    CHECK_THROWS_AS(ddltrain::accept(files, "busy"), ddltrain::RunError);
  }
  const std::vector<std::string> no_contexts = {R"({"record":"context","machine":5})",
                                                R"({"record":"context","nodes":5})",
                                                R"({"record":"context","settings":{"cores_per_rank":[1]}})"};
  for (const std::string& line : no_contexts) {
    INFO(line);
    folder.write("out/parts/a.jsonl", line + "\n" + step_line + "\n");
    CHECK_THROWS_AS(ddltrain::collect_run(folder.path("out"), "run", {part_named("a")}), ddltrain::RunError);
  }
  folder.write("out/parts/a.jsonl", ""); // cut off by another program
  CHECK_THROWS_AS(ddltrain::collect_run(folder.path("out"), "run", {part_named("a")}), ddltrain::RunError);
}

TEST_CASE("part: measured once, with the same command line") {
  const WorkFolder folder;
  const auto files = ddltrain::files_of(folder.path("out"), part_named("a"));
  CHECK_FALSE(ddltrain::is_measured(files, "train"));
  folder.write("out/parts/a.jsonl", machine_line + "\n" + step_line + "\n");
  CHECK(ddltrain::is_measured(files, "train")); // without its log nothing contradicts
  folder.write("out/parts/a.log", "# train\nloss 2\n");
  CHECK(ddltrain::is_measured(files, "train"));
  CHECK_THROWS_AS(ddltrain::is_measured(files, "train --fast"), ddlsim::UserError);
}

TEST_CASE("run: collected when all parts are there, under one context") {
  const WorkFolder folder;
  const std::vector<ddltrain::Part> parts = {part_named("a"), part_named("b")};
  folder.write("out/parts/a.jsonl", machine_line + "\n" + step_line + "\n");
  CHECK_FALSE(ddltrain::collect_run(folder.path("out"), "run", parts));
  CHECK_FALSE(folder.exists("out/run.jsonl"));
  folder.write("out/parts/b.jsonl", R"({"record":"context","machine":"2 hosts, the first: m","date":"2026-01-02"})"
                                    "\n" +
                                        step_line + "\n");
  CHECK(ddltrain::collect_run(folder.path("out"), "run", parts));
  const std::string context =
      R"({"record":"context","machine":"m","date":"2026-01-01","source":{"title":"ddltrain measure: run run"}})";
  CHECK(folder.read("out/run.jsonl") == context + "\n" + step_line + "\n" + step_line + "\n");
  // Each job starts on other nodes, whose number decides how many cores a rank has.
  const auto context_on = [](const std::string& host, const std::string& cores) {
    return R"({"record":"context","machine":"m","date":"2026-01-01","settings":{"OMP_NUM_THREADS":"1","cores_per_rank":")" +
           cores + R"("},"nodes":[{"host":")" + host + R"("}]})" + "\n" + step_line + "\n";
  };
  folder.write("out/parts/a.jsonl", context_on("node1", "2"));
  folder.write("out/parts/b.jsonl", context_on("node7", "1"));
  CHECK(ddltrain::collect_run(folder.path("out"), "run", parts));
  const auto collected =
      nlohmann::json::parse(folder.read("out/run.jsonl").substr(0, folder.read("out/run.jsonl").find('\n')));
  CHECK(collected.at("nodes").size() == 2);
  CHECK(collected.at("settings").at("cores_per_rank") == "2 or 1");
  folder.write("out/parts/a.jsonl", machine_line + "\n" + step_line + "\n");
  folder.write("out/parts/b.jsonl", R"({"record":"context","machine":"other","date":"2026-01-01"})"
                                    "\n" +
                                        step_line + "\n");
  CHECK_THROWS_AS(ddltrain::collect_run(folder.path("out"), "run", parts), ddltrain::RunError);
}
