#pragma once
// The arithmetic people use today, as methods to beat. Each is a few lines; the rules are in docs/accuracy.md.

#include "sim/formats/data_folder.hpp"
#include "validate/method.hpp"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ddlsim {

/// "straight-line": the iteration time of the largest visible scale is kept.
std::unique_ptr<Method> make_straight_line();

/// "throughput-line": a line through the throughput of the two largest visible scales; through zero when there is one.
std::unique_ptr<Method> make_throughput_line();

/// "linear": throughput grows in proportion from one GPU (from the smallest visible scale when one GPU was not
/// measured).
std::unique_ptr<Method> make_linear();

/// "amdahl": T(N) = T(1) (1 + a (N - 1)). G. M. Amdahl, AFIPS 1967, for work that grows with N.
std::unique_ptr<Method> make_amdahl();

/// "usl": T(N) = T(1) (1 + a (N - 1) + b N (N - 1)). N. J. Gunther, Guerrilla Capacity Planning, 2007, chapter 4.
std::unique_ptr<Method> make_usl();

/// What the textbook form needs beside the records; what is missing narrows what it can answer.
struct TextbookFacts {
  std::map<std::string, double> model_bytes;                           ///< gradients in fp32, by variant
  std::map<std::pair<std::string, std::string>, double> node_rate_Bps; ///< line rate by cluster and transport
};

/// "textbook": one-GPU time, plus ring or parameter-server bytes over a bandwidth inside and one between nodes, both
/// fitted by least squares on the visible points of cluster and transport; no overlap, no latency.
std::unique_ptr<Method> make_textbook(TextbookFacts facts);

/// "mfu-40": a transformer reaches 40 % of its GPUs' peak FLOP/s, whatever the scale. Refers to `reference`.
std::unique_ptr<Method> make_mfu_rule(const ReferenceData& reference);

/// The first six, in this order.
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

/// Smallest weighted sum of squares over x >= 0, y >= 0. A column of zeros gives a zero.
TwoCoefficients solve_non_negative(const std::vector<Equation>& equations);

} // namespace ddlsim
