#include "sim/formats/model.hpp"
#include "tests/formats/sample_files.hpp"

#include <catch2/catch.hpp>

using ddlsim::read_model;

TEST_CASE("a model is read") {
  const ddlsim_test::TemporaryFolder folder;
  const auto model = read_model(folder.write("tiny.json", ddlsim_test::sample_model().dump()));
  CHECK(model.name == "tiny");
  CHECK(model.parameters == 14);
  CHECK(model.size_bytes() == 56);
  CHECK(model.forward_flop_per_sample() == 27);
  REQUIRE(model.layers.size() == 2);
  CHECK(model.layers[0].kind == "linear");
  CHECK(model.layers[0].activation_bytes_per_sample == 12);
  REQUIRE(model.layers[0].tensors.size() == 2);
  CHECK(model.layers[0].tensors[0].name == "fc.weight");
  CHECK(model.layers[0].tensors[0].shape == std::vector<long>{3, 4});
  CHECK(model.layers[0].tensors[0].size_bytes == 48);
  CHECK(model.layers[1].tensors.empty());
}

TEST_CASE("what is wrong with a model is reported") {
  const std::string tensor = "/layers/0/tensors/0";
  ddlsim_test::check_spoilt(
      ddlsim_test::sample_model(),
      {{"/layres", "[]", "/layres: unknown key; did you mean \"layers\"?"},
       {"/title", "", "/title: missing; give a text"},
       {"/name", "\"a/b\"", "/name: \"a/b\" is no name; use letters, digits and . _ - + only"},
       {"/name", "\"..\"", "/name: \"..\" is no name; use letters, digits and . _ - + only"},
       {"/name", "\"resnet101\"",
        "/name: \"resnet101\" leaves open which variant is meant; give one of resnet101_v1, resnet101_v1.5, "
        "resnet101_v2"},
       {"/parameters", "15", "/parameters: 15 found, the shapes sum to 14; write the model again"},
       {"/parameters", "-1", "/parameters: -1 is out of range; give 0 or more"},
       {"/layers/1", "3", "/layers/1: 3 found, an object expected; write {...}"},
       {"/layers/0/kind", "\"lineare\"",
        "/layers/0/kind: \"lineare\" found, one of conv1x1, conv3x3, conv, depthwise, linear, norm, activation, pool, "
        "embedding, attention, scan, elementwise, loss expected; did you mean \"linear\"?"},
       {"/layers", "[]", "/layers: none found; give one or more"},
       {tensor + "/bytes", "44",
        tensor + "/bytes: 44 found, 4 x the product of the shape = 48 expected; give fp32 bytes"},
       {tensor + "/shape/0", "0", tensor + "/shape/0: 0 is out of range; give 1 or more"},
       {"/layers/0/forward_flop_per_sample", "-1",
        "/layers/0/forward_flop_per_sample: -1 is out of range; give 0 or more"},
       {"/layers/1/tensors", "7", "/layers/1/tensors: 7 found, a list expected; write [...]"},
       {"/layers/1/name", "\"fc\"", "/layers: layer 1 has the name \"fc\" of an earlier one; number them"},
       {tensor + "/name", "\"fc.bias\"",
        "/layers: layer 0 has the tensor \"fc.bias\" of an earlier one; a shared tensor stands once, where its "
        "gradient "
        "is ready"},
       {tensor + "/dtype", "\"fp32\"", tensor + "/dtype: unknown key; known here: name, shape, bytes"}},
      [](const auto& file) { read_model(file); });
}

TEST_CASE("a block is read as its layers, once for each of its numbers") {
  const ddlsim_test::TemporaryFolder folder;
  auto written_out = ddlsim_test::sample_repeated_model();
  const auto block = written_out["layers"][1];
  written_out["layers"].erase(1);
  for (const char* number : {"1", "2", "3"}) {
    for (auto layer : block["layers"]) {
      for (auto* name : {&layer["name"], layer["tensors"].empty() ? nullptr : &layer["tensors"][0]["name"]})
        if (name != nullptr) *name = name->get<std::string>().replace(5, 3, number);
      written_out["layers"].push_back(layer);
    }
  }
  const auto model = read_model(folder.write("a.json", ddlsim_test::sample_repeated_model().dump()));
  REQUIRE(model.layers.size() == 7);
  CHECK(model.layers[1].name == "block1.fc");
  CHECK(model.layers[6].name == "block3.relu");
  CHECK(model.layers[5].tensors[0].name == "block3.fc.weight");
  CHECK(model == read_model(folder.write("b.json", written_out.dump())));
  CHECK_THAT(model_json(model), Catch::Contains("\"repeat\":3,\"first\":1,"));
}

