#include "sim/formats/field_table.hpp"
#include "sim/formats/file_formats.hpp"
#include "sim/formats/plan_request.hpp"
#include "sim/formats/readers.hpp"

#include <fmt/format.h>

namespace ddlsim {
namespace {

constexpr double most_epochs = 1e9;
constexpr long most_runs = 1'000'000;
constexpr std::size_t fewest_points = 3; // two points to fit the law, and one to check it

FieldTable<ConvergencePoint> point_fields() {
  return {{required("global_batch", &ConvergencePoint::global_batch, positive_type(), "samples of an iteration"),
           required("epochs", &ConvergencePoint::epochs, positive_type(),
                    "epochs that the runs took to the target, on average"),
           required("deviation", &ConvergencePoint::deviation, number_type(0, most_epochs),
                    "standard deviation of a run's epochs"),
           required("runs", &ConvergencePoint::runs, whole_type(1, most_runs), "number of runs behind the average")}};
}

void check_runs(const JsonNode& root, Convergence& convergence) {
  for (const auto& model : convergence.models) refuse_bare_model_name(root, "models", model);
  const auto places = root.list("points");
  for (std::size_t i = 1; i < places.size(); ++i) {
    const double before = convergence.points[i - 1].global_batch;
    const double batch = convergence.points[i].global_batch;
    if (batch <= before)
      places[i].mistake_at(
          "global_batch",
          fmt::format("{:.9g} comes after {:.9g}; give the batches in ascending order, each once", batch, before));
  }
}

const FieldTable<Convergence>& convergence_fields() {
  static const auto table = document<Convergence>(
      "ddlsim-convergence", 1,
      {required("name", &Convergence::name, name_type(), "the file's name, which plan requests give"),
       required("models", &Convergence::models, list_type(text_type(), 1), "models that the runs trained"),
       required("target", &Convergence::target, paragraph_type(), "what the runs reached"),
       required("source", &Convergence::source, paragraph_type(), "where the runs are published"),
       required("samples", &Convergence::samples, positive_type(), "samples of one epoch"),
       required("points", &Convergence::points, list_type(object_type(point_fields()), fewest_points),
                "one for each number of samples of an iteration, ascending")},
      check_runs);
  return table;
}

} // namespace

Convergence convergence_from(const JsonNode& root) {
  return read_object(root, convergence_fields());
}

FileFormat convergence_format() {
  return {"convergence", "Epochs by the samples of an iteration", "scenarios/convergence/NAME.json",
          convergence_fields().shape()};
}

Convergence read_convergence(const std::filesystem::path& file) {
  Convergence convergence;
  read_document(file, "ddlsim-convergence", 1, [&](const JsonNode& root) { convergence = convergence_from(root); });
  return convergence;
}

} // namespace ddlsim
