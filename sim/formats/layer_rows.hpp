#pragma once
// Combines lines of the old format, each with one pass of one layer, into tables.

#include "sim/formats/record.hpp"

#include <compare>
#include <map>
#include <string>
#include <vector>

namespace ddlsim {

/// Combines the rows of one file: rows of one series, model and stack form one table, at the place of the first of
/// them. Repeated times of one layer, pass, precision and batch start a new timing each. A timing's count is the
/// largest of its rows, and one suspect row makes it suspect. Notes that the rows do not share are dropped.
class LayerRows {
public:
  /// `row` is a table with one time, as layer_row_from() reads it; `records` are the file's records so far.
  void add(const LayersRecord& row, std::vector<Record>& records);

private:
  /// Fields that are the same in all rows of a table.
  struct TableKey {
    std::string series;
    std::string model;
    std::string origin;
    std::string device;
    std::string host;
    std::string transport;
    std::string library;
    std::string software;
    std::string statistic;
    auto operator<=>(const TableKey&) const = default;
  };
  struct TimingKey {
    std::string gpu;
    Precision precision = Precision::fp32;
    double batch = 0;
    int repeated = 0; ///< how many earlier rows had the same key
    auto operator<=>(const TimingKey&) const = default;
  };
  struct RowKey {
    TimingKey timing;
    std::string layer;
    LayerPass pass = LayerPass::forward;
    auto operator<=>(const RowKey&) const = default;
  };
  struct Table {
    std::size_t record = 0; ///< index of the table among the file's records
    std::map<std::string, std::size_t> layers;
    std::map<TimingKey, std::size_t> timings;
    std::map<RowKey, int> seen;
  };

  Table& table_of(const LayersRecord& row, std::vector<Record>& records);

  std::map<TableKey, Table> tables_;
};

} // namespace ddlsim
