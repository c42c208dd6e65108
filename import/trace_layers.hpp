#pragma once
// The layers of a model as a profiler saw them run: the operators that forward called, and the work of backward for
// each.

#include "import/traces.hpp"
#include "sim/formats/model.hpp"
#include "sim/formats/record.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// A forward operator with its node of backward.
struct TraceLayer {
  std::string name;   ///< unique: the name of its module, else of the operator with a number
  std::string kind;   ///< as in Layer
  double flop = 0;    ///< of forward for the whole batch
  double outputs = 0; ///< numbers for the whole batch
  std::vector<std::vector<long>>
      weights;           ///< shapes of the gradients that are ready after it, the most dimensions first
  double forward_s = 0;  ///< of kernels if the trace has any; else of operators
  double backward_s = 0; ///< the same
  double ready_s = 0;    ///< work of backward until its last gradient (BackwardClock); 0 without weights
};

struct TraceLayers {
  std::vector<TraceLayer> layers;       ///< in forward order
  std::vector<long> input;              ///< shape of the first layer's input
  std::map<std::string, int> uncounted; ///< operators without a rule for their FLOP, with the number of calls
  bool computes_again = false;          ///< backward calls forward's operators again (activation checkpointing)
  bool lacks_windows = false;           ///< of pools: their FLOP assume windows that do not overlap
  bool has_shapes = false;              ///< the profiler recorded shapes and the sequence numbers of backward
};

TraceLayers layers_of(const KinetoTrace& trace, const TraceInterval& step);

// A layer table and a record of layer times, made by `ddlsim import kineto --layers FILE`.

struct TracedModel {
  Model model;
  LayersRecord record; ///< of one timing, forward and backward
  std::vector<std::string> notes;
};

/// The table is that of the last step; times are medians over all steps that ran the same layers. Model, batch,
/// precision and head are the step record's. Throws UserError, with advice on profiling, if the trace lacks something.
TracedModel traced_model(const KinetoTrace& trace, const std::vector<TraceInterval>& steps, const StepRecord& step,
                         const std::filesystem::path& file);

// The cost of an operator from the shapes of its inputs.

/// A call of an operator that backward has a node for.
struct OperatorShapes {
  const TraceShapes& inputs;
  const std::vector<long>& output; ///< shape of the gradient that enters backward
};

struct OperatorCost {
  std::string kind;
  double flop = 0;
};

double product_of(const std::vector<long>& shape);

/// An operator's plain name: "relu" for "aten::relu_".
std::string plain_operator(const std::string& name);

/// Whether it is a view, copy or cast and so no layer.
bool is_no_work(const std::string& plain_name);

/// The cost; nothing for an operator without a rule. FLOP are counted as `ddltrain describe` does, except for pools
/// whose window is not known.
std::optional<OperatorCost> cost_of(const std::string& plain_name, const OperatorShapes& shapes);

} // namespace ddlsim
