#include "trainer/models/catalogue.hpp"

#include "sim/base/error.hpp"
#include "trainer/models/networks.hpp"
#include "trainer/models/residual_networks.hpp"

namespace ddltrain {
namespace {

using Entries = std::vector<CatalogueEntry>;

const std::string kImage224 = "image 3x224x224";
const std::string kImage299 = "image 3x299x299";

const Hyperparameter kDigitsRate = {0.05, "tried here: 98 % of digits are right after one epoch"};
/// The papers' 0.01 (Krizhevsky et al. 2012, section 5; Simonyan and Zisserman, arXiv 1409.1556, section 3.1) is for
/// images of mean zero and small initial weights; with He's weights and without batch normalisation it ends in NaN.
const Hyperparameter kPlainRate = {0.001, "a tenth of the 0.01 of Krizhevsky et al. 2012 and of arXiv 1409.1556"};
const Hyperparameter kGoogLeNetRate = {0.01, "the same as bvlc_googlenet of Caffe's model zoo"};
const Hyperparameter kGoogLeNetPlainRate = {0.001, "a tenth of bvlc_googlenet's 0.01 of Caffe's model zoo"};
const Hyperparameter kInceptionRate = {0.045, "arXiv 1512.00567, section 8"};
const Hyperparameter kMobileNetRate = {0.045, "arXiv 1801.04381, section 6.1"};
const Hyperparameter kResNetRate = {0.1, "arXiv 1512.03385, section 3.4"};
const Hyperparameter kSsdRate = {2.6e-3, "NVIDIA/DeepLearningExamples, PyTorch/Detection/SSD/main.py, batch 32"};
const Hyperparameter kSsd320Rate = {
    0.02, "NVIDIA/DeepLearningExamples, TensorFlow/Detection/SSD/configs/ssd320_bench.config"};
const Hyperparameter kUNetRate = {1e-4, "NVIDIA/DeepLearningExamples, UNet_Industrial/README.md (of RMSProp)"};
const Hyperparameter kMaskRcnnRate = {0.02, "arXiv 1703.06870, section 3.1, 16 images a step"};
const Hyperparameter kJasperRate = {0.01, "NVIDIA/DeepLearningExamples, Jasper/scripts/train.sh (of NovoGrad)"};
const Hyperparameter kBertRate = {1e-4, "arXiv 1810.04805, appendix A.2 (of Adam)"};

const Hyperparameter kNoDecay = {0, "digits are learnt without"};
const Hyperparameter kAlexNetDecay = {5e-4, "Krizhevsky et al. 2012, section 5"};
const Hyperparameter kVggDecay = {5e-4, "arXiv 1409.1556, section 3.1"};
const Hyperparameter kGoogLeNetDecay = {2e-4, "bvlc_googlenet of Caffe's model zoo"};
const Hyperparameter kInceptionDecay = {4e-5, "inception_arg_scope of TensorFlow's slim/nets/inception_utils.py"};
const Hyperparameter kMobileNetDecay = {4e-5, "arXiv 1801.04381, section 6.1"};
const Hyperparameter kResNetDecay = {1e-4, "arXiv 1512.03385, section 3.4"};
const Hyperparameter kSsdDecay = {5e-4, "arXiv 1512.02325, section 3"};
const Hyperparameter kSsd320Decay = {
    4e-4, "NVIDIA/DeepLearningExamples, TensorFlow/Detection/SSD/configs/ssd320_bench.config"};
const Hyperparameter kUNetDecay = {1e-5, "NVIDIA/DeepLearningExamples, UNet_Industrial/README.md"};
const Hyperparameter kMaskRcnnDecay = {1e-4, "arXiv 1703.06870, section 3.1"};
const Hyperparameter kJasperDecay = {1e-3, "NVIDIA/DeepLearningExamples, Jasper/scripts/train.sh (of NovoGrad)"};
const Hyperparameter kBertDecay = {0.01, "arXiv 1810.04805, appendix A.2 (of Adam)"};

void add_classic(Entries& entries) {
  const auto add = [&entries](const std::string& name, const std::string& title, const std::string& sample, auto make,
                              const Hyperparameter& rate, const Hyperparameter& decay) {
    entries.push_back({name, title, sample, make, rate, decay});
  };
  add("lenet5", "LeNet-5 on digits, 10 classes", "image 1x28x28", lenet5, kDigitsRate, kNoDecay);
  add(
      "alexnet", "AlexNet of one column (torchvision), 1000 classes", kImage224,
      [] { return alexnet(AlexNetVariant::torchvision); }, kPlainRate, kAlexNetDecay);
  add(
      "alexnet_tf", "AlexNet as in tf_cnn_benchmarks, 1001 classes", "image 3x227x227",
      [] { return alexnet(AlexNetVariant::tensorflow); }, kPlainRate, kAlexNetDecay);
  add(
      "alexnet_mxnet", "AlexNet as in MXNet's image-classification example, 1000 classes", kImage224,
      [] { return alexnet(AlexNetVariant::mxnet); }, kPlainRate, kAlexNetDecay);
  add("vgg16", "VGG-16, 1000 classes", kImage224, vgg16, kPlainRate, kVggDecay);
  add("googlenet", "GoogLeNet without auxiliary heads (torchvision), 1000 classes", kImage224, googlenet,
      kGoogLeNetRate, kGoogLeNetDecay);
  add("googlenet_aux", "GoogLeNet with both auxiliary heads (bvlc_googlenet of Caffe), 1000 classes", kImage224,
      googlenet_bvlc, kGoogLeNetPlainRate, kGoogLeNetDecay);
  add("googlenet_256", "GoogLeNet as in MXNet's image-classification example, on images of 256, 1000 classes",
      "image 3x256x256", googlenet_mxnet, kGoogLeNetPlainRate, kGoogLeNetDecay);
  add("mobilenet_v2", "MobileNetV2 of width 1.0, 1000 classes", kImage224, mobilenet_v2, kMobileNetRate,
      kMobileNetDecay);
}

void add_inception(Entries& entries) {
  const auto add = [&entries](const std::string& name, const std::string& title, InceptionVariant variant) {
    entries.push_back(
        {name, title, kImage299, [variant] { return inception_v3(variant); }, kInceptionRate, kInceptionDecay});
  };
  add("inception_v3", "Inception v3 without auxiliary head, 1000 classes", InceptionVariant::torchvision);
  add("inception_v3_aux", "Inception v3 with auxiliary head (torchvision), 1000 classes",
      InceptionVariant::torchvision_aux);
  add("inception_v3_tf",
      "Inception v3 as in tf_cnn_benchmarks: no auxiliary head, batch norm without gamma, 1001 classes",
      InceptionVariant::tensorflow);
  entries.push_back({"inception_v4_tf", "Inception v4 as in tf_cnn_benchmarks: batch norm without gamma, 1001 classes",
                     kImage299, inception_v4_tensorflow, kInceptionRate, kInceptionDecay});
}

void add_resnet(Entries& entries, const std::string& depth, const ResNetDepths& depths) {
  const auto add = [&](const std::string& version_name, const std::string& remark, ResNetVersion version) {
    entries.push_back({"resnet" + depth + "_" + version_name,
                       "ResNet-" + depth + " " + version_name + " (" + remark + "), 1000 classes", kImage224,
                       [depths, version] { return resnet(depths, version); }, kResNetRate, kResNetDecay});
  };
  add("v1", "stride in the first 1x1", ResNetVersion::v1);
  add("v1.5", "stride in the 3x3", ResNetVersion::v1_5);
  add("v2", "pre-activation, as in tf_cnn_benchmarks", ResNetVersion::v2);
}

void add_resnext(Entries& entries) {
  const auto add = [&entries](const std::string& name, const std::string& title, bool excites) {
    entries.push_back({name, title, kImage224, [excites] { return resnext(kResNet101, {.excites = excites}); },
                       kResNetRate, kResNetDecay});
  };
  add("resnext101_32x4d", "ResNeXt-101 of 32 groups of 4 channels, stride in the 3x3, 1000 classes", false);
  add("se_resnext101_32x4d", "ResNeXt-101 32x4d with squeeze and excitation, 1000 classes", true);
}

/// At 64 tokens the masked-word head scores every token, as the HKBU benchmark that uses this length does
/// (transformers' BertForPreTraining); at 128 it scores the 20 masked ones, google-research/bert's
/// max_predictions_per_seq; at 512 the 80 of NVIDIA/DeepLearningExamples' second phase.
void add_bert(Entries& entries, const std::string& size, BertShape shape) {
  const auto add = [&](std::int64_t tokens, std::int64_t predicted, const std::string& remark) {
    shape.tokens = tokens;
    shape.predicted = predicted;
    const std::string length = std::to_string(tokens);
    entries.push_back({"bert_" + size + "_seq" + length,
                       "BERT-" + size + " pre-training, " + length + " tokens, " + remark + " scored by the word head",
                       "sequence of " + length + " tokens", [shape] { return bert(shape); }, kBertRate, kBertDecay});
  };
  add(64, 0, "all");
  add(128, 20, "20");
  if (size == "large") {
    add(512, 80, "80");
  }
}

void add_detection(Entries& entries) {
  entries.push_back({"ssd300", "SSD300 on ResNet-50 (NVIDIA's), 8732 boxes, 81 classes", "image 3x300x300", ssd300,
                     kSsdRate, kSsdDecay});
  entries.push_back({"ssd320_fpn", "SSD320 on ResNet-50 v1 with feature pyramid (NVIDIA's), 12804 boxes, 91 classes",
                     "image 3x320x320", ssd320_fpn, kSsd320Rate, kSsd320Decay});
  entries.push_back({"unet_industrial", "U-Net for defects in industrial images (NVIDIA's TinyUNet)", "image 1x512x512",
                     unet_industrial, kUNetRate, kUNetDecay});
  entries.push_back({"maskrcnn",
                     "Mask R-CNN on ResNet-50 with feature pyramid, 512 regions, 81 classes; chooses no proposals",
                     "image 3x800x1344", mask_rcnn, kMaskRcnnRate, kMaskRcnnDecay});
}

void add_speech(Entries& entries) {
  entries.push_back({"jasper", "Jasper 10x5 with dense residual connections, 28 letters and a blank",
                     "utterance of 16.7 s", jasper, kJasperRate, kJasperDecay});
}

Entries make_catalogue() {
  Entries entries;
  add_classic(entries);
  add_inception(entries);
  add_resnet(entries, "50", kResNet50);
  add_resnet(entries, "101", kResNet101);
  add_resnet(entries, "152", kResNet152);
  add_resnext(entries);
  add_bert(entries, "base", {.blocks = 12, .width = 768, .heads = 12});
  add_bert(entries, "large", {.blocks = 24, .width = 1024, .heads = 16});
  add_detection(entries);
  add_speech(entries);
  return entries;
}

} // namespace

const std::vector<CatalogueEntry>& catalogue() {
  static const Entries entries = make_catalogue();
  return entries;
}

const CatalogueEntry& find_model(const std::string& name) {
  std::vector<std::string> names;
  std::string variants;
  for (const CatalogueEntry& entry : catalogue()) {
    if (entry.name == name) return entry;
    names.push_back(entry.name);
    if (entry.name.starts_with(name + "_")) {
      variants += (variants.empty() ? "" : ", ") + entry.name;
    }
  }
  const std::string answer = variants.empty() ? ddlsim::unknown_name_text("model", name, names, names)
                                              : "model \"" + name + "\" leaves the variant open: " + variants;
  throw ddlsim::UserError("", "", answer + "; `ddltrain describe --list` tells more");
}

} // namespace ddltrain
