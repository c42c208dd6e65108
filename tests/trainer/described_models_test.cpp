// Every model of the catalogue is run once, and what its table says is held against published counts, against
// LibTorch's own operators, and against the committed file.

#include "tests/base/temporary_folder.hpp"
#include "tests/trainer/operator_count.hpp"
#include "trainer/describe/layer_table.hpp"
#include "trainer/models/catalogue.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <functional>
#include <numeric>
#include <set>
#include <sstream>

namespace {

using ddltrain::LayerRow;
using ddltrain::LayerTable;

const std::filesystem::path tables_folder = std::filesystem::path(DDLSIM_SOURCE_DIR) / "scenarios" / "models";

// torchvision states the multiply-adds of its weights in 1e9 with three decimals (pytorch/vision,
// torchvision/models/*.py, "_ops").
constexpr double torchvision_rounding = 0.0005;
// arXiv 1512.03385, table 1, gives one decimal: 3.8, 7.6, 11.3. It cuts off for 50 layers and rounds for the others, so
// a whole unit of that decimal.
constexpr double paper_rounding = 0.1;

/// The committed table as this LibTorch would sign it: a table names the version that wrote it, and nothing else in it
/// depends on the version.
std::string committed_table(const std::string& name, const std::string& written_now) {
  const auto source_line = [](const std::string& text) {
    const auto begin = text.find("\"source\":");
    return std::make_pair(begin, text.find('\n', begin) - begin);
  };
  std::string text = ddlsim_test::text_of(tables_folder / (name + ".json"));
  const auto [begin, length] = source_line(text);
  const auto [begin_now, length_now] = source_line(written_now);
  return text.replace(begin, length, written_now.substr(begin_now, length_now));
}

bool multiplies_matrices(const LayerRow& row) {
  static const std::set<std::string> kinds = {"conv1x1", "conv3x3", "conv", "depthwise", "linear", "attention"};
  return kinds.contains(row.kind);
}

/// FLOP a sample in convolutions and matrix products, which is what published counts count.
std::int64_t product_flop(const LayerTable& table) {
  std::int64_t flop = 0;
  for (const LayerRow& row : table) {
    flop += multiplies_matrices(row) ? row.forward_flop_per_sample : 0;
  }
  return flop;
}

double giga_multiply_adds(const LayerTable& table) {
  return static_cast<double>(product_flop(table)) / 2e9;
}

/// Describes the model and checks what holds for every model: the operators' own count and the committed bytes.
LayerTable checked_table(const std::string& name) {
  INFO(name);
  const ddltrain::CatalogueEntry& entry = ddltrain::find_model(name);
  const auto network = entry.make();
  LayerTable table;
  const std::int64_t counted = ddltrain::count_product_flop([&] { table = ddltrain::describe(*network); });
  CHECK(product_flop(table) * ddltrain::describe_batch == counted);
  const std::string json = ddltrain::table_json(entry, table);
  CHECK(json == committed_table(name, json));
  return table;
}

struct Published {
  std::string name;
  std::int64_t parameters;
  double giga_multiply_adds;
};

void check_torchvision(const Published& published) {
  const LayerTable table = checked_table(published.name);
  INFO(published.name);
  CHECK(ddltrain::parameter_count(table) == published.parameters);
  CHECK(giga_multiply_adds(table) == Approx(published.giga_multiply_adds).epsilon(0).margin(torchvision_rounding));
}

/// Running means and variances: as many as gammas and betas.
std::int64_t batch_norm_statistics(const LayerTable& table) {
  std::int64_t count = 0;
  for (const LayerRow& row : table) {
    for (const auto& tensor : row.tensors) {
      count += row.kind == "norm" ? ddltrain::element_count(tensor) : 0;
    }
  }
  return count;
}

} // namespace

