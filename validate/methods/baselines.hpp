#pragma once
// The arithmetic that people use today, as methods to be compared with. Each takes a few lines; docs/accuracy.md has
// the rules.

#include "sim/formats/data_folder.hpp"
#include "validate/method.hpp"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ddlsim {

/// "straight-line": the iteration time stays that of the largest visible scale.
std::unique_ptr<Method> make_straight_line();

/// "throughput-line": a line through the throughputs of the two largest visible scales, or through zero and the only
/// one.
std::unique_ptr<Method> make_throughput_line();

/// "linear": throughput grows in proportion to the GPUs, from one GPU, or from the smallest visible scale when one GPU
/// was not measured.
std::unique_ptr<Method> make_linear();

/// "amdahl": T(N) = T(1) (1 + a (N - 1)), from G. M. Amdahl, AFIPS 1967, for work that grows with N.
std::unique_ptr<Method> make_amdahl();

/// "usl": T(N) = T(1) (1 + a (N - 1) + b N (N - 1)), from N. J. Gunther, Guerrilla Capacity Planning, 2007, chapter 4.
std::unique_ptr<Method> make_usl();

/// Facts that the textbook method needs besides the records. It cannot answer points for which facts are missing.
struct TextbookFacts {
  std::map<std::string, double> model_bytes; ///< bytes of the gradients in fp32, by model variant
  std::map<std::pair<std::string, std::string>, double> node_rate_Bps; ///< line rate by cluster and transport
};

/// "textbook": the one-GPU time, plus the bytes of a ring or of parameter servers over a bandwidth inside nodes and one
/// between nodes. Both are fitted by least squares to the visible points of cluster and transport. There is no overlap
/// and no latency.
std::unique_ptr<Method> make_textbook(TextbookFacts facts);

/// "mfu-40": a transformer reaches 40 % of its GPUs' peak FLOP/s at every scale. The method keeps a reference to
/// `reference`.
std::unique_ptr<Method> make_mfu_rule(const ReferenceData& reference);

/// The first six methods above, in this order.
std::vector<std::unique_ptr<Method>> make_baselines(TextbookFacts facts);

/// One equation: first * x + second * y = value, with the weight of its squared residual.
struct Equation {
  double first = 0;
  double second = 0;
  double value = 0;
  double weight = 1;
};

struct TwoCoefficients {
  double first = 0;
  double second = 0;
};

/// Returns the non-negative x and y with the smallest weighted sum of squared residuals. The coefficient of a column of
/// zeros is 0.
TwoCoefficients solve_non_negative(const std::vector<Equation>& equations);

} // namespace ddlsim
