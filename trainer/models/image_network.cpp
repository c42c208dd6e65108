#include "trainer/models/image_network.hpp"

#include "trainer/layers/unit.hpp"

#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>

namespace ddltrain {
namespace {

class ImageNetwork final : public Network {
public:
  explicit ImageNetwork(ImageNetworkPlan plan) : plan_(std::move(plan)) {
    for (const NamedUnit& named : plan_.units) {
      register_module(named.name, named.unit);
      for (const AuxiliaryHead& head : plan_.auxiliaries) {
        if (named.name == head.after) {
          register_module(head.classifier.name, head.classifier.unit);
        }
      }
    }
    add_loss(loss_, "");
    auxiliary_losses_.resize(plan_.auxiliaries.size());
    for (std::size_t i = 0; i < auxiliary_losses_.size(); ++i) {
      add_loss(auxiliary_losses_[i], plan_.auxiliaries[i].classifier.name + "_");
    }
  }

  Batch random_batch(std::int64_t samples) const override {
    const auto& [channels, height, width] = plan_.image;
    const at::Tensor images = at::rand({samples, channels, height, width});
    return {{images}, {at::randint(plan_.classes, {samples}, at::kLong)}};
  }

  at::Tensor losses(const Batch& batch) override {
    std::vector<at::Tensor> auxiliary;
    const at::Tensor value = logits(batch.inputs.at(0), auxiliary);
    at::Tensor loss = cross_entropy(loss_, value, batch.targets.at(0));
    for (std::size_t i = 0; i < auxiliary.size(); ++i) {
      loss =
          loss + plan_.auxiliaries[i].weight * cross_entropy(auxiliary_losses_[i], auxiliary[i], batch.targets.at(0));
    }
    return loss;
  }

  at::Tensor class_scores(const at::Tensor& inputs) override {
    std::vector<at::Tensor> auxiliary;
    return logits(inputs, auxiliary);
  }

private:
  struct Loss {
    UnitPtr log_softmax;
    UnitPtr likelihood;
  };

  void add_loss(Loss& loss, const std::string& prefix) {
    loss.log_softmax = register_module(prefix + "log_softmax", ddltrain::log_softmax());
    loss.likelihood = register_module(prefix + "loss", negative_log_likelihood());
  }

  /// Returns the logits of the network, and appends those of the auxiliary heads to `auxiliary`.
  at::Tensor logits(at::Tensor value, std::vector<at::Tensor>& auxiliary) {
    for (const NamedUnit& named : plan_.units) {
      value = named.unit->forward(value);
      for (const AuxiliaryHead& head : plan_.auxiliaries) {
        if (named.name == head.after) {
          auxiliary.push_back(head.classifier.unit->forward(value));
        }
      }
    }
    return value;
  }

  static at::Tensor cross_entropy(const Loss& loss, const at::Tensor& logits, const at::Tensor& targets) {
    return call_layer(loss.likelihood, {loss.log_softmax->forward(logits), targets});
  }

  ImageNetworkPlan plan_;
  Loss loss_;
  std::vector<Loss> auxiliary_losses_;
};

} // namespace

std::shared_ptr<Network> image_network(ImageNetworkPlan plan) {
  return std::make_shared<ImageNetwork>(std::move(plan));
}

UnitPtr conv_bn_relu(const ConvolutionShape& shape, const BatchNormOptions& norm) {
  return chain({{"conv", convolution(shape)}, {"bn", batch_norm(shape.out_channels, norm)}, {"relu", relu()}});
}

} // namespace ddltrain
