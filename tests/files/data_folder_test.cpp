#include "sim/files/data_folder.hpp"
#include "tests/files/sample_files.hpp"

#include <catch2/catch.hpp>

using Names = std::vector<std::string>;

TEST_CASE("the files of a data folder are listed and loaded by name") {
  const ddlsim_test::TemporaryFolder folder;
  ddlsim_test::write_sample_data(folder);
  const ddlsim::DataFolder data{folder.path()};
  folder.write("scenarios/models/tiny-b.json", "{}");
  folder.write("scenarios/models/README.md", "");
  folder.write("platforms/no-cluster/README.md", "");
  folder.write("platforms/another/cluster.json", "{}");
  CHECK(list_models(data) == Names{"tiny", "tiny-b"});
  CHECK(list_clusters(data) == Names{"another", "iris"});
  CHECK(load_model(data, "tiny").parameters == 14);
  CHECK(load_cluster(data, "iris").gpus_per_node == 4);
  CHECK(load_gpus(data).size() == 2);
  CHECK(load_presets(data).size() == 3);
  CHECK(load_priors(data).size() == 5);
}

TEST_CASE("names that stand for nothing are told with the nearest") {
  const ddlsim_test::TemporaryFolder folder;
  ddlsim_test::write_sample_data(folder);
  const ddlsim::DataFolder data{folder.path()};
  CHECK_THROWS_WITH(load_model(data, "tinny"), "no model is called \"tinny\"; did you mean tiny? there are: tiny (in " +
                                                   data.models().string() + ")");
  CHECK_THROWS_WITH(load_cluster(data, "iriss"),
                    "no cluster is called \"iriss\"; did you mean iris? there are: iris (in " +
                        data.platforms().string() + ")");
  CHECK_THROWS_WITH(load_cluster(data, "../iris"), Catch::StartsWith("no cluster is called \"../iris\""));
  CHECK_THROWS_WITH(
      load_model(data, "bert_base"),
      "model \"bert_base\" leaves open which variant is meant; give one of bert_base_seq64, bert_base_seq128");
}

TEST_CASE("a file whose name inside is another is refused") {
  const ddlsim_test::TemporaryFolder folder;
  ddlsim_test::write_sample_data(folder);
  const ddlsim::DataFolder data{folder.path()};
  folder.write("scenarios/models/huge.json", ddlsim_test::sample_model().dump());
  folder.write("platforms/irish/cluster.json", ddlsim_test::sample_cluster().dump());
  CHECK_THROWS_WITH(load_model(data, "huge"),
                    Catch::EndsWith("/name: \"tiny\" found, \"huge\" expected after the file's name; rename one"));
  CHECK_THROWS_WITH(load_cluster(data, "irish"),
                    Catch::EndsWith("/name: \"iris\" found, \"irish\" expected after the folder; rename one"));
}

TEST_CASE("an empty folder has nothing") {
  const ddlsim_test::TemporaryFolder folder;
  const ddlsim::DataFolder data{folder.path()};
  CHECK(list_models(data).empty());
  CHECK(list_clusters(data).empty());
  CHECK_THROWS_WITH(load_cluster(data, "iris"),
                    "no cluster is called \"iris\"; there is none at all (in " + data.platforms().string() + ")");
  CHECK_THROWS_AS(load_gpus(data), ddlsim::UserError);
}
