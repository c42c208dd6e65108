#include "own/new_gpu.hpp"

#include "sim/base/error.hpp"
#include "sim/base/json.hpp"
#include "sim/base/units.hpp"
#include "sim/formats/gpu_names.hpp"
#include "sim/formats/readers.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <optional>

namespace ddlsim {
namespace {

using OrderedJson = nlohmann::ordered_json;

/// The arithmetic units whose peak an option states.
std::vector<ArithmeticUnit> units_of(const std::string& precision) {
  if (precision == "fp32") return {ArithmeticUnit::fp32};
  if (precision == "tf32") return {ArithmeticUnit::tf32};
  if (precision == "fp16") return {ArithmeticUnit::fp16_tensor};
  if (precision == "bf16") return {ArithmeticUnit::bf16_tensor};
  return {ArithmeticUnit::fp8_tensor};
}

class GpuWriter {
public:
  GpuWriter(const GpuRequest& request, const DataFolder& data) : request_(request), gpus_(load_gpus(data)) {}

  NewGpu write() {
    check_name();
    find_like();
    refuse_known_name();
    take_peaks();
    const double memory_bytes = figure("memory", request_.memory, Dimension::size, like_.memory_bytes);
    const double memory_Bps = figure("bandwidth", request_.bandwidth, Dimension::bandwidth, like_.memory_bandwidth_Bps);
    const double power_w = figure("power", request_.power, Dimension::power, like_.power_w);
    const double price_usd = figure("price", request_.price, Dimension::price, 0);
    if (memory_bytes == 0) refuse("memory", "missing; give it, or --like");
    if (memory_Bps == 0) refuse("bandwidth", "missing; give it, or --like");
    if (request_.year == 0 && like_.year == 0) refuse("year", "missing; give it, or --like");
    if (!mistakes_.empty()) throw UserError(mistakes_);
    OrderedJson gpu{{"name", request_.name}, {"aliases", OrderedJson::array()}};
    gpu["year"] = request_.year > 0 ? request_.year : like_.year;
    if (like_.compute_capability > 0) gpu["compute_capability"] = like_.compute_capability / capability_parts;
    for (const auto& [unit, peak] : peaks_) gpu["peak"][to_text(unit)] = print_quantity(peak, Dimension::compute_rate);
    gpu["memory_bandwidth"] = print_quantity(memory_Bps, Dimension::bandwidth);
    gpu["memory"] = print_quantity(memory_bytes, Dimension::size);
    if (power_w > 0) gpu["power"] = print_quantity(power_w, Dimension::power);
    if (price_usd > 0) gpu["price"] = print_quantity(price_usd, Dimension::price);
    add_links(gpu);
    gpu["sources"] = sources(gpu);
    const OrderedJson file{{"format", "ddlsim-gpus"}, {"version", 1}, {"gpus", OrderedJson::array({gpu})}};
    NewGpu made{json_text(file, 2) + "\n", std::move(notes_)};
    check(made.text);
    return made;
  }

private:
  static constexpr double capability_parts = 10; // ten, because Gpu stores ten times CUDA's number

  void refuse(const std::string& option, std::string what) {
    mistakes_.push_back({"--" + option, "", std::move(what)});
  }

  /// Checks the name first, because an invalid name could not be written as JSON.
  void check_name() const {
    const nlohmann::json named{{"name", request_.name}};
    Mistakes mistakes("new gpu");
    simple_name(JsonNode(named, "", mistakes), "name");
    mistakes.throw_if_any();
  }

  void find_like() {
    if (request_.like.empty()) return;
    try {
      like_ = find_gpu(gpus_, request_.like);
    } catch (const UserError& error) {
      refuse("like", error.mistakes().front().what);
    }
    if (auto choice = choice_of_gpu(request_.like, gpus_); !choice.empty()) notes_.push_back(std::move(choice));
  }

  void refuse_known_name() {
    const auto match = match_gpu(request_.name, gpus_);
    if (match.gpu == nullptr) return;
    mistakes_.push_back(
        {"NAME", "",
         fmt::format("{} means {} of the catalogue; give another name", in_quotes(request_.name), match.gpu->name)});
  }

  double quantity_of(const std::string& option, const std::string& text, Dimension dimension) {
    try {
      const double value = parse_quantity(text, dimension);
      if (value > 0) return value;
      refuse(option, fmt::format("{} found; give more than 0", in_quotes(text)));
    } catch (const UserError& error) {
      refuse(option, error.mistakes().front().what);
    }
    return 1; // any figure will do here, because the mistake above ends the command
  }

