#include "trainer/models/lenet.hpp"

#include "trainer/models/image_network.hpp"

namespace ddltrain {

std::shared_ptr<Network> lenet5() {
  ImageNetworkPlan plan;
  plan.image = {1, 28, 28};
  plan.classes = 10;
  plan.units = {
      {"conv1", convolution({.in_channels = 1, .out_channels = 6, .kernel = {5, 5}, .padding = {2, 2}, .bias = true})},
      {"relu1", relu()},
      {"pool1", max_pool({.kernel = 2, .stride = 2})},
      {"conv2", convolution({.in_channels = 6, .out_channels = 16, .kernel = {5, 5}, .bias = true})},
      {"relu2", relu()},
      {"pool2", max_pool({.kernel = 2, .stride = 2})},
      {"flatten", flatten()},
      {"fc1", linear(16 * 5 * 5, 120)},
      {"relu3", relu()},
      {"fc2", linear(120, 84)},
      {"relu4", relu()},
      {"fc3", linear(84, plan.classes)}};
  return image_network(std::move(plan));
}

} // namespace ddltrain
