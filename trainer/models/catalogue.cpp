#include "trainer/models/catalogue.hpp"

#include "sim/base/error.hpp"
#include "trainer/models/networks.hpp"
#include "trainer/models/residual_networks.hpp"

namespace ddltrain {
namespace {

using Entries = std::vector<CatalogueEntry>;

const std::string image224 = "image 3x224x224";
const std::string image299 = "image 3x299x299";

const Hyperparameter digits_rate = {0.05, "tried here: 98 % of digits are right after one epoch"};
/// The papers' rate of 0.01 (Krizhevsky et al. 2012, section 5; Simonyan and Zisserman, arXiv 1409.1556, section 3.1)
/// is for images of mean zero and small initial weights; with He's initial weights and without batch normalisation,
/// training at 0.01 ends in NaN.
const Hyperparameter plain_rate = {0.001, "a tenth of the 0.01 of Krizhevsky et al. 2012 and of arXiv 1409.1556"};
const Hyperparameter googlenet_rate = {0.01, "the same as bvlc_googlenet of Caffe's model zoo"};
const Hyperparameter googlenet_plain_rate = {0.001, "a tenth of bvlc_googlenet's 0.01 of Caffe's model zoo"};
const Hyperparameter inception_rate = {0.045, "arXiv 1512.00567, section 8"};
const Hyperparameter mobilenet_rate = {0.045, "arXiv 1801.04381, section 6.1"};
const Hyperparameter resnet_rate = {0.1, "arXiv 1512.03385, section 3.4"};
const Hyperparameter ssd_rate = {2.6e-3, "NVIDIA/DeepLearningExamples, PyTorch/Detection/SSD/main.py, batch 32"};
const Hyperparameter ssd320_rate = {
    0.02, "NVIDIA/DeepLearningExamples, TensorFlow/Detection/SSD/configs/ssd320_bench.config"};
const Hyperparameter unet_rate = {1e-4, "NVIDIA/DeepLearningExamples, UNet_Industrial/README.md (of RMSProp)"};
const Hyperparameter mask_rcnn_rate = {0.02, "arXiv 1703.06870, section 3.1, 16 images a step"};
const Hyperparameter jasper_rate = {0.01, "NVIDIA/DeepLearningExamples, Jasper/scripts/train.sh (of NovoGrad)"};
const Hyperparameter bert_rate = {1e-4, "arXiv 1810.04805, appendix A.2 (of Adam)"};

const Hyperparameter no_decay = {0, "digits are learnt without"};
const Hyperparameter alexnet_decay = {5e-4, "Krizhevsky et al. 2012, section 5"};
const Hyperparameter vgg_decay = {5e-4, "arXiv 1409.1556, section 3.1"};
const Hyperparameter googlenet_decay = {2e-4, "bvlc_googlenet of Caffe's model zoo"};
const Hyperparameter inception_decay = {4e-5, "inception_arg_scope of TensorFlow's slim/nets/inception_utils.py"};
const Hyperparameter mobilenet_decay = {4e-5, "arXiv 1801.04381, section 6.1"};
const Hyperparameter resnet_decay = {1e-4, "arXiv 1512.03385, section 3.4"};
const Hyperparameter ssd_decay = {5e-4, "arXiv 1512.02325, section 3"};
const Hyperparameter ssd320_decay = {
    4e-4, "NVIDIA/DeepLearningExamples, TensorFlow/Detection/SSD/configs/ssd320_bench.config"};
const Hyperparameter unet_decay = {1e-5, "NVIDIA/DeepLearningExamples, UNet_Industrial/README.md"};
const Hyperparameter mask_rcnn_decay = {1e-4, "arXiv 1703.06870, section 3.1"};
const Hyperparameter jasper_decay = {1e-3, "NVIDIA/DeepLearningExamples, Jasper/scripts/train.sh (of NovoGrad)"};
const Hyperparameter bert_decay = {0.01, "arXiv 1810.04805, appendix A.2 (of Adam)"};

void add_classic(Entries& entries) {
  const auto add = [&entries](const std::string& name, const std::string& title, const std::string& sample, auto make,
                              const Hyperparameter& rate, const Hyperparameter& decay) {
    entries.push_back({name, title, sample, make, rate, decay});
  };
  add("lenet5", "LeNet-5 on digits, 10 classes", "image 1x28x28", lenet5, digits_rate, no_decay);
  add(
      "alexnet", "AlexNet of one column (torchvision), 1000 classes", image224,
      [] { return alexnet(AlexNetVariant::torchvision); }, plain_rate, alexnet_decay);
  add(
      "alexnet_tf", "AlexNet as in tf_cnn_benchmarks, 1001 classes", "image 3x227x227",
      [] { return alexnet(AlexNetVariant::tensorflow); }, plain_rate, alexnet_decay);
  add(
      "alexnet_mxnet", "AlexNet as in MXNet's image-classification example, 1000 classes", image224,
      [] { return alexnet(AlexNetVariant::mxnet); }, plain_rate, alexnet_decay);
  add("vgg16", "VGG-16, 1000 classes", image224, vgg16, plain_rate, vgg_decay);
  add("googlenet", "GoogLeNet without auxiliary heads (torchvision), 1000 classes", image224, googlenet, googlenet_rate,
      googlenet_decay);
  add("googlenet_aux", "GoogLeNet with both auxiliary heads (bvlc_googlenet of Caffe), 1000 classes", image224,
      googlenet_bvlc, googlenet_plain_rate, googlenet_decay);
  add("googlenet_256", "GoogLeNet as in MXNet's image-classification example, on images of 256, 1000 classes",
      "image 3x256x256", googlenet_mxnet, googlenet_plain_rate, googlenet_decay);
  add("mobilenet_v2", "MobileNetV2 of width 1.0, 1000 classes", image224, mobilenet_v2, mobilenet_rate,
      mobilenet_decay);
}

void add_inception(Entries& entries) {
  const auto add = [&entries](const std::string& name, const std::string& title, InceptionVariant variant) {
    entries.push_back(
        {name, title, image299, [variant] { return inception_v3(variant); }, inception_rate, inception_decay});
  };
  add("inception_v3", "Inception v3 without auxiliary head, 1000 classes", InceptionVariant::torchvision);
  add("inception_v3_aux", "Inception v3 with auxiliary head (torchvision), 1000 classes",
      InceptionVariant::torchvision_aux);
  add("inception_v3_tf",
      "Inception v3 as in tf_cnn_benchmarks: no auxiliary head, batch norm without gamma, 1001 classes",
      InceptionVariant::tensorflow);
  entries.push_back({"inception_v4_tf", "Inception v4 as in tf_cnn_benchmarks: batch norm without gamma, 1001 classes",
                     image299, inception_v4_tensorflow, inception_rate, inception_decay});
}

void add_resnet(Entries& entries, const std::string& depth, const ResNetDepths& depths) {
  const auto add = [&](const std::string& version_name, const std::string& remark, ResNetVersion version) {
    entries.push_back({"resnet" + depth + "_" + version_name,
                       "ResNet-" + depth + " " + version_name + " (" + remark + "), 1000 classes", image224,
                       [depths, version] { return resnet(depths, version); }, resnet_rate, resnet_decay});
  };
  add("v1", "stride in the first 1x1", ResNetVersion::v1);
  add("v1.5", "stride in the 3x3", ResNetVersion::v1_5);
  add("v2", "pre-activation, as in tf_cnn_benchmarks", ResNetVersion::v2);
}

void add_resnext(Entries& entries) {
  const auto add = [&entries](const std::string& name, const std::string& title, bool excites) {
    entries.push_back({name, title, image224, [excites] { return resnext(resnet101_depths, {.excites = excites}); },
                       resnet_rate, resnet_decay});
  };
  add("resnext101_32x4d", "ResNeXt-101 of 32 groups of 4 channels, stride in the 3x3, 1000 classes", false);
  add("se_resnext101_32x4d", "ResNeXt-101 32x4d with squeeze and excitation, 1000 classes", true);
}

/// Number of scored tokens: at 64 tokens the masked-word head scores every token, as the HKBU benchmark of this length
/// does (transformers' BertForPreTraining); at 128 it scores the 20 masked ones, google-research/bert's
/// max_predictions_per_seq; at 512 the 80 masked ones of the second phase of NVIDIA/DeepLearningExamples.
void add_bert(Entries& entries, const std::string& size, BertShape shape) {
  const auto add = [&](std::int64_t tokens, std::int64_t predicted, const std::string& remark) {
    shape.tokens = tokens;
    shape.predicted = predicted;
    const std::string length = std::to_string(tokens);
    entries.push_back({"bert_" + size + "_seq" + length,
                       "BERT-" + size + " pre-training, " + length + " tokens, " + remark + " scored by the word head",
                       "sequence of " + length + " tokens", [shape] { return bert(shape); }, bert_rate, bert_decay});
  };
  add(64, 0, "all");
  add(128, 20, "20");
  if (size == "large") {
    add(512, 80, "80");
  }
}

void add_detection(Entries& entries) {
  entries.push_back({"ssd300", "SSD300 on ResNet-50 (NVIDIA's), 8732 boxes, 81 classes", "image 3x300x300", ssd300,
                     ssd_rate, ssd_decay});
  entries.push_back({"ssd320_fpn", "SSD320 on ResNet-50 v1 with feature pyramid (NVIDIA's), 12804 boxes, 91 classes",
                     "image 3x320x320", ssd320_fpn, ssd320_rate, ssd320_decay});
  entries.push_back({"unet_industrial", "U-Net for defects in industrial images (NVIDIA's TinyUNet)", "image 1x512x512",
                     unet_industrial, unet_rate, unet_decay});
  entries.push_back({"maskrcnn",
                     "Mask R-CNN on ResNet-50 with feature pyramid, 512 regions, 81 classes; chooses no proposals",
                     "image 3x800x1344", mask_rcnn, mask_rcnn_rate, mask_rcnn_decay});
}

void add_speech(Entries& entries) {
  entries.push_back({"jasper", "Jasper 10x5 with dense residual connections, 28 letters and a blank",
                     "utterance of 16.7 s", jasper, jasper_rate, jasper_decay});
}

Entries make_catalogue() {
  Entries entries;
  add_classic(entries);
  add_inception(entries);
  add_resnet(entries, "50", resnet50_depths);
  add_resnet(entries, "101", resnet101_depths);
  add_resnet(entries, "152", resnet152_depths);
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
