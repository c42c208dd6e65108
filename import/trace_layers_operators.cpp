#include "import/trace_layers.hpp"

#include <algorithm>
#include <set>

namespace ddlsim {
namespace {

/// FLOP of mean, variance and (x - mean) / deviation in training, as in all tables
constexpr double normalise_flop = 6;
constexpr double rms_norm_flop = 4; ///< FLOP of square, sum, scale and weight

/// FLOP for each output value.
struct EachOutput {
  const char* kind;
  double flop;
};

const std::map<std::string, EachOutput>& each_output() {
  static const std::map<std::string, EachOutput> rows{
      {"relu", {"activation", 1}},
      {"clamp", {"activation", 2}},
      {"clamp_min", {"activation", 1}},
      {"hardtanh", {"activation", 2}},
      {"leaky_relu", {"activation", 2}},
      {"prelu", {"activation", 2}},
      {"_prelu_kernel", {"activation", 2}},
      {"elu", {"activation", 3}},
      {"gelu", {"activation", 5}},
      {"tanh", {"activation", 1}},
      {"sigmoid", {"activation", 3}},
      {"silu", {"activation", 4}},
      {"mish", {"activation", 4}},
      {"softplus", {"activation", 3}},
      {"hardsigmoid", {"activation", 4}},
      {"hardswish", {"activation", 5}},
      {"glu", {"activation", 4}},
      {"_softmax", {"activation", 5}},
      {"_log_softmax", {"loss", 5}},
      {"embedding", {"embedding", 0}},
      {"_embedding_bag", {"embedding", 1}},
      {"native_dropout", {"elementwise", 2}},
      {"_fused_dropout", {"elementwise", 2}},
      {"add", {"elementwise", 1}},
      {"sub", {"elementwise", 1}},
      {"rsub", {"elementwise", 1}},
      {"mul", {"elementwise", 1}},
      {"div", {"elementwise", 1}},
      {"pow", {"elementwise", 1}},
      {"sqrt", {"elementwise", 1}},
      {"rsqrt", {"elementwise", 2}},
      {"reciprocal", {"elementwise", 1}},
      {"exp", {"elementwise", 1}},
      {"log", {"elementwise", 1}},
      {"erf", {"elementwise", 1}},
      {"sin", {"elementwise", 1}},
      {"cos", {"elementwise", 1}},
      {"neg", {"elementwise", 1}},
      {"abs", {"elementwise", 1}},
      {"maximum", {"elementwise", 1}},
      {"minimum", {"elementwise", 1}},
      {"where", {"elementwise", 1}},
      {"masked_fill", {"elementwise", 1}},
      {"addcmul", {"elementwise", 3}},
      {"cumsum", {"elementwise", 1}},
      {"cat", {"elementwise", 0}},
      {"stack", {"elementwise", 0}},
      {"constant_pad_nd", {"elementwise", 0}},
      {"index_select", {"elementwise", 0}},
      {"index", {"elementwise", 0}},
      {"gather", {"elementwise", 0}},
      {"roll", {"elementwise", 0}},
      {"clone", {"elementwise", 0}},
      {"upsample_nearest2d", {"elementwise", 0}},
      {"upsample_bilinear2d", {"elementwise", 7}}, // four products and three sums
  };
  return rows;
}

const std::vector<long>& input_at(const OperatorShapes& shapes, std::size_t place) {
  static const std::vector<long> none;
  return place < shapes.inputs.size() ? shapes.inputs[place] : none;
}

double elements_of(const std::vector<long>& shape) {
  return shape.empty() ? 0 : product_of(shape);
}

std::string kind_of_convolution(const std::vector<long>& input, const std::vector<long>& filter) {
  constexpr std::size_t images = 4;
  const auto every = [&](long length) {
    return std::all_of(filter.begin() + 2, filter.end(), [&](long one) { return one == length; });
  };
  const long channels = input.size() > 1 ? input[1] : 0;
  if (channels > 1 && filter[1] == 1 && filter[0] % channels == 0) return "depthwise";
  if (every(1)) return "conv1x1";
  return filter.size() == images && every(3) ? "conv3x3" : "conv";
}

/// Returns the cost of a convolution. Filters have the output channels first, those of transposed convolutions the
/// input channels.
OperatorCost convolution(const OperatorShapes& shapes) {
  const auto& input = input_at(shapes, 0);
  const auto& filter = input_at(shapes, 1);
  if (filter.size() < 3 || filter[0] < 1) return {"conv", 0};
  const double weights_met = product_of(filter) / static_cast<double>(filter[0]);
  const bool is_transposed = shapes.output.size() > 1 && shapes.output[1] != filter[0];
  if (is_transposed) return {"conv", 2 * weights_met * elements_of(input)};
  return {kind_of_convolution(input, filter), 2 * weights_met * elements_of(shapes.output)};
}

/// Returns the cost of a matrix product. A batched product counts as attention unless weights are found for it.
std::optional<OperatorCost> matrix_product(const std::string& name, const OperatorShapes& shapes) {
  static const std::map<std::string, std::size_t> left{{"mm", 0},  {"linear", 0}, {"mv", 0},
                                                       {"bmm", 0}, {"addmm", 1},  {"baddbmm", 1}};
  const auto found = left.find(name);
  if (found == left.end()) return {};
  const auto& rows = input_at(shapes, found->second);
  const double length = rows.empty() ? 0 : static_cast<double>(rows.back());
  return OperatorCost{name.ends_with("bmm") ? "attention" : "linear", 2 * length * elements_of(shapes.output)};
}

std::optional<OperatorCost> normalisation(const std::string& name, const OperatorShapes& shapes) {
  static const std::map<std::string, std::size_t> scales{{"native_batch_norm", 1}, {"cudnn_batch_norm", 1},
                                                         {"miopen_batch_norm", 1}, {"batch_norm_elemt", 1},
                                                         {"native_layer_norm", 2}, {"native_group_norm", 1}};
  const double numbers = elements_of(shapes.output);
  if (name == "_fused_rms_norm") return OperatorCost{"norm", rms_norm_flop * numbers};
  const auto found = scales.find(name);
  if (found == scales.end()) return {};
  const double scaled = input_at(shapes, found->second).empty() ? 0 : 1;
  const double shifted = input_at(shapes, found->second + 1).empty() ? 0 : 1;
  return OperatorCost{"norm", (normalise_flop + scaled + shifted) * numbers};
}

/// Returns the cost of fused attention. All pairs of states count, even if a mask hides some.
std::optional<OperatorCost> attention(const std::string& name, const OperatorShapes& shapes) {
  if (!name.starts_with("_scaled_dot_product")) return {};
  const auto& query = input_at(shapes, 0);
  const auto& key = input_at(shapes, 1);
  const auto& value = input_at(shapes, 2);
  if (query.size() < 2 || key.size() != query.size() || value.size() != query.size()) return {};
  const auto keys = static_cast<double>(key[key.size() - 2]);
  const double widths = static_cast<double>(query.back()) + static_cast<double>(value.back());
  return OperatorCost{"attention",
                      2 * elements_of(query) / std::max(1.0, static_cast<double>(query.back())) * keys * widths};
}

/// Returns the cost of operators that read each input once. A pool whose window is not known counts as one whose
/// windows do not overlap.
std::optional<OperatorCost> each_input(const std::string& name, const OperatorShapes& shapes) {
  constexpr std::size_t images = 4;
  const double numbers = elements_of(input_at(shapes, 0));
  if (has_pool_window(name) && !input_at(shapes, pool_window).empty())
    return OperatorCost{"pool", product_of(input_at(shapes, pool_window)) * elements_of(shapes.output)};
  if (name.find("_pool") != std::string::npos) return OperatorCost{"pool", numbers};
  if (name == "nll_loss_forward" || name == "nll_loss2d_forward")
    return OperatorCost{"loss", elements_of(input_at(shapes, 1))};
  if (name == "mse_loss") return OperatorCost{"loss", 3 * numbers};
  if (name == "binary_cross_entropy" || name == "binary_cross_entropy_with_logits")
    return OperatorCost{"loss", 5 * numbers};
  if (name != "mean" && name != "sum" && name != "var" && name != "std") return {};
  const bool is_over_image = name == "mean" && input_at(shapes, 0).size() == images && shapes.output.size() >= 2;
  return OperatorCost{is_over_image ? "pool" : "elementwise", (name == "var" || name == "std" ? 3 : 1) * numbers};
}

} // namespace

double product_of(const std::vector<long>& shape) {
  double numbers = 1;
  for (const long length : shape) numbers *= static_cast<double>(length);
  return numbers;
}

std::string plain_operator(const std::string& name) {
  constexpr std::string_view space = "aten::";
  auto plain = name.starts_with(space) ? name.substr(space.size()) : name;
  if (plain.size() > 1 && plain.ends_with('_') && !plain.starts_with('_')) plain.pop_back();
  return plain;
}

bool is_no_work(const std::string& plain_name) {
  static const std::set<std::string> names{"alias",
                                           "as_strided",
                                           "chunk",
                                           "contiguous",
                                           "copy",
                                           "detach",
                                           "diagonal",
                                           "expand",
                                           "flatten",
                                           "movedim",
                                           "narrow",
                                           "permute",
                                           "reshape",
                                           "_reshape_alias",
                                           "select",
                                           "slice",
                                           "split",
                                           "squeeze",
                                           "swapaxes",
                                           "t",
                                           "to",
                                           "_to_copy",
                                           "transpose",
                                           "unbind",
                                           "unfold",
                                           "unsqueeze",
                                           "_unsafe_view",
                                           "view",
                                           "view_as",
                                           "fill",
                                           "zero",
                                           "expand_as",
                                           "split_with_sizes",
                                           "unsafe_split",
                                           "lift_fresh",
                                           "_reshape_copy",
                                           "view_as_real",
                                           "view_as_complex"};
  return names.contains(plain_name);
}

std::optional<OperatorCost> cost_of(const std::string& plain_name, const OperatorShapes& shapes) {
  if (const auto found = each_output().find(plain_name); found != each_output().end())
    return OperatorCost{found->second.kind, found->second.flop * product_of(shapes.output)};
  if (plain_name.find("convolution") != std::string::npos || plain_name.find("conv2d") != std::string::npos)
    return convolution(shapes);
  for (const auto& rule : {matrix_product, normalisation, attention, each_input})
    if (auto cost = rule(plain_name, shapes)) return cost;
  return {};
}

} // namespace ddlsim