TEST_CASE("AlexNet, VGG-16, GoogLeNet and MobileNetV2 have torchvision's counts") {
  check_torchvision({"alexnet", 61'100'840, 0.714});
  check_torchvision({"vgg16", 138'357'544, 15.470});
  check_torchvision({"googlenet", 6'624'904, 1.498});
  check_torchvision({"mobilenet_v2", 3'504'872, 0.301});
}

TEST_CASE("ResNet v1.5 has torchvision's counts") {
  check_torchvision({"resnet50_v1.5", 25'557'032, 4.089});
  check_torchvision({"resnet101_v1.5", 44'549'160, 7.801});
  check_torchvision({"resnet152_v1.5", 60'192'808, 11.514});
}

TEST_CASE("ResNet v1 has the same parameters and the paper's multiply-adds") {
  const auto [name, parameters, paper] = GENERATE(table<std::string, std::int64_t, double>(
      {{"resnet50_v1", 25'557'032, 3.8}, {"resnet101_v1", 44'549'160, 7.6}, {"resnet152_v1", 60'192'808, 11.3}}));
  const LayerTable table = checked_table(name);
  INFO(name);
  CHECK(ddltrain::parameter_count(table) == parameters);
  CHECK(giga_multiply_adds(table) == Approx(paper).epsilon(0).margin(paper_rounding));
}

TEST_CASE("ResNet v2 has Gluon's parameters but for Gluon's norm of the image") {
  // The table of mxnet.gluon.model_zoo.vision counts running statistics too, and a norm of the three input channels
  // that tf_cnn_benchmarks does not have: 4 x 3 = 12 values.
  constexpr std::int64_t image_norm = 12;
  const auto [name, gluon] = GENERATE(table<std::string, std::int64_t>(
      {{"resnet50_v2", 25'595'060}, {"resnet101_v2", 44'639'412}, {"resnet152_v2", 60'329'140}}));
  const LayerTable table = checked_table(name);
  INFO(name);
  CHECK(ddltrain::parameter_count(table) + batch_norm_statistics(table) + image_norm == gluon);
}

TEST_CASE("GoogLeNet of Caffe's model zoo has the tensors that a log of its training lists") {
  // B-Caffe's log (hclhkbu/B-Caffe, logdata/tmpcomm.log): 128 tensors, each rounded up to 64 values.
  constexpr std::int64_t alignment = 64;
  const LayerTable table = checked_table("googlenet_aux");
  std::int64_t tensors = 0;
  std::int64_t aligned = 0;
  for (const LayerRow& row : table) {
    for (const auto& tensor : row.tensors) {
      ++tensors;
      aligned += (ddltrain::element_count(tensor) + alignment - 1) / alignment * alignment;
    }
  }
  CHECK(tensors == 128);
  CHECK(aligned == 13'379'136);
  CHECK(ddltrain::parameter_count(table) == 13'378'280);
}

TEST_CASE("GoogLeNet of MXNet's example is Caffe's without heads, and sees 256x256") {
  const auto in_head = [](const LayerRow& row) { return row.name.starts_with("aux"); };
  LayerTable caffe = checked_table("googlenet_aux");
  caffe.erase(std::remove_if(caffe.begin(), caffe.end(), in_head), caffe.end());
  const LayerTable table = checked_table("googlenet_256");
  CHECK(ddltrain::parameter_count(table) == ddltrain::parameter_count(caffe));
  CHECK(ddltrain::parameter_count(table) == 6'998'552);
  // Without partly filled windows 256 becomes 128, 63, 31, 15 and 7; Caffe's 224 becomes 112, 56, 28, 14 and 7.
  for (const LayerRow& row : table) {
    if (row.name == "conv3.conv") CHECK(row.forward_flop_per_sample == std::int64_t{2} * 63 * 63 * 9 * 64 * 192);
    if (row.name == "inception5b.branch1.conv")
      CHECK(row.forward_flop_per_sample == std::int64_t{2} * 7 * 7 * 832 * 384);
  }
}

