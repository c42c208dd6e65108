#include "trainer/models/catalogue.hpp"

#include "trainer/files/error.hpp"
#include "trainer/files/nearest_name.hpp"
#include "trainer/models/inception.hpp"
#include "trainer/models/resnet.hpp"
#include "trainer/models/vgg.hpp"

#include <algorithm>

namespace ddltrain {
namespace {

using Entries = std::vector<CatalogueEntry>;

const std::string kImage224 = "image 3x224x224";
const std::string kImage299 = "image 3x299x299";

void add_classic(Entries& entries) {
  entries.push_back({"vgg16", "VGG-16, 1000 classes", kImage224, vgg16});
}

void add_inception(Entries& entries) {
  const auto add = [&entries](const std::string& name, const std::string& title, InceptionVariant variant) {
    entries.push_back({name, title, kImage299, [variant] { return inception_v3(variant); }});
  };
  add("inception_v3", "Inception v3 without auxiliary head, 1000 classes", InceptionVariant::torchvision);
  add("inception_v3_aux", "Inception v3 with auxiliary head (torchvision), 1000 classes",
      InceptionVariant::torchvision_aux);
  add("inception_v3_tf",
      "Inception v3 as in tf_cnn_benchmarks: no auxiliary head, batch norm without gamma, 1001 classes",
      InceptionVariant::tensorflow);
}

void add_resnet(Entries& entries, const std::string& depth, const ResNetDepths& depths) {
  const auto add = [&](const std::string& version_name, const std::string& remark, ResNetVersion version) {
    entries.push_back({"resnet" + depth + "_" + version_name,
                       "ResNet-" + depth + " " + version_name + " (" + remark + "), 1000 classes", kImage224,
                       [depths, version] { return resnet(depths, version); }});
  };
  add("v1", "stride in the first 1x1", ResNetVersion::v1);
  add("v1.5", "stride in the 3x3", ResNetVersion::v1_5);
  add("v2", "pre-activation, as in tf_cnn_benchmarks", ResNetVersion::v2);
}

Entries make_catalogue() {
  Entries entries;
  add_classic(entries);
  add_inception(entries);
  add_resnet(entries, "50", kResNet50);
  add_resnet(entries, "101", kResNet101);
  add_resnet(entries, "152", kResNet152);
  return entries;
}

} // namespace

const std::vector<CatalogueEntry>& catalogue() {
  static const Entries entries = make_catalogue();
  return entries;
}

const CatalogueEntry& find_model(const std::string& name) {
  const auto& entries = catalogue();
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return entry.name == name; });
  if (found != entries.end()) {
    return *found;
  }
  std::vector<std::string> names;
  for (const CatalogueEntry& entry : entries) {
    names.push_back(entry.name);
  }
  throw UsageError("unknown model \"" + name + "\"; the nearest is \"" + nearest_name(name, names) +
                   "\". `ddltrain describe --list` shows all.");
}

} // namespace ddltrain
