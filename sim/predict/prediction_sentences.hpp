#pragma once
// A prediction in sentences: the first screen of the terminal and of the page, and what both say of servers and input.

#include "sim/predict/prediction.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// "28.31k samples/s (24.2..33.4)".
std::string rate_words(const PredictedPoint& point);

/// "auto of nccl 2.21.5 with pytorch-ddp over nccl-ib".
std::string answer_name(const StrategyAnswer& answer);

/// The point at the largest scale that can be; null where none can.
const PredictedPoint* largest_possible(const StrategyAnswer& answer);

/// What the terminal begins with: the fastest strategy at the largest scale that can be, the next best and whether
/// their order is certain, and the fastest on what is available where more was asked for.
std::vector<std::string> answer_sentences(const Prediction& prediction);

/// The page's: the question, the fastest with its largest efficient scale, where its time goes, what to measure next,
/// then as answer_sentences().
std::vector<std::string> prediction_sentences(const Prediction& prediction);

/// Which servers were taken where the strategy seeks the best; what a bought GPU and a bought node come to where nodes
/// are bought for servers; the tensor that decides where one does. "" where there is nothing to say.
std::string server_lines(const StrategyAnswer& answer);

/// What copies and the host's update add, and what the host's memory needs at least; "" without offload.
std::string offload_sentence(const StrategyAnswer& answer);

/// What the communication of model parallelism adds, by what travels, and what a search of its degrees found; "" for
/// others.
std::string layout_lines(const StrategyAnswer& answer);

/// What a search of its degrees found, a sentence a scale; empty where nothing was searched.
std::vector<std::string> layout_sentences(const StrategyAnswer& answer);

/// "tensor 8, 16 stages, 32 micro-batches".
std::string degrees_in_words(const Strategy& strategy);

/// "8 colocated, pieces".
std::string servers_in_words(const Strategy& strategy);

/// What storage must deliver at that point, how many cores must decode, and which of them is the limit; "" where the
/// scenario has no input.
std::string input_sentences(const PredictedPoint& point);

/// The same in lines of a terminal, at the largest scale that can be, and what limits smaller ones where it is another
/// thing.
std::string input_lines(const StrategyAnswer& answer);

} // namespace ddlsim
