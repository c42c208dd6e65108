#include "sim/base/error.hpp"
#include "sim/formats/data_folder.hpp"
#include "tests/formats/sample_files.hpp"

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
  CHECK(load_presets(data).size() == 4); // the stand-in behind those of the file
  CHECK(load_presets(data).back().name == "unnamed");
  CHECK(load_priors(data).expected.size() == 5);
}

TEST_CASE("names that stand for nothing are reported with the nearest") {
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

using ddlsim::in_quotes;
using ddlsim::join_names;
using ddlsim::nearest_name;

TEST_CASE("the nearest name is within a third of the longer one") {
  const std::vector<std::string> names{"ring", "tree", "halving-doubling", "ps"};
  CHECK(nearest_name("rign", names) == "ring"); // a swap is one edit
  CHECK(nearest_name("xing-x", names).empty());
  CHECK(nearest_name("rin", names) == "ring");
  CHECK(nearest_name("treee", names) == "tree");
  CHECK(nearest_name("halving_doublng", names) == "halving-doubling");
  CHECK(nearest_name("px", names) == "ps"); // one edit is always allowed
  CHECK(nearest_name("", names).empty());
  CHECK(nearest_name("something-else", names).empty());
  CHECK(nearest_name("ring", {}).empty());
}

TEST_CASE("of equally near names the first is offered, of unequal the nearest") {
  CHECK(nearest_name("resnet50_v3", {"resnet50_v1", "resnet50_v2"}) == "resnet50_v1");
  CHECK(nearest_name("resnet50_v2x", {"resnet50_v1", "resnet50_v2"}) == "resnet50_v2");
}

TEST_CASE("an unknown name of a long list gets names that begin with the same words") {
  std::vector<std::string> names{"llama_2_70b_seq4096", "llama_3.1_405b_seq8192", "llama_3.1_8b_seq131072",
                                 "llama_3.1_8b_seq8192", "llama_3_70b_seq8192"};
  for (const char* other : {"bert", "gpt2", "lenet5", "vgg16", "vgg19", "mpt_7b", "opt_6.7b", "t5_base", "vit_b"})
    names.emplace_back(other);
  const auto text = ddlsim::unknown_name_text("model", "llama_3.1_70b", names, names);
  CHECK(text.find("did you mean llama_3_70b_seq8192, llama_3.1_8b_seq8192 or ") != std::string::npos);
  CHECK(ddlsim::unknown_name_text("model", "falcon_7b", names, names).find("did you mean") == std::string::npos);
}

TEST_CASE("a name of a megabyte is compared with nothing") {
  CHECK(nearest_name(std::string(1U << 20U, 'r'), {"ring"}).empty());
}

TEST_CASE("names are joined") {
  CHECK(join_names({"a", "b", "c"}) == "a, b, c");
  CHECK(join_names({"a"}) == "a");
  CHECK(join_names({}).empty());
  CHECK(join_names({"a", "b"}, "|") == "a|b");
}

TEST_CASE("texts from outside are quoted, shortened and made harmless") {
  CHECK(in_quotes("plain") == "\"plain\"");
  CHECK(in_quotes("say \"hi\"\\") == "\"say \\\"hi\\\"\\\\\"");
  CHECK(in_quotes("\x1b[31mred\n") == "\"\\u001b[31mred\\u000a\"");
  CHECK(in_quotes(std::string(100, 'x')) == "\"" + std::string(48, 'x') + "...\"");
  // 47 letters and a two-byte one: it is not cut in its middle
  CHECK(in_quotes(std::string(47, 'x') + "\xc3\xa9tail") == "\"" + std::string(47, 'x') + "...\"");
}

TEST_CASE("an unknown name is reported with the nearest and the list") {
  CHECK(ddlsim::unknown_name_text("GPU", "V10", {"V100", "K80"}, {"V100", "K80"}) ==
        "no GPU is called \"V10\"; did you mean V100? there are: V100, K80");
  CHECK(ddlsim::unknown_name_text("GPU", "H900X", {"K80"}, {"K80"}) == "no GPU is called \"H900X\"; there are: K80");
  CHECK(ddlsim::unknown_name_text("GPU", "K80", {}, {}) == "no GPU is called \"K80\"; there is none at all");
}

TEST_CASE("of many names those alike are offered, and how to see them all") {
  std::vector<std::string> clusters{"azure-k80", "azure-p100", "azure-v100", "azure-v100-ib", "iris"};
  for (int i = 10; i < 20; ++i) clusters.push_back("other-" + std::to_string(i));
  const auto reported = [&](const std::string& kind, const std::string& name) {
    return ddlsim::unknown_name_text(kind, name, clusters, clusters);
  };
  CHECK(reported("cluster", "irsi") ==
        "no cluster is called \"irsi\"; did you mean iris? `ddlsim list clusters` shows all 15");
  CHECK(reported("cluster", "AZURE") ==
        "no cluster is called \"AZURE\"; did you mean azure-k80, azure-p100 or azure-v100? "
        "`ddlsim list clusters` shows all 15");
  CHECK(reported("cluster with measurements", "azure-v10") ==
        "no cluster with measurements is called \"azure-v10\"; did you mean azure-v100, azure-k80 or azure-p100? "
        "`ddlsim list clusters` shows all 15");
  CHECK(reported("model", "x") == "no model is called \"x\"; `ddlsim list models` shows all 15");
  CHECK(reported("prior", "x") == "no prior is called \"x\"; there are: " + join_names(clusters)); // nothing lists them
}
