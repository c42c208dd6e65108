// TorchScript modules are made here through LibTorch's own compiler, saved, and read back as a user's file is.
#include "sim/base/error.hpp"
#include "tests/base/temporary_folder.hpp"
#include "trainer/describe/torchscript.hpp"
#include "trainer/models/catalogue.hpp"
#include "trainer/models/image_network.hpp"

#include <ATen/ops/rand.h>
#include <ATen/ops/zeros.h>
#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <torch/csrc/jit/api/module.h>

#include <fstream>

namespace {

using ddltrain::DescribedModule;
using ddltrain::LayerTable;
using torch::jit::Module;

/// Types of one name are one type to LibTorch, also where their parts differ.
std::string class_name(const std::string& name) {
  static int number = 0;
  return fmt::format("__torch__.{}_{}", name, ++number);
}

Module scripted(const std::string& name, const std::string& forward) {
  Module module(class_name(name));
  module.register_attribute("training", c10::BoolType::get(), true);
  module.define(forward);
  return module;
}

Module with_weights(const std::string& name, const std::vector<std::pair<std::string, at::Tensor>>& weights,
                    const std::string& forward) {
  Module module(class_name(name));
  module.register_attribute("training", c10::BoolType::get(), true);
  for (const auto& [weight, value] : weights) module.register_parameter(weight, value, /*is_buffer=*/false);
  module.define(forward);
  return module;
}

at::Tensor trained(const std::vector<std::int64_t>& shape) {
  return at::rand(shape).set_requires_grad(true);
}

Module conv(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride) {
  return with_weights("Conv", {{"weight", trained({out, in, kernel, kernel})}},
                      fmt::format("def forward(self, x):\n"
                                  "  return torch.conv2d(x, self.weight, None, [{0}, {0}], [{1}, {1}], [1, 1], 1)\n",
                                  stride, kernel / 2));
}

Module bn(std::int64_t channels) {
  Module module(class_name("BatchNorm"));
  module.register_attribute("training", c10::BoolType::get(), true);
  module.register_parameter("weight", trained({channels}), false);
  module.register_parameter("bias", trained({channels}), false);
  module.register_buffer("running_mean", at::zeros({channels}));
  module.register_buffer("running_var", at::rand({channels}));
  module.define("def forward(self, x):\n  return torch.batch_norm(x, self.weight, self.bias, self.running_mean, "
                "self.running_var, self.training, 0.1, 1e-5, True)\n");
  return module;
}

Module activation() {
  return scripted("ReLU", "def forward(self, x):\n  return torch.relu(x)\n");
}

/// Parts called one after the other, under the names "0", "1", ...
Module sequence(const std::vector<Module>& parts) {
  Module module(class_name("Sequential"));
  module.register_attribute("training", c10::BoolType::get(), true);
  std::string forward = "def forward(self, x):\n";
  for (std::size_t i = 0; i < parts.size(); ++i) {
    module.register_module(std::to_string(i), parts[i]);
    forward += fmt::format("  x = getattr(self, \"{}\").forward(x)\n", i);
  }
  module.define(forward + "  return x\n");
  return module;
}

/// ResNet v1.5's block, as torchvision writes it: one ReLU module called three times.
Module bottleneck(std::int64_t in, std::int64_t width, std::int64_t stride) {
  Module module(class_name("Bottleneck"));
  module.register_attribute("training", c10::BoolType::get(), true);
  module.register_module("conv1", conv(in, width, 1, 1));
  module.register_module("bn1", bn(width));
  module.register_module("conv2", conv(width, width, 3, stride));
  module.register_module("bn2", bn(width));
  module.register_module("conv3", conv(width, 4 * width, 1, 1));
  module.register_module("bn3", bn(4 * width));
  module.register_module("relu", activation());
  const bool projects = stride != 1 || in != 4 * width;
  if (projects) module.register_module("downsample", sequence({conv(in, 4 * width, 1, stride), bn(4 * width)}));
  module.define(fmt::format("def forward(self, x):\n"
                            "  y = self.relu.forward(self.bn1.forward(self.conv1.forward(x)))\n"
                            "  y = self.relu.forward(self.bn2.forward(self.conv2.forward(y)))\n"
                            "  y = self.bn3.forward(self.conv3.forward(y))\n"
                            "  y += {}\n"
                            "  return self.relu.forward(y)\n",
                            projects ? "self.downsample.forward(x)" : "x"));
  return module;
}

Module stage(std::int64_t in, std::int64_t width, std::int64_t stride, int blocks) {
  std::vector<Module> parts;
  for (int i = 0; i < blocks; ++i) parts.push_back(bottleneck(i == 0 ? in : 4 * width, width, i == 0 ? stride : 1));
  return sequence(parts);
}

Module resnet50() {
  Module module(class_name("ResNet"));
  module.register_attribute("training", c10::BoolType::get(), true);
  module.register_module("conv1", conv(3, 64, 7, 2));
  module.register_module("bn1", bn(64));
  module.register_module("relu", activation());
  module.register_module("layer1", stage(64, 64, 1, 3));
  module.register_module("layer2", stage(256, 128, 2, 4));
  module.register_module("layer3", stage(512, 256, 2, 6));
  module.register_module("layer4", stage(1024, 512, 2, 3));
  module.register_module("fc",
                         with_weights("Linear", {{"weight", trained({1000, 2048})}, {"bias", trained({1000})}},
                                      "def forward(self, x):\n  return torch.linear(x, self.weight, self.bias)\n"));
  module.define("def forward(self, x):\n"
                "  x = self.relu.forward(self.bn1.forward(self.conv1.forward(x)))\n"
                "  x = torch.max_pool2d(x, [3, 3], [2, 2], [1, 1])\n"
                "  x = self.layer2.forward(self.layer1.forward(x))\n"
                "  x = self.layer4.forward(self.layer3.forward(x))\n"
                "  x = torch.flatten(torch.adaptive_avg_pool2d(x, [1, 1]), 1)\n"
                "  return self.fc.forward(x)\n");
  return module;
}

DescribedModule described(const Module& module, const std::vector<std::string>& inputs) {
  const ddlsim_test::TemporaryFolder folder;
  const auto file = folder.path() / "module.pt";
  module.save(file.string());
  std::vector<ddltrain::ModuleInput> read;
  for (const auto& input : inputs) read.push_back(ddltrain::module_input(input));
  return ddltrain::describe_torchscript(file, read);
}

std::string refused(const std::function<void()>& act) {
  try {
    act();
  } catch (const ddlsim::UserError& error) {
    return error.what();
  }
  return "";
}

std::string joined(const std::vector<std::string>& notes) {
  std::string text;
  for (const auto& note : notes) text += note + "\n";
  return text;
}

} // namespace

