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
        "embedding, attention, elementwise, loss expected; did you mean \"linear\"?"},
       {"/layers", "[]", "/layers: no layer found; give one or more"},
       {tensor + "/bytes", "44",
        tensor + "/bytes: 44 found, 4 x the product of the shape = 48 expected; give fp32 bytes"},
       {tensor + "/shape/0", "0", tensor + "/shape/0: 0 is not a length; give a whole number of 1 or more"},
       {"/layers/0/forward_flop_per_sample", "-1",
        "/layers/0/forward_flop_per_sample: -1 is out of range; give 0 or more"},
       {"/layers/1/tensors", "", "/layers/1/tensors: missing; give a list"},
       {"/layers/1/name", "\"fc\"", "/layers: layer 1 has the name \"fc\" of an earlier one; number them"},
       {tensor + "/name", "\"fc.bias\"",
        "/layers: layer 0 has the tensor \"fc.bias\" of an earlier one; a shared tensor stands once, where its "
        "gradient "
        "is ready"},
       {tensor + "/dtype", "\"fp32\"", tensor + "/dtype: unknown key; known here: name, shape, bytes"}},
      [](const auto& file) { read_model(file); });
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