TEST_CASE("Inception v3 has torchvision's counts, with and without its auxiliary head") {
  check_torchvision({"inception_v3", 23'834'568, 5.713});
  const LayerTable auxiliary = checked_table("inception_v3_aux");
  CHECK(ddltrain::parameter_count(auxiliary) == 27'161'264);
  const auto in_head = [](const LayerRow& row) { return row.name.starts_with("AuxLogits"); };
  LayerTable without;
  std::copy_if(auxiliary.begin(), auxiliary.end(), std::back_inserter(without), std::not_fn(in_head));
  CHECK(ddltrain::parameter_count(without) == 23'834'568);
  CHECK(giga_multiply_adds(without) == Approx(5.713).epsilon(0).margin(torchvision_rounding));
}

TEST_CASE("Inception v3 of tf_cnn_benchmarks: one class more, no gamma") {
  const LayerTable table = checked_table("inception_v3_tf");
  constexpr std::int64_t batch_norm_gammas = 17'216; // half of what batch norm trains in torchvision's
  CHECK(batch_norm_statistics(table) == batch_norm_gammas);
  CHECK(ddltrain::parameter_count(table) == 23'834'568 - batch_norm_gammas + (2048 + 1));
}

TEST_CASE("Inception v4 of tf_cnn_benchmarks: Cadene's network with one class more and no gamma") {
  // The README of osmr/imgclsmob states Cadene's parameters, and multiply-adds with those of norms and pools in them.
  constexpr std::int64_t cadene = 42'679'816;
  constexpr double cadene_with_norms = 12.305;
  constexpr double norms = 0.01; // norms and pools, a multiply-add or less for each of some 10 million values
  const LayerTable table = checked_table("inception_v4_tf");
  const std::int64_t gammas = batch_norm_statistics(table); // as many as betas
  CHECK(ddltrain::parameter_count(table) + gammas == cadene + (1536 + 1));
  CHECK(giga_multiply_adds(table) < cadene_with_norms);
  CHECK(giga_multiply_adds(table) > cadene_with_norms * (1 - norms));
}

TEST_CASE("ResNeXt-101 32x4d has the published parameters, with and without squeeze and excitation") {
  // osmr/imgclsmob's README: parameters, and multiply-adds with those of norms and pools, a multiply-add for each
  // value.
  const auto [name, parameters, with_norms] = GENERATE(table<std::string, std::int64_t, double>(
      {{"resnext101_32x4d", 44'177'704, 8.003}, {"se_resnext101_32x4d", 48'955'416, 8.005}}));
  constexpr double norms = 0.01;
  const LayerTable table = checked_table(name);
  INFO(name);
  CHECK(ddltrain::parameter_count(table) == parameters);
  CHECK(giga_multiply_adds(table) == Approx(with_norms).epsilon(norms));
}

TEST_CASE("Jasper 10x5 with dense residual connections has the published parameters") {
  // osmr/imgclsmob's jasperdr10x5_en; the paper rounds it to 333 million (arXiv 1904.03288, table 4).
  const LayerTable table = checked_table("jasper");
  CHECK(ddltrain::parameter_count(table) == 332'632'349);
  // Convolutions of stride 1 after the first: each weight meets each of 840 frames.
  const LayerRow& row = table.at(4); // the first convolution of the first block
  CHECK(row.name == "block1.main.1.conv");
  CHECK(row.forward_flop_per_sample == 2L * 840 * 256 * 256 * 11);
}

