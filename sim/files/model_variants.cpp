#include "sim/files/model.hpp"
#include "sim/files/names.hpp"
#include "sim/files/readers.hpp"

#include <fmt/format.h>

#include <map>

namespace ddlsim {

namespace {

/// Without the signs people put between the parts of a name: "ResNet-50" and "resnet_50" both leave the variant open.
std::string bare(const std::string& name) {
  std::string letters;
  for (const char c : name)
    if (c != '-' && c != '_') letters += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return letters;
}

std::vector<std::string> resnet_variants(const std::string& depth) {
  return {"resnet" + depth + "_v1", "resnet" + depth + "_v1.5", "resnet" + depth + "_v2"};
}

} // namespace

std::vector<std::string> variants_of_bare_name(const std::string& name) {
  static const std::vector<std::string> inceptions{"inception_v3", "inception_v3_aux", "inception_v3_tf"};
  static const std::map<std::string, std::vector<std::string>> families{
      {"resnet50", resnet_variants("50")},
      {"resnet101", resnet_variants("101")},
      {"resnet152", resnet_variants("152")},
      {"inception", inceptions},
      {"inception3", inceptions},
      {"bert", {"bert_base_seq64", "bert_base_seq128", "bert_large_seq64", "bert_large_seq128"}},
      {"bertbase", {"bert_base_seq64", "bert_base_seq128"}},
      {"bertlarge", {"bert_large_seq64", "bert_large_seq128"}}};
  const auto family = families.find(bare(name));
  return family == families.end() ? std::vector<std::string>{} : family->second;
}

void refuse_bare_model_name(const Place& place, const std::string& key, const std::string& name) {
  const auto variants = variants_of_bare_name(name);
  if (!variants.empty()) {
    place.mistake_at(key, fmt::format("{} leaves open which variant is meant; give one of {}", in_quotes(name),
                                      join_names(variants)));
  }
}

} // namespace ddlsim