TEST_CASE("a scripted ResNet-50 has the shipped table, but for the loss and the names of what has no weights") {
  const auto scripted_table = described(resnet50(), {"3x224x224"});
  auto shipped = ddltrain::describe(*ddltrain::find_model("resnet50_v1.5").make());
  REQUIRE(shipped.size() > 2);
  shipped.resize(shipped.size() - 2); // log_softmax and loss
  const LayerTable& table = scripted_table.layers;
  REQUIRE(table.size() == shipped.size());
  for (std::size_t i = 0; i < table.size(); ++i) {
    INFO(shipped[i].name << " " << table[i].name);
    CHECK(table[i].kind == shipped[i].kind);
    CHECK(table[i].forward_flop_per_sample == shipped[i].forward_flop_per_sample);
    CHECK(table[i].activation_bytes_per_sample == shipped[i].activation_bytes_per_sample);
    REQUIRE(table[i].tensors.size() == shipped[i].tensors.size());
    if (!table[i].tensors.empty()) CHECK(table[i].name == shipped[i].name);
    for (std::size_t t = 0; t < table[i].tensors.size(); ++t) {
      CHECK(table[i].tensors[t].name == shipped[i].tensors[t].name);
      CHECK(table[i].tensors[t].shape == shipped[i].tensors[t].shape);
    }
  }
  CHECK_THAT(scripted_table.type, Catch::StartsWith("ResNet_"));
  CHECK(table[2].name == "relu");
  CHECK(table[6].name == "layer1.0.relu");
  CHECK(table[9].name == "layer1.0.relu_2");
  CHECK_THAT(joined(scripted_table.notes), Catch::Contains("the loss is not in a module"));
  CHECK(scripted_table.notes.size() == 1);
}

