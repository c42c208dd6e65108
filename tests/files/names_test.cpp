#include "sim/files/names.hpp"

#include <catch2/catch.hpp>

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

TEST_CASE("an unknown name is told with the nearest and the list") {
  CHECK(ddlsim::unknown_name_text("GPU", "V10", {"V100", "K80"}, {"V100", "K80"}) ==
        "no GPU is called \"V10\"; did you mean V100? there are: V100, K80");
  CHECK(ddlsim::unknown_name_text("GPU", "H900X", {"K80"}, {"K80"}) == "no GPU is called \"H900X\"; there are: K80");
  CHECK(ddlsim::unknown_name_text("GPU", "K80", {}, {}) == "no GPU is called \"K80\"; there is none at all");
}

TEST_CASE("of many names those alike are offered, and how to see them all") {
  std::vector<std::string> clusters{"azure-k80", "azure-p100", "azure-v100", "azure-v100-ib", "iris"};
  for (int i = 10; i < 20; ++i) clusters.push_back("other-" + std::to_string(i));
  const auto told = [&](const std::string& kind, const std::string& name) {
    return ddlsim::unknown_name_text(kind, name, clusters, clusters);
  };
  CHECK(told("cluster", "irsi") ==
        "no cluster is called \"irsi\"; did you mean iris? `ddlsim list clusters` shows all 15");
  CHECK(told("cluster", "AZURE") == "no cluster is called \"AZURE\"; did you mean azure-k80, azure-p100 or azure-v100? "
                                    "`ddlsim list clusters` shows all 15");
  CHECK(told("cluster with measurements", "azure-v10") ==
        "no cluster with measurements is called \"azure-v10\"; did you mean azure-v100, azure-k80 or azure-p100? "
        "`ddlsim list clusters` shows all 15");
  CHECK(told("model", "x") == "no model is called \"x\"; `ddlsim list models` shows all 15");
  CHECK(told("prior", "x") == "no prior is called \"x\"; there are: " + join_names(clusters)); // nothing lists them
}