TEST_CASE("what is wrong with a block is reported") {
  const std::string block = "/layers/1";
  const std::string layer = block + "/layers/0";
  const std::string unnumbered = " found, and each block would have it; put {i} where the number of the block belongs, "
                                 "as in \"block{i}.norm\"";
  ddlsim_test::check_spoilt(
      ddlsim_test::sample_repeated_model(),
      {{block + "/repeat", "1", block + "/repeat: 1 is out of range; give 2 to 100000"},
       {block + "/repeat", "1e9", block + "/repeat: 1000000000.0 is out of range; give 2 to 100000"},
       {block + "/repeat", "2.5", block + "/repeat: 2.5 found, a whole number expected; give 2 to 100000"},
       {block + "/repeat", "", block + "/repeat: missing; give a whole number, 2 to 100000"},
       {block + "/repeat", "100000",
        "/layers: 200001 layers found once blocks are repeated, 100000 at most expected; repeat them less often"},
       {block + "/first", "-1", block + "/first: -1 is out of range; give 0 to 999999999"},
       {block + "/layers", "[]", block + "/layers: none found; give one or more"},
       {block + "/layers", "", block + "/layers: missing; give a list of one or more, each an object"},
       {block + "/layers", "3", block + "/layers: 3 found, a list expected; write [...]"},
       {block + "/times", "3", block + "/times: unknown key; known here: repeat, first, layers"},
       {layer, "3", layer + ": 3 found, an object expected; write {...}"},
       {layer + "/repeat", "2", layer + ": a block in a block found; write the layers of the inner one out"},
       {layer + "/name", "\"fc\"", layer + "/name: \"fc\"" + unnumbered},
       {layer + "/tensors/0/name", "\"weight\"", layer + "/tensors: \"weight\"" + unnumbered},
       {"/layers/0/name", "\"block2.fc\"",
        "/layers: layer 3 has the name \"block2.fc\" of an earlier one; number them"},
       {"/layers/0/tensors/0/name", "\"block2.fc.weight\"",
        "/layers: layer 3 has the tensor \"block2.fc.weight\" of an earlier one; a shared tensor stands once, where "
        "its "
        "gradient is ready"},
       {"/parameters", "14", "/parameters: 14 found, the shapes sum to 26; write the model again"}},
      [](const auto& file) { read_model(file); });
}

TEST_CASE("a short file of long names does not fill the memory") {
  auto model = ddlsim_test::sample_repeated_model();
  model["layers"][1]["layers"][1]["name"] = "block{i}" + std::string(2000, 'x');
  model["layers"][1]["repeat"] = 40'000;
  model["parameters"] = 160'014;
  const ddlsim_test::TemporaryFolder folder;
  CHECK_THROWS_WITH(read_model(folder.write("a.json", model.dump())),
                    Catch::Contains("/layers: ") &&
                        Catch::Contains("bytes found once blocks are repeated, 6.711e+07 at most expected"));
}

TEST_CASE("a bare family name lists its variants") {
  using Names = std::vector<std::string>;
  using ddlsim::variants_of_bare_name;
  const Names resnets{"resnet50_v1", "resnet50_v1.5", "resnet50_v2"};
  for (const char* name : {"resnet50", "ResNet-50", "resnet_50", "ResNet50"})
    CHECK(variants_of_bare_name(name) == resnets);
  const Names inceptions{"inception_v3", "inception_v3_aux", "inception_v3_tf"};
  for (const char* name : {"inception", "inception3", "Inception-3"}) CHECK(variants_of_bare_name(name) == inceptions);
  CHECK(variants_of_bare_name("bert").size() == 5);
  CHECK(variants_of_bare_name("bert_base") == Names{"bert_base_seq64", "bert_base_seq128"});
  CHECK(variants_of_bare_name("BERT-large") == Names{"bert_large_seq64", "bert_large_seq128", "bert_large_seq512"});
  for (const char* name : {"resnet50_v1", "inception_v3", "alexnet", "vgg16", "googlenet", "mobilenet_v2", "gnmt", ""})
    CHECK(variants_of_bare_name(name).empty());
}
