#pragma once
#include "trainer/records/record.hpp"

namespace ddltrain {

/// The record as one line of JSON without its end of line, keys in a fixed order, times in seconds and rates in B/s.
/// Throws std::logic_error when the record holds a figure that no reader takes: a time that is not above zero, or not
/// finite.
std::string record_line(const ContextRecord& context);
std::string record_line(const StepRecord& record);
std::string record_line(const CollectiveRecord& record);
std::string record_line(const PointToPointRecord& record);
std::string record_line(const LayerRecord& record);
std::string record_line(const ServerRecord& record);
std::string record_line(const InputRecord& record);
std::string record_line(const LossRecord& record);

} // namespace ddltrain
