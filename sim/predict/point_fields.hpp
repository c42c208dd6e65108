#pragma once
// Tables of the fields of a point and of its strategy in the answer to a scenario.

#include "sim/formats/answer_types.hpp"
#include "sim/predict/prediction.hpp"

namespace ddlsim {

/// A point with the answer that it belongs to.
struct AnsweredPoint {
  const StrategyAnswer* answer = nullptr;
  const PredictedPoint* point = nullptr;
};

/// A point that was predicted, or one that is impossible, with an "error" in place of its figures.
ValueType<AnsweredPoint> answered_point_type();

/// The parts of exposed_communication_s of a pipeline, for the point and for a layout that was found.
struct ExposedOfStrategy {
  ExposedParts exposed{};
  bool has_context_groups = false;
};
std::vector<Field<ExposedOfStrategy>> exposed_rows();

// Objects inside a point.

FieldTable<IterationTime> alone_fields();
FieldTable<UnsplitTensor> tensor_fields();
/// The servers that a search found.
FieldTable<Strategy> found_servers_fields();
/// The result of a search of layouts.
FieldTable<FoundLayout> found_layout_fields();
/// What records say of a point; only for one that has some.
std::vector<Field<PredictedPoint>> measured_rows();
FieldTable<PointMemory> memory_fields();
/// What the input must deliver; only for a point that has a need of input.
std::vector<Field<PredictedPoint>> input_rows();
/// The iteration's largest all-reduce.
std::vector<Field<PredictedPoint>> largest_sum_rows();

} // namespace ddlsim
