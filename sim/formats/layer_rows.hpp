#pragma once
// Lines of the old form, one pass of one layer each, put together into tables.

#include "sim/formats/record.hpp"

#include <compare>
#include <map>
#include <string>
#include <vector>

namespace ddlsim {

/// Puts the rows of one file together: rows of one series, model and stack into one table, where the first of them
/// stands. Of several times of one layer, pass, precision and batch each begins a timing of its own. A timing's count is
/// the largest of its rows', and one suspect row makes it suspect. Notes that rows do not share are dropped.
class LayerRows {
public:
  /// `row` is a table of one time, as layer_row_from() reads it; `records` are those of the file so far.
  void add(const LayersRecord& row, std::vector<Record>& records);

private:
  /// What rows of one table agree in.
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
    int repeated = 0; ///< how often its rows had been there before
    auto operator<=>(const TimingKey&) const = default;
  };
  struct RowKey {
    TimingKey timing;
    std::string layer;
    LayerPass pass = LayerPass::forward;
    auto operator<=>(const RowKey&) const = default;
  };
  struct Table {
    std::size_t record = 0; ///< its place among the file's
    std::map<std::string, std::size_t> layers;
    std::map<TimingKey, std::size_t> timings;
    std::map<RowKey, int> seen;
  };

  Table& table_of(const LayersRecord& row, std::vector<Record>& records);

  std::map<TableKey, Table> tables_;
};

} // namespace ddlsim
