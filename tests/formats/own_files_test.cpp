#include "sim/base/error.hpp"
#include "sim/formats/check.hpp"
#include "sim/formats/own_files.hpp"
#include "sim/formats/record.hpp"
#include "tests/formats/sample_files.hpp"

#include <catch2/catch.hpp>

#include <filesystem>

namespace {

using ddlsim::DataFolder;
using ddlsim_test::TemporaryFolder;
using nlohmann::json;
namespace fs = std::filesystem;

json named(json content, const std::string& name) {
  content["name"] = name;
  return content;
}

/// Shipped files, and beside them a user's folder with a model, a cluster and a question about both.
struct OwnFolder {
  TemporaryFolder shipped;
  TemporaryFolder own;
  DataFolder data{shipped.path()};

  OwnFolder() {
    ddlsim_test::write_sample_data(shipped);
    own.write("my-model.json", named(ddlsim_test::sample_model(), "my-model").dump());
    own.write("my-cluster/cluster.json", named(ddlsim_test::sample_cluster(), "my-cluster").dump());
  }
  fs::path question(const std::string& model, const std::string& cluster) const {
    auto scenario = ddlsim_test::sample_scenario();
    scenario["model"] = model;
    scenario["cluster"] = cluster;
    return own.write("question.json", scenario.dump());
  }
  std::string refused(const std::string& model, const std::string& cluster) const {
    try {
      check_file(question(model, cluster), data);
    } catch (const ddlsim::UserError& error) {
      return error.what();
    }
    return "";
  }
};

} // namespace

TEST_CASE("a path has a slash or ends in .json, a name neither") {
  CHECK(ddlsim::is_path("./my-model.json"));
  CHECK(ddlsim::is_path("my-model.json"));
  CHECK(ddlsim::is_path("folder/"));
  CHECK(!ddlsim::is_path("resnet50_v1.5"));
  CHECK(!ddlsim::is_path(""));
}

TEST_CASE("a scenario names a model and a cluster of its own by their paths") {
  const OwnFolder at;
  for (const char* cluster : {"./my-cluster", "my-cluster/", "./my-cluster/cluster.json"}) {
    const auto file = at.question("./my-model.json", cluster);
    const auto scenario = ddlsim::read_scenario(file);
    CHECK(scenario.model == "my-model");
    CHECK(scenario.cluster == "my-cluster");
    const auto known = with_own_files(at.data, scenario);
    CHECK(load_model(known, "my-model").name == "my-model");
    CHECK(load_cluster(known, "my-cluster").name == "my-cluster");
    CHECK(list_clusters(known).size() == list_clusters(at.data).size() + 1);
    CHECK(known.platforms_of("my-cluster") / "my-cluster" == scenario.cluster_folder);
    CHECK(known.platforms_of("iris") == at.data.platforms());
    CHECK_NOTHROW(check_file(file, at.data));
  }
}

TEST_CASE("what a scenario with own files says as a file is read back as the same question") {
  const OwnFolder at;
  const auto scenario = ddlsim::read_scenario(at.question("my-model.json", "./my-cluster"));
  const TemporaryFolder elsewhere;
  const auto again = ddlsim::read_scenario(elsewhere.write("a.json", scenario_json(scenario)));
  CHECK(again.model_file == scenario.model_file);
  CHECK(again.cluster_folder == scenario.cluster_folder);
}

TEST_CASE("a path is taken from beside the scenario first, then from the working directory") {
  const OwnFolder at;
  const auto file = at.own.path() / "question.json";
  CHECK(ddlsim::path_from("my-model.json", file) == at.own.path() / "my-model.json");
  CHECK(ddlsim::path_from("./none.json", file) == at.own.path() / "none.json");
  const auto here = fs::relative(at.own.path() / "my-model.json").string();
  const TemporaryFolder elsewhere;
  CHECK(fs::equivalent(ddlsim::path_from(here, elsewhere.path() / "question.json"), at.own.path() / "my-model.json"));
}

TEST_CASE("paths that lead nowhere are refused at their keys, with the nearest name") {
  const OwnFolder at;
  CHECK_THAT(at.refused("./my-modl.json", "iris"),
             Catch::Contains("question.json: /model") && Catch::Contains("my-model.json"));
  CHECK_THAT(at.refused("./my-model.json", "./my-clustr"), Catch::Contains("/cluster") && Catch::Contains("my-clustr"));
  CHECK_THAT(at.refused("./my-model.json", "./my-model.json"), Catch::Contains("called cluster.json"));
  CHECK_THAT(at.refused("../../../../../../etc/passwd", "iris"), Catch::Contains("/model"));
  CHECK_THAT(at.refused("/", "iris"), Catch::Contains("/model"));
  CHECK_THAT(at.refused("./\x1b[31m" + std::string(300, 'x') + ".json", "iris"),
             Catch::Contains("/model") && !Catch::Contains("\x1b"));
  CHECK_THAT(at.refused("resnet51_v1", "iris"), Catch::Contains("no model is called"));
}

TEST_CASE("an own file is called like what is in it, and not like another, shipped one") {
  const OwnFolder at;
  at.own.write("other.json", named(ddlsim_test::sample_model(), "my-model").dump());
  CHECK_THAT(at.refused("./other.json", "iris"), Catch::Contains("\"other\" expected after the file's name"));
  at.own.write("tiny.json", ddlsim_test::sample_model().dump());
  CHECK_THAT(at.refused("./tiny.json", "iris"), Catch::Contains("the name of a shipped model"));
  at.own.write("iris/cluster.json", ddlsim_test::sample_cluster().dump());
  CHECK_THAT(at.refused("tiny", "./iris"), Catch::Contains("/cluster") && Catch::Contains("a shipped cluster"));
  CHECK(at.refused((at.data.models() / "tiny.json").string(), "iris").empty()); // the shipped one itself
}

TEST_CASE("mistakes of an own file are reported with the question's") {
  const OwnFolder at;
  at.own.write("my-model.json", "{\"format\":\"ddlsim-model\",\"version\":1,\"name\":\"my-model\"}");
  CHECK_THAT(at.refused("./my-model.json", "irisx"),
             Catch::Contains("/layers") || (Catch::Contains("more mistakes there") && Catch::Contains("/cluster")));
  at.own.write("my-model.json", "{\"format\":");
  CHECK_THAT(at.refused("./my-model.json", "iris"), Catch::Contains("/model"));
}

TEST_CASE("an own cluster's records and calibration are checked beside it") {
  const OwnFolder at;
  const auto records = at.own.write("my-cluster/measurements/runs.jsonl", [] {
    auto text = ddlsim_test::sample_measurements();
    for (auto found = text.find("\"iris\""); found != std::string::npos; found = text.find("\"iris\""))
      text.replace(found, 6, "\"my-cluster\"");
    return text;
  }());
  CHECK_NOTHROW(check_file(records, at.data));
  CHECK(ddlsim::measurement_files(at.own.path(), "my-cluster").size() == 1);
}

TEST_CASE("a model is written as it is read") {
  const TemporaryFolder folder;
  const auto model = ddlsim::read_model(folder.write("tiny.json", ddlsim_test::sample_model().dump()));
  CHECK(model_json(ddlsim::read_model(folder.write("again.json", model_json(model)))) == model_json(model));
}