TEST_CASE("SSD300 has the parameters of ResNet-50's first stages, its blocks and its predictors, and 8732 boxes") {
  // NVIDIA/DeepLearningExamples, PyTorch/Detection/SSD, model.py.
  constexpr std::int64_t fourth_stage = 14'964'736; // of torchvision's ResNet-50
  constexpr std::int64_t backbone = 25'557'032 - (2048 * 1000 + 1000) - fourth_stage;
  const auto block = [](std::int64_t in, std::int64_t middle, std::int64_t out) {
    return in * middle + 2 * middle + 9 * middle * out + 2 * out;
  };
  const std::int64_t blocks =
      block(1024, 256, 512) + block(512, 256, 512) + block(512, 128, 256) + 2 * block(256, 128, 256);
  const std::int64_t inputs_of_boxes = 1024 * 4 + 512 * 6 + 512 * 6 + 256 * 6 + 256 * 4 + 256 * 4;
  const std::int64_t boxes_of_a_place = 4 + 6 + 6 + 6 + 4 + 4;
  const LayerTable table = checked_table("ssd300");
  CHECK(ddltrain::parameter_count(table) == backbone + blocks + (4 + 81) * (9 * inputs_of_boxes + boxes_of_a_place));
  for (const LayerRow& row : table) {
    if (row.name == "join_corners") CHECK(row.activation_bytes_per_sample == 4L * 4 * 8732);
  }
}

TEST_CASE("SSD320 has the parameters of ResNet-50, its pyramid and two towers that five maps share, and 12,804 boxes") {
  // tensorflow/models, object_detection: ssd_resnet_v1_fpn_feature_extractor.py, convolutional_box_predictor.py.
  constexpr std::int64_t backbone = 25'557'032 - (2048 * 1000 + 1000); // torchvision's ResNet-50 without its classifier
  constexpr std::int64_t wide = 9L * 256 * 256;                        // a 3x3 convolution of 256 channels
  constexpr std::int64_t norm = 2L * 256;
  constexpr std::int64_t projections = (512 + 1024 + 2048) * 256 + 3 * 256;
  constexpr std::int64_t pyramid_steps = 4 * (wide + norm); // two smooth, two halve
  constexpr std::int64_t tower = 4 * (wide + 5 * norm);
  const auto predictor = [](std::int64_t values) { return (9L * 256 + 1) * 6 * values; };
  constexpr std::int64_t places = 40 * 40 + 20 * 20 + 10 * 10 + 5 * 5 + 3 * 3;
  const LayerTable table = checked_table("ssd320_fpn");
  CHECK(ddltrain::parameter_count(table) ==
        backbone + projections + pyramid_steps + 2 * tower + predictor(4) + predictor(91));
  for (const LayerRow& row : table) {
    if (row.name == "classes.predictor") CHECK(row.activation_bytes_per_sample == 4 * places * 6 * 91);
    if (row.name == "classes.conv3") CHECK(row.forward_flop_per_sample == 2 * places * wide);
    if (row.name == "classes.bn3") CHECK(row.tensors.size() == 10); // gamma and beta of each map
    if (row.name == "pyramid.layer4.subsample") CHECK(row.activation_bytes_per_sample == 4L * 1024 * 10 * 10);
  }
}

namespace {

/// Weights and biases of a TinyUNet by the channels on its way down (the first also those of the last block), from
/// model/blocks/*.py of NVIDIA/DeepLearningExamples, TensorFlow/Segmentation/UNet_Industrial.
std::int64_t tiny_unet_parameters(const std::vector<std::int64_t>& down, std::int64_t middle) {
  const auto conv = [](std::int64_t in, std::int64_t out, std::int64_t kernel) {
    return (in * kernel * kernel + 1) * out;
  };
  const std::int64_t edge = down.front();
  std::int64_t count = 0;
  std::int64_t channels = 1;
  for (const std::int64_t out : down) {
    count += conv(channels, out, 3) + conv(out, out, 3);
    channels = out;
  }
  count += conv(channels, middle, 3) + conv(middle, middle, 3) + conv(middle, middle / 2, 2);
  channels = middle / 2;
  for (std::size_t i = down.size() - 1; i > 0; --i) {
    const std::int64_t half = down[i] / 2;
    count += conv(channels + down[i], down[i], 3) + conv(down[i], half, 3) + conv(half, half, 2);
    channels = half;
  }
  return count + conv(channels + edge, edge, 3) + conv(edge, edge, 3) + conv(edge, 1, 1);
}

} // namespace

