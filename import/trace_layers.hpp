#pragma once
// The layers of a model as a profiler saw them run: the operators that forward called, and the work of backward for
// each of them.

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
  std::string name;   ///< unique name: that of its module, or else of the operator with a number
  std::string kind;   ///< kind, as in Layer
  double flop = 0;    ///< FLOP of forward for the whole batch
  double outputs = 0; ///< number of output values for the whole batch
  std::vector<std::vector<long>>
      weights;           ///< shapes of the gradients that are ready after it, those with most dimensions first
  double forward_s = 0;  ///< time of kernels if the trace has any, else of operators
  double backward_s = 0; ///< time of backward, in the same way
  double ready_s = 0;    ///< work of backward until its last gradient (BackwardClock); 0 without weights
};

struct TraceLayers {
  std::vector<TraceLayer> layers;       ///< layers in the order of forward
  std::vector<long> input;              ///< shape of the first layer's input
  std::map<std::string, int> uncounted; ///< operators without a rule for their FLOP, with the number of calls
  bool computes_again = false; ///< whether backward calls operators of forward again (activation checkpointing)
  /// whether windows of pools are missing; the pools' FLOP then assume windows that do not overlap
  bool lacks_windows = false;
  bool has_shapes = false; ///< whether the profiler recorded shapes and the sequence numbers of backward
};

TraceLayers layers_of(const KinetoTrace& trace, const TraceInterval& step);

// A layer table and a record of layer times, which `ddlsim import kineto --layers FILE` makes.

struct TracedModel {
  Model model;
  LayersRecord record; ///< record of one timing, forward and backward
  std::vector<std::string> notes;
};

/// Returns the table of the last step, with times that are medians over all steps that ran the same layers. Model,
/// batch, precision and head are those of the step record. Throws UserError, with advice on profiling, if the trace
/// lacks something.
TracedModel traced_model(const KinetoTrace& trace, const std::vector<TraceInterval>& steps, const StepRecord& step,
                         const std::filesystem::path& file);

// The cost of an operator from the shapes of its inputs.

/// A call of an operator for which backward has a node.
struct OperatorShapes {
  const TraceShapes& inputs;
  const std::vector<long>& output; ///< shape of the gradient that enters backward
};

struct OperatorCost {
  std::string kind;
  double flop = 0;
};

double product_of(const std::vector<long>& shape);

/// Returns the plain name of an operator: "relu" for "aten::relu_".
std::string plain_operator(const std::string& name);

/// Whether it is a view, copy or cast, and so no layer.
bool is_no_work(const std::string& plain_name);

/// Returns the cost; nothing for an operator without a rule. FLOP are counted as `ddltrain describe` does, except for
/// pools whose window is not known.
std::optional<OperatorCost> cost_of(const std::string& plain_name, const OperatorShapes& shapes);

} // namespace ddlsim
