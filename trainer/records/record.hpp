#pragma once
// What is measured, in the records of the simulator (sim/formats/record.hpp).

#include "sim/formats/record.hpp"

#include <string>

namespace ddltrain {

using ddlsim::CollectiveRecord;
using ddlsim::InputRecord;
using ddlsim::LayerRecord;
using ddlsim::LossRecord;
using ddlsim::PointToPointRecord;
using ddlsim::RecordHead;
using ddlsim::ServerRecord;
using ddlsim::StepRecord;

/// The value of a name that the command line has checked before.
template <class Name> Name named_value(const std::string& text) {
  return ddlsim::value_named<Name>(text).value();
}

/// The head of a record of our own: origin "run", statistic "median", transport and library "unknown" until somebody
/// knows them. series: records of one experiment, which differ in scale or size only.
RecordHead own_head(const std::string& series);

/// A step of one GPU without synchronisation, in fp32, of synthetic data, trained; nothing else is known of it yet.
StepRecord plain_step(const RecordHead& head);

} // namespace ddltrain