TEST_CASE("TinyUNet has the parameters of its blocks, and its first convolutions see 512x512 places") {
  // The count that a comment of model/unet.py states is that of the same blocks with one level more and 8
  // channels at the edge; no version of the file in the repository has those.
  CHECK(tiny_unet_parameters({8, 16, 32, 64, 128}, 256) == 1'824'945);
  const LayerTable table = checked_table("unet_industrial");
  CHECK(ddltrain::parameter_count(table) == tiny_unet_parameters({32, 32, 64, 128}, 256));
  CHECK(ddltrain::parameter_count(table) == 1'850'305);
  const auto conv_flop = [](std::int64_t side, std::int64_t in, std::int64_t out) {
    return 2 * side * side * 9 * in * out;
  };
  for (const LayerRow& row : table) {
    if (row.name == "down1.2.conv") CHECK(row.forward_flop_per_sample == conv_flop(512, 32, 32));
    if (row.name == "middle.2.conv") CHECK(row.forward_flop_per_sample == conv_flop(32, 256, 256));
    if (row.name == "up1.1.conv") CHECK(row.forward_flop_per_sample == conv_flop(64, 128 + 128, 128));
    if (row.name == "last.1.conv") CHECK(row.forward_flop_per_sample == conv_flop(512, 16 + 32, 32));
  }
}

TEST_CASE("Mask R-CNN trains torchvision's parameters but for ten classes and the frozen part of its backbone") {
  // torchvision's maskrcnn_resnet50_fpn has 91 classes and no frozen convolutions; its norms are frozen too.
  constexpr std::int64_t torchvision = 44'401'393;
  constexpr std::int64_t class_head = 5 * (1024 + 1) + (256 + 1); // score and box, mask
  constexpr std::int64_t stem_parameters = 3L * 64 * 7 * 7;
  constexpr std::int64_t first_stage = (64 + 9 * 64 + 256 + 256) * 64 + 2 * (256 + 9 * 64 + 256) * 64;
  const LayerTable table = checked_table("maskrcnn");
  CHECK(ddltrain::parameter_count(table) == torchvision - 10 * class_head - stem_parameters - first_stage);
  std::int64_t mask_flop = 0;
  for (const LayerRow& row : table) {
    if (row.name == "box_head.body.fc1")
      CHECK(row.forward_flop_per_sample == std::int64_t{512} * 2 * (256L * 7 * 7) * 1024);
    if (row.name.starts_with("mask_head.body.conv") && row.kind == "conv3x3") mask_flop += row.forward_flop_per_sample;
  }
  CHECK(mask_flop == std::int64_t{4} * 128 * (14L * 14) * 2 * (9L * 256) * 256);
}

TEST_CASE("The other AlexNets have the parameters of their convolutions and matrices") {
  // tf_cnn_benchmarks 039fa955, alexnet_model.py; apache/mxnet 1083d0fb, symbols/alexnet.py: weights and bias by layer.
  constexpr std::int64_t tensorflow = (64 * 3 * 121 + 64) + (192 * 64 * 25 + 192) + (384 * 192 * 9 + 384) +
                                      (384 * 384 * 9 + 384) + (256 * 384 * 9 + 256) + (9216 * 4096 + 4096) +
                                      (4096 * 4096 + 4096) + (4096 * 1001 + 1001);
  CHECK(ddltrain::parameter_count(checked_table("alexnet_tf")) == tensorflow);
  // 203 MB of fp32, the size MXNet's K80 scaling table gives for AlexNet.
  constexpr std::int64_t mxnet = (96 * 3 * 121 + 96) + (256 * 96 * 25 + 256) + (384 * 256 * 9 + 384) +
                                 (384 * 384 * 9 + 384) + (256 * 384 * 9 + 256) + (6400 * 4096 + 4096) +
                                 (4096 * 4096 + 4096) + (4096 * 1000 + 1000);
  CHECK(ddltrain::parameter_count(checked_table("alexnet_mxnet")) == mxnet);
  CHECK(4 * mxnet / 1'000'000 == 203);
}