TEST_CASE("a transformer's block: attention by its products, positions and a tied head where they are used") {
  constexpr std::int64_t word_count = 100;
  constexpr std::int64_t token_count = 8;
  constexpr std::int64_t state_width = 16;
  const auto module = with_weights("Decoder",
                                   {{"words", trained({word_count, state_width})},
                                    {"positions", trained({32, state_width})},
                                    {"qkv", trained({3 * state_width, state_width})},
                                    {"scale", trained({state_width})},
                                    {"unused", trained({3})}},
                                   "def forward(self, tokens):\n"
                                   "  x = torch.embedding(self.words, tokens)\n"
                                   "  x = x + self.positions[:8]\n"
                                   "  q, k, v = torch.chunk(torch.linear(x, self.qkv), 3, 2)\n"
                                   "  scores = torch.softmax(torch.matmul(q, torch.transpose(k, 1, 2)) * 0.25, 2)\n"
                                   "  x = torch.layer_norm(x + torch.bmm(scores, v), [16], self.scale, None)\n"
                                   "  x = torch.erfinv(x)\n"
                                   "  return torch.linear(x, self.words)\n");
  const auto result = described(module, {"8:int64"});
  std::vector<std::string> rows;
  for (const auto& row : result.layers)
    rows.push_back(fmt::format("{} {} {} {} {}", row.name, row.kind, row.forward_flop_per_sample,
                               row.activation_bytes_per_sample, row.tensors.size()));
  const std::int64_t state = token_count * state_width;
  const std::int64_t scores = token_count * token_count;
  CHECK(rows ==
        std::vector<std::string>{fmt::format("embedding embedding 0 {} 1", 4 * state),
                                 fmt::format("add elementwise {} {} 1", state, 4 * state),
                                 fmt::format("linear linear {} {} 1", 2L * 3 * state * state_width, 4L * 3 * state),
                                 fmt::format("matmul attention {} {} 0", 2 * scores * state_width, 4 * scores),
                                 fmt::format("mul elementwise {} {} 0", scores, 4 * scores),
                                 fmt::format("softmax activation {} {} 0", 5 * scores, 4 * scores),
                                 fmt::format("bmm attention {} {} 0", 2 * state * token_count, 4 * state),
                                 fmt::format("add_2 elementwise {} {} 0", state, 4 * state),
                                 fmt::format("layer_norm norm {} {} 1", 7 * state, 4 * state),
                                 fmt::format("linear_2 linear {} {} 0", 2 * token_count * word_count * state_width,
                                             4 * token_count * word_count)});
  CHECK_THAT(joined(result.notes), Catch::Contains("aten::erfinv ran 1 time and was not counted") &&
                                       Catch::Contains("1 parameters were used by no operator") &&
                                       Catch::Contains("\"unused\""));
}

