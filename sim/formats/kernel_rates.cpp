#include "sim/formats/kernel_rates.hpp"

#include "sim/formats/field_table.hpp"
#include "sim/formats/file_formats.hpp"
#include "sim/formats/readers.hpp"

namespace ddlsim {

namespace {

constexpr double most_depth = 1e6;
constexpr double most_slowdown = 1e3;
constexpr double most_error = 1000;
constexpr long most_rows = 1'000'000;

template <class Fitted> std::vector<Field<Fitted>> error_rows() {
  return {required("rows", within(&Fitted::error, &KernelFitError::rows), whole_type(0, most_rows),
                   "of the table that were fitted"),
          required("median_error", within(&Fitted::error, &KernelFitError::median), number_type(0, most_error),
                   "half of the rows miss the fit by less, in ln of the time"),
          required("p90_error", within(&Fitted::error, &KernelFitError::p90), number_type(0, most_error),
                   "nine of ten rows do")};
}

template <class Fitted> FieldTable<Fitted> with_error(std::vector<Field<Fitted>> fields) {
  for (auto& row : error_rows<Fitted>()) fields.push_back(std::move(row));
  return {std::move(fields)};
}

FieldTable<FittedProducts> fitted_products_fields() {
  using Rates = ProductRates;
  constexpr auto rates = &FittedProducts::rates;
  return with_error<FittedProducts>(
      {required("precision", &FittedProducts::precision, name_of_type<KernelPrecision>(), "of the inputs"),
       required("peak_share", within(rates, &Rates::peak_share), share_type(),
                "of the peak, for a product of great depth"),
       required("half_depth", within(rates, &Rates::half_depth), number_type(0, most_depth),
                "depth at which a product reaches half of that"),
       required("launch", within(rates, &Rates::launch_s), quantity_or_zero_type(Dimension::time),
                "of one product alone"),
       optional("cast_slowdown", within(rates, &Rates::cast_slowdown), number_type(0, most_slowdown),
                "time to convert an input over that by the full memory rate; 0 if not given")});
}

FieldTable<FittedAttention> fitted_attention_fields() {
  using Rates = AttentionRates;
  constexpr auto rates = &FittedAttention::rates;
  return with_error<FittedAttention>(
      {required("peak_share", within(rates, &Rates::peak_share), share_type(),
                "of the 16-bit peak, forward, head size 128"),
       required("padded_tokens", within(rates, &Rates::padded_tokens), number_type(0, most_depth),
                "of each sequence, computed besides"),
       required("share_at_size_64", within(rates, &Rates::share_at_size_64), share_type(),
                "rate at head size 64 over 128"),
       required("backward_share", within(rates, &Rates::backward_share), share_type(), "rate of backward over forward"),
       required("launch", within(rates, &Rates::launch_s), quantity_or_zero_type(Dimension::time),
                "of one kernel alone"),
       optional("cache_slowdown", within(rates, &Rates::cache_slowdown), number_type(0, most_slowdown),
                "time to store keys and values, which only the tables include, over that by the memory rate; 0 if not "
                "given")});
}

const FieldTable<GpuKernelRates>& gpu_rates_fields() {
  static const FieldTable<GpuKernelRates> table{
      {required("gpu", &GpuKernelRates::gpu, text_type(), "of `platforms/gpus.json`"),
       required("products", &GpuKernelRates::products, list_type(object_type(fitted_products_fields())),
                "matrix products, by precision"),
       optional("attention", &GpuKernelRates::attention, object_type(fitted_attention_fields()),
                "causal, in 16 bits")}};
  return table;
}

FieldTable<BorrowedRateErrors> borrowed_fields() {
  return {{required("products", &BorrowedRateErrors::products, number_type(0, most_error), "of matrix products"),
           required("attention", &BorrowedRateErrors::attention, number_type(0, most_error), "of attention")}};
}

const FieldTable<KernelRateBook>& kernel_rates_fields() {
  static const auto table = document<KernelRateBook>(
      "ddlsim-kernel-rates", 1,
      {required("gpus", &KernelRateBook::gpus, list_type(object_type(gpu_rates_fields())), "with tables"),
       required("by_generation", &KernelRateBook::by_generation, object_type(borrowed_fields()),
                "standard deviation of ln of a rate that is taken from GPUs of the same generation"),
       required("by_others", &KernelRateBook::by_others, object_type(borrowed_fields()),
                "standard deviation of ln of a rate that is taken from GPUs of other generations")});
  return table;
}

} // namespace

KernelRateBook kernel_rates_from(const JsonNode& root) {
  return read_object(root, kernel_rates_fields());
}

FileFormat kernel_rates_format() {
  return {"kernel-rates", "Kernel rates of GPUs", "platforms/kernel-rates.json", kernel_rates_fields().shape()};
}

KernelRateBook read_kernel_rates(const std::filesystem::path& file) {
  KernelRateBook book;
  read_document(file, "ddlsim-kernel-rates", 1, [&](const JsonNode& root) { book = kernel_rates_from(root); });
  return book;
}

std::string kernel_rates_json(const KernelRateBook& book) {
  return json_text(write_fields(kernel_rates_fields(), book), 1) + "\n";
}

} // namespace ddlsim