TEST_CASE("LeNet-5 has the textbook's 61,706 parameters") {
  CHECK(ddltrain::parameter_count(checked_table("lenet5")) == 61'706);
}

TEST_CASE("BERT has transformers' parameters and the textbook's multiply-adds") {
  struct Size {
    std::string name;
    std::int64_t parameters, blocks, width, tokens, predicted;
  };
  // Parameters: transformers' BertForPreTraining, bert-base-uncased and bert-large-uncased.
  const auto size = GENERATE(values<Size>({{"bert_base_seq64", 110'106'428, 12, 768, 64, 64},
                                           {"bert_base_seq128", 110'106'428, 12, 768, 128, 20},
                                           {"bert_large_seq64", 336'226'108, 24, 1024, 64, 64},
                                           {"bert_large_seq128", 336'226'108, 24, 1024, 128, 20},
                                           {"bert_large_seq512", 336'226'108, 24, 1024, 512, 80}}));
  const LayerTable table = checked_table(size.name);
  INFO(size.name);
  CHECK(ddltrain::parameter_count(table) == size.parameters);
  // A block: 12 width^2 weights met by every token, and two products of tokens^2 x width.
  const std::int64_t block = size.tokens * 24 * size.width * size.width + 4 * size.tokens * size.tokens * size.width;
  const std::int64_t words = size.predicted * 2 * size.width * (size.width + 30'522);
  const std::int64_t sentence = 2 * size.width * (size.width + 2);
  CHECK(product_flop(table) == size.blocks * block + words + sentence);
}

// Tables of transformers by arithmetic are `ddlsim import hf-config`'s: tests/own/hf_config_test.cpp.
TEST_CASE("Every model of the catalogue has a committed table, and no other table says that it was described") {
  std::set<std::string> expected;
  for (const auto& entry : ddltrain::catalogue()) {
    expected.insert(entry.name + ".json");
  }
  std::set<std::string> found;
  for (const auto& file : std::filesystem::directory_iterator(tables_folder)) {
    std::ifstream table(file.path());
    const auto source = nlohmann::json::parse(table).at("source").get<std::string>();
    if (source.rfind("ddltrain describe ", 0) == 0) found.insert(file.path().filename().string());
  }
  CHECK(found == expected);
}

TEST_CASE("A table's sums and names are right in its JSON") {
  const auto& entry = ddltrain::find_model("lenet5");
  const auto json = nlohmann::json::parse(ddltrain::table_json(entry, ddltrain::describe(*entry.make())));
  CHECK(json.at("format") == "ddlsim-model");
  CHECK(json.at("name") == "lenet5");
  std::int64_t elements = 0;
  std::set<std::string> names;
  for (const auto& layer : json.at("layers")) {
    names.insert(layer.at("name").get<std::string>());
    for (const auto& tensor : layer.value("tensors", nlohmann::json::array())) {
      const auto shape = tensor.at("shape").get<std::vector<std::int64_t>>();
      elements += std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
    }
  }
  CHECK(elements == json.at("parameters").get<std::int64_t>());
  CHECK(names.size() == json.at("layers").size());
  CHECK(json.at("layers").at(0).at("tensors").at(0) ==
        nlohmann::json{{"name", "conv1.weight"}, {"shape", {6, 1, 5, 5}}});
  CHECK(json.at("layers").at(0).at("forward_flop_per_sample") == 2 * 25 * 6 * 28 * 28);
  CHECK(json.at("layers").at(0).at("activation_bytes_per_sample") == 4 * 6 * 28 * 28);
}