  double figure(const std::string& option, const std::string& stated, Dimension dimension, double otherwise) {
    return stated.empty() ? otherwise : quantity_of(option, stated, dimension);
  }

  /// Sets the peaks. Stated ones are taken unchanged, and one of the 16-bit formats gives the other too. Peaks of
  /// tensor cores that are not stated are those of `like`, scaled in proportion to the stated ones.
  void take_peaks() {
    peaks_ = like_.peak_flop_per_s;
    std::map<ArithmeticUnit, double> stated;
    for (const auto& [precision, text] : request_.peaks)
      if (!text.empty())
        for (const auto unit : units_of(precision))
          stated[unit] = quantity_of(precision, text, Dimension::compute_rate);
    const auto half = stated.count(ArithmeticUnit::bf16_tensor) > 0 ? stated.find(ArithmeticUnit::bf16_tensor)
                                                                    : stated.find(ArithmeticUnit::fp16_tensor);
    if (half != stated.end()) {
      const double of_like = peak_of_like();
      const double ratio = of_like > 0 ? half->second / of_like : 1;
      for (auto& [unit, peak] : peaks_)
        if (unit == ArithmeticUnit::tf32 || unit == ArithmeticUnit::fp8_tensor) peak *= ratio;
      peaks_[ArithmeticUnit::fp16_tensor] = peaks_[ArithmeticUnit::bf16_tensor] = half->second;
      if (of_like > 0)
        notes_.push_back(
            fmt::format("tensor cores' peaks that are not given are those of {}, times {:.3g}", like_.name, ratio));
    }
    for (const auto& [unit, peak] : stated) peaks_[unit] = peak;
    if (peaks_.count(ArithmeticUnit::fp32) == 0) refuse("fp32", "missing; give it, or --like");
  }

  double peak_of_like() const {
    for (const auto unit : {ArithmeticUnit::bf16_tensor, ArithmeticUnit::fp16_tensor})
      if (const auto found = like_.peak_flop_per_s.find(unit); found != like_.peak_flop_per_s.end())
        return found->second;
    return 0;
  }

  void add_links(OrderedJson& gpu) const {
    if (like_.links.kind != IntraKind::none) {
      gpu["links"] = {{"kind", to_text(like_.links.kind)},
                      {"bandwidth", print_quantity(like_.links.bandwidth_Bps, Dimension::bandwidth)}};
      if (like_.links.gpus > 0) gpu["links"]["gpus"] = like_.links.gpus;
    }
    if (like_.pcie_Bps > 0) gpu["pcie"] = print_quantity(like_.pcie_Bps, Dimension::bandwidth);
  }

  OrderedJson sources(const OrderedJson& gpu) {
    const auto peaks_stated =
        std::any_of(request_.peaks.begin(), request_.peaks.end(), [](const auto& one) { return !one.second.empty(); });
    const std::map<std::string, bool> stated{{"peak", peaks_stated},
                                             {"memory_bandwidth", !request_.bandwidth.empty()},
                                             {"memory", !request_.memory.empty()},
                                             {"power", !request_.power.empty()},
                                             {"price", !request_.price.empty()}};
    OrderedJson all;
    std::vector<std::string> taken;
    for (const char* key : {"peak", "memory_bandwidth", "memory", "power", "price", "links", "pcie"}) {
      if (!gpu.contains(key)) continue;
      const bool is_stated = stated.count(key) > 0 && stated.at(key);
      all[key] = is_stated ? "stated by the user" : fmt::format("not stated; assumed: as {} has it", like_.name);
      if (is_stated && !like_.name.empty() && std::string(key) == "peak")
        all[key] = fmt::format("stated by the user; those that were not are assumed in proportion to {}", like_.name);
      if (!is_stated) taken.emplace_back(key);
    }
    if (!taken.empty()) notes_.push_back(fmt::format("as {} has it: {}", like_.name, join_names(taken)));
    return all;
  }

  /// Throws if `check` would refuse the file.
  void check(const std::string& text) const {
    const auto document = parse_json(text, request_.name);
    Mistakes mistakes("new gpu");
    gpus_from(JsonNode(document, "", mistakes));
    mistakes.throw_if_any();
  }

  const GpuRequest& request_;
  std::vector<Gpu> gpus_;
  Gpu like_;
  std::map<ArithmeticUnit, double> peaks_;
  std::vector<Mistake> mistakes_;
  std::vector<std::string> notes_;
};

} // namespace

NewGpu new_gpu(const GpuRequest& request, const DataFolder& data) {
  return GpuWriter(request, data).write();
}

} // namespace ddlsim