TEST_CASE("layers that share weights are one, groups and transposed convolutions are counted by their filters") {
  const auto twice =
      with_weights("Twice", {{"weight", trained({4, 4})}},
                   "def forward(self, x):\n  return torch.linear(torch.linear(x, self.weight), self.weight)\n");
  const auto shared = described(twice, {"4"}).layers;
  REQUIRE(shared.size() == 1);
  CHECK(shared[0].forward_flop_per_sample == 2L * 2 * 4 * 4);
  CHECK(shared[0].tensors.size() == 1);
  const auto depthwise = with_weights("Depthwise", {{"weight", trained({8, 1, 3, 3})}},
                                      "def forward(self, x):\n"
                                      "  return torch.conv2d(x, self.weight, None, [1, 1], [1, 1], [1, 1], 8)\n");
  CHECK(described(depthwise, {"8x10x10"}).layers.at(0).kind == "depthwise");
  CHECK(described(depthwise, {"8x10x10"}).layers.at(0).forward_flop_per_sample == 2L * 9 * 800);
  const auto doubled = with_weights("Doubled", {{"weight", trained({6, 5, 2, 2})}},
                                    "def forward(self, x):\n"
                                    "  return torch.conv_transpose2d(x, self.weight, None, [2, 2])\n");
  const auto larger = described(doubled, {"6x10x10"}).layers;
  CHECK(larger.at(0).forward_flop_per_sample ==
        2L * 6 * (5L * 20 * 20)); // one weight a channel meets each output value
  CHECK(larger.at(0).activation_bytes_per_sample == 4L * 5 * 20 * 20);
}

TEST_CASE("half precision is widened, several arguments are given in order, one sample is enough where it must be") {
  const auto half = with_weights("Half", {{"weight", at::rand({4, 4}).to(at::kHalf).set_requires_grad(true)}},
                                 "def forward(self, x, mask):\n"
                                 "  return torch.masked_fill(torch.linear(x, self.weight), mask, 0.0)\n");
  CHECK(described(half, {"4", "4:bool"}).layers.size() == 2);
  const auto single =
      with_weights("Single", {{"weight", trained({4, 4})}},
                   "def forward(self, x):\n  return torch.linear(torch.view(x, [1, 4]), self.weight)\n");
  const auto result = described(single, {"4"});
  CHECK(result.layers.at(0).forward_flop_per_sample == 32);
  CHECK_THAT(joined(result.notes), Catch::Contains("it runs on one sample only"));
}

TEST_CASE("a module that does not run, has no weights, or is none is refused in one message") {
  const auto linear = with_weights("Linear", {{"weight", trained({4, 4})}},
                                   "def forward(self, x):\n  return torch.linear(x, self.weight)\n");
  CHECK_THAT(refused([&] { described(linear, {"5"}); }),
             Catch::Contains("does not run on 1 input:") && Catch::Contains("RuntimeError: mat1 and mat2"));
  CHECK_THAT(refused([&] { described(linear, {"4", "4"}); }), Catch::Contains("does not run on 2 inputs"));
  CHECK_THAT(refused([&] { described(activation(), {"4"}); }), Catch::Contains("found no parameter that is trained"));
  for (const auto* text : {"", "x", "3x", "3xx4", "0", "-3", "3x4:int32", "9999999999x9999999999", "3x\x1b[31m"}) {
    const auto message = refused([&] { ddltrain::module_input(text); });
    CHECK_THAT(message, Catch::Contains("give the shape of one sample") && !Catch::Contains("\x1b"));
  }
  CHECK_THAT(refused([] { ddltrain::describe_torchscript("no/such.pt", {}); }), Catch::Contains("no/such.pt"));
}

TEST_CASE("no cut or changed module file does more than be refused or read", "[mutation]") {
  const ddlsim_test::TemporaryFolder folder;
  const auto file = folder.path() / "module.pt";
  with_weights("Linear", {{"weight", trained({4, 4})}},
               "def forward(self, x):\n  return torch.linear(x, self.weight)\n")
      .save(file.string());
  const auto whole = ddlsim_test::text_of(file);
  const auto inputs = std::vector{ddltrain::module_input("4")};
  const auto read = [&](const std::string& content) {
    std::ofstream(file, std::ios::binary) << content;
    return refused([&] { ddltrain::describe_torchscript(file, inputs); });
  };
  CHECK(read(whole).empty());
  CHECK_THAT(read("not a module"), Catch::Contains("cannot read it"));
  for (std::size_t length = 0; length < whole.size(); length += 97) CHECK_FALSE(read(whole.substr(0, length)).empty());
}
