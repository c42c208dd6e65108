#include "sim/formats/plan_request.hpp"
#include "sim/formats/readers.hpp"

#include <fmt/format.h>

namespace ddlsim {
namespace {

constexpr double most_epochs = 1e9;
constexpr long most_runs = 1'000'000;
constexpr std::size_t fewest_points = 3; // two for the law, one to hold it to

ConvergencePoint convergence_point_from(const JsonNode& node) {
  static constexpr std::string_view known[]{"global_batch", "epochs", "deviation", "runs"};
  ConvergencePoint point;
  if (!node.is_object()) return point;
  node.allow_only(known);
  point.global_batch = node.positive("global_batch");
  point.epochs = node.positive("epochs");
  point.deviation = node.number("deviation", 0, most_epochs);
  point.runs = static_cast<int>(node.integer("runs", 1, most_runs));
  return point;
}

std::vector<ConvergencePoint> convergence_points_from(const JsonNode& root) {
  std::vector<ConvergencePoint> points;
  for (const auto& node : root.list("points")) {
    const auto before = node.mistakes_so_far();
    const auto point = convergence_point_from(node);
    if (node.mistakes_so_far() > before) continue;
    if (!points.empty() && point.global_batch <= points.back().global_batch)
      node.mistake_at("global_batch",
                      fmt::format("{:.9g} comes after {:.9g}; give the batches in ascending order, each once",
                                  point.global_batch, points.back().global_batch));
    points.push_back(point);
  }
  return points;
}

std::vector<std::string> models_of_runs(const JsonNode& root) {
  auto models = root.texts_or_none("models");
  if (models.empty()) root.mistake_at("models", "no model found; give those that the runs trained");
  for (const auto& model : models) refuse_bare_model_name(root, "models", model);
  return models;
}

} // namespace

Convergence convergence_from(const JsonNode& root) {
  static constexpr std::string_view known[]{"format", "version", "name",    "models",
                                            "target", "source",  "samples", "points"};
  Convergence convergence;
  const auto before = root.mistakes_so_far();
  root.allow_only(known);
  convergence.name = simple_name(root, "name");
  convergence.models = models_of_runs(root);
  convergence.target = root.paragraph("target");
  convergence.source = root.paragraph("source");
  convergence.samples = root.positive("samples");
  convergence.points = convergence_points_from(root);
  if (root.mistakes_so_far() == before && convergence.points.size() < fewest_points)
    root.mistake_at("points", fmt::format("{} found; give {} or more", convergence.points.size(), fewest_points));
  return convergence;
}

Convergence read_convergence(const std::filesystem::path& file) {
  Convergence convergence;
  read_document(file, "ddlsim-convergence", 1, [&](const JsonNode& root) { convergence = convergence_from(root); });
  return convergence;
}

} // namespace ddlsim
