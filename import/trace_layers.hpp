#pragma once
// The layers of a model, as a profiler saw them run: what forward called, and what backward did for each call.

#include "import/traces.hpp"
#include "sim/formats/model.hpp"
#include "sim/formats/record.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// An operator of forward that a node of backward belongs to.
struct TraceLayer {
  std::string name;   ///< of its module, else of the operator and its number; unlike any other layer's
  std::string kind;   ///< as in Layer
  double flop = 0;    ///< of forward, the whole batch
  double outputs = 0; ///< numbers, of the whole batch
  std::vector<std::vector<long>>
      weights;           ///< shapes of the gradients that are ready after it, the most dimensions first
  double forward_s = 0;  ///< of kernels, where the trace has some; else of operators
  double backward_s = 0; ///< the same
  double ready_s = 0;    ///< how long backward works until its last gradient (BackwardClock); 0 without weights
};

struct TraceLayers {
  std::vector<TraceLayer> layers;       ///< in forward order
  std::vector<long> input;              ///< shape of what the first takes
  std::map<std::string, int> uncounted; ///< operators whose FLOP no rule knows, and how often they were called
  bool computes_again = false;          ///< backward calls forward's operators again (activation checkpointing)
  bool lacks_windows = false;           ///< of pools: their FLOP are those of windows that do not overlap
  bool has_shapes = false;              ///< the profiler recorded shapes and the numbers of backward's nodes
};

TraceLayers layers_of(const KinetoTrace& trace, const TraceInterval& step);

// A layer table and a record of layer times: `ddlsim import kineto --layers FILE`.

struct TracedModel {
  Model model;
  LayersRecord record; ///< of one timing, forward and backward
  std::vector<std::string> notes;
};

/// The table is of the last step, times are medians of all these steps that ran the same layers. Model, batch,
/// precision and head are the step record's. Throws UserError where the trace says too little, with what to profile it
/// with.
TracedModel traced_model(const KinetoTrace& trace, const std::vector<TraceInterval>& steps, const StepRecord& step,
                         const std::filesystem::path& file);

// What an operator costs, by the shapes of its inputs.

/// A call of an operator that backward has a node for.
struct OperatorShapes {
  const TraceShapes& inputs;
  const std::vector<long>& output; ///< shape of the gradient that backward takes
};

struct OperatorCost {
  std::string kind;
  double flop = 0;
};

double product_of(const std::vector<long>& shape);

/// "relu" of "aten::relu_".
std::string plain_operator(const std::string& name);

/// Views, copies and casts: no layers.
bool is_no_work(const std::string& plain_name);

/// Nothing for an operator that no rule knows. FLOP as `ddltrain describe` counts them, but for pools without window.
std::optional<OperatorCost> cost_of(const std::string& plain_name, const OperatorShapes& shapes);

} // namespace ddlsim
