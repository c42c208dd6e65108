#include "sim/formats/kernel_table.hpp"

#include "sim/formats/field_table.hpp"
#include "sim/formats/file_formats.hpp"
#include "sim/formats/readers.hpp"

#include <fmt/format.h>

namespace ddlsim {

namespace {

constexpr double most_in_a_row = 1e12; ///< a side, a number of tokens, or a time
constexpr std::size_t product_cells = 4;
constexpr std::size_t attention_cells = 6;

/// "us", held as seconds of one unit.
ValueType<double> time_unit_type() {
  static const std::vector<std::string> units{"us", "ms", "s"};
  return stored_as<double, std::string>(
      word_type(units), [](const std::string& unit) { return unit_in_si(unit, Dimension::time); },
      [](const double& unit_s) {
        for (const auto& unit : units)
          if (unit_in_si(unit, Dimension::time) == unit_s) return unit;
        return units.front();
      });
}

/// A row of a table as a list of that many numbers.
template <class Row>
ValueType<Row> row_type(std::size_t cells, std::function<Row(const std::vector<double>&)> from,
                        std::function<std::vector<double>(const Row&)> to) {
  return stored_as<Row, std::vector<double>>(
      list_type(positive_type(most_in_a_row), cells, cells),
      [=](const std::vector<double>& numbers) { return numbers.size() == cells ? from(numbers) : Row{}; }, to);
}

ValueType<ProductTime> product_row_type() {
  return row_type<ProductTime>(
      product_cells,
      [](const std::vector<double>& cells) {
        return ProductTime{cells[0], cells[1], cells[2], cells[3]};
      },
      [](const ProductTime& row) {
        return std::vector<double>{row.m, row.n, row.k, row.time};
      });
}

ValueType<AttentionTime> attention_row_type() {
  return row_type<AttentionTime>(
      attention_cells,
      [](const std::vector<double>& cells) {
        return AttentionTime{cells[0], cells[1], cells[2], cells[3], cells[4], cells[5]};
      },
      [](const AttentionTime& row) {
        return std::vector<double>{row.sequences, row.tokens, row.heads, row.kv_heads, row.head_size, row.time};
      });
}

/// The keys of every table, and behind them its rows.
template <class Table, class Row> std::vector<Field<Table>> table_rows(ValueType<Row> row, const std::string& columns) {
  return {required("software", within(&Table::head, &KernelTableHead::software), text_type(), "with its version"),
          required("kernel", within(&Table::head, &KernelTableHead::kernel), text_type(), "what ran"),
          required("path", within(&Table::head, &KernelTableHead::path), text_type(), "of the table in the repository"),
          required("unit", within(&Table::head, &KernelTableHead::unit_s), time_unit_type(), "of the times"),
          required("rows", &Table::rows, list_type(row, 1), columns)};
}

FieldTable<ProductTable> product_table_fields() {
  FieldTable<ProductTable> table{{required("precision", &ProductTable::precision, name_of_type<KernelPrecision>(),
                                           "of the inputs; bf16 for fp16, too")}};
  for (auto& row : table_rows<ProductTable>(product_row_type(), "[m, n, k, time] of an m x k times a k x n matrix"))
    table.fields.push_back(std::move(row));
  return table;
}

void check_heads(const JsonNode& object, AttentionTable& table) {
  const auto places = object.list("rows");
  for (std::size_t i = 0; i < places.size(); ++i)
    if (const auto& row = table.rows[i]; row.kv_heads > row.heads)
      places[i].mistake(
          fmt::format("{:g} key heads found for {:g} query heads; give at most as many", row.kv_heads, row.heads));
}

FieldTable<AttentionTable> attention_table_fields() {
  return {
      table_rows<AttentionTable>(attention_row_type(),
                                 "[sequences, tokens, heads, key heads, head size, time] of causal forward in 16 bits"),
      check_heads};
}

FieldTable<KernelSource> kernel_source_fields() {
  return {{required("title", &KernelSource::title, text_type(), "of the publication"),
           required("repository", &KernelSource::repository, text_type(), "or page"),
           required("commit", &KernelSource::commit, text_type(), "or version"),
           required("licence", &KernelSource::licence, text_type(), "of the figures"),
           required("date", &KernelSource::date, date_type(), "when they were read")}};
}

const FieldTable<GpuKernelTables>& gpu_kernels_fields() {
  static const auto table = document<GpuKernelTables>(
      "ddlsim-kernels", 1,
      {required("gpu", &GpuKernelTables::gpu, text_type(), "of `platforms/gpus.json`"),
       required("source", &GpuKernelTables::source, object_type(kernel_source_fields()),
                "where the tables are published"),
       required("products", &GpuKernelTables::products, list_type(object_type(product_table_fields())),
                "matrix products, a table for each precision"),
       required("attention", &GpuKernelTables::attention, list_type(object_type(attention_table_fields()), 0, 1),
                "causal attention, forward: one table, or none")});
  return table;
}

} // namespace

GpuKernelTables gpu_kernels_from(const JsonNode& root) {
  return read_object(root, gpu_kernels_fields());
}

FileFormat kernels_format() {
  return {"kernels", "Kernel times of a GPU", "platforms/kernels/NAME.json", gpu_kernels_fields().shape()};
}

GpuKernelTables read_gpu_kernels(const std::filesystem::path& file) {
  GpuKernelTables tables;
  read_document(file, "ddlsim-kernels", 1, [&](const JsonNode& root) { tables = gpu_kernels_from(root); });
  return tables;
}

} // namespace ddlsim
