#pragma once
// A prediction in sentences: the first screen of the terminal and of the page, and the text on servers and input that
// both share.

#include "sim/predict/prediction.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// Returns a rate with its interval, as in "28.31k samples/s (24.2..33.4)".
std::string rate_words(const PredictedPoint& point);

/// Returns a strategy's name, as in "auto of nccl 2.21.5 with pytorch-ddp over nccl-ib".
std::string answer_name(const StrategyAnswer& answer);

/// Returns the point at the largest possible scale; null when none is possible.
const PredictedPoint* largest_possible(const StrategyAnswer& answer);

/// The first sentences of the terminal: the fastest strategy at the largest possible scale, the next best one and
/// whether their order is certain, and the fastest on the available GPUs if the scenario asks for more than these.
std::vector<std::string> answer_sentences(const Prediction& prediction);

/// Returns the first sentences of the page: the question, the fastest strategy with its largest efficient scale, where
/// its time goes, what to measure next, then those of answer_sentences().
std::vector<std::string> prediction_sentences(const Prediction& prediction);

/// Returns the lines on servers; "" when none of these applies: the servers that the search chose; the efficiency per
/// GPU bought and the rate per node bought, where nodes are bought for servers; the tensor that limits the servers,
/// where one does.
std::string server_lines(const StrategyAnswer& answer);

/// Returns a sentence on the time that copies and the host's update add, and on the host memory that is needed at
/// least; "" without offload.
std::string offload_sentence(const StrategyAnswer& answer);

/// Returns the lines on the time that the communication of model parallelism adds, by what is sent, and on the result
/// of a search of its degrees; "" for other strategies.
std::string layout_lines(const StrategyAnswer& answer);

/// Returns the results of a search of degrees, a sentence for each scale; empty without a search.
std::vector<std::string> layout_sentences(const StrategyAnswer& answer);

/// Returns the degrees in words, as in "tensor 8, 16 stages, 32 micro-batches".
std::string degrees_in_words(const Strategy& strategy);

/// Returns the servers in words, as in "8 colocated, pieces".
std::string servers_in_words(const Strategy& strategy);

/// Returns sentences on the rate that storage must deliver at that point, on the number of cores that must decode, and
/// on which of the two is the limit; "" when the scenario has no input.
std::string input_sentences(const PredictedPoint& point);

/// Returns the same as lines for a terminal, at the largest possible scale, with the limits of smaller scales if they
/// differ.
std::string input_lines(const StrategyAnswer& answer);

} // namespace ddlsim
