#include "sim/formats/kernel_rates.hpp"
#include "tests/formats/sample_files.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {

TEST_CASE("kernel rates are read, and written as they were") {
  const ddlsim_test::TemporaryFolder folder;
  const auto book = read_kernel_rates(folder.write("a.json", ddlsim_test::sample_kernel_rates().dump()));
  REQUIRE(book.gpus.size() == 2);
  CHECK(book.gpus[0].products[1].precision == KernelPrecision::fp8);
  const auto& products = book.gpus[0].products[1].rates;
  CHECK(products == ProductRates{0.5, 300, products.launch_s, 2});
  CHECK(products.launch_s == Approx(5e-6));
  CHECK(book.gpus[0].products[1].error == KernelFitError{90, 0.04, 0.1});
  const auto& attention = book.gpus[0].attention.rates;
  CHECK(attention == AttentionRates{0.6, 500, 0.8, 0.55, attention.launch_s, 1.5});
  CHECK(attention.launch_s == Approx(10e-6));
  CHECK(book.gpus[1].attention == FittedAttention{});
  CHECK(book.by_generation == BorrowedRateErrors{0.1, 0.2});
  CHECK(book.by_others == BorrowedRateErrors{0.3, 0.4});
  CHECK(read_kernel_rates(folder.write("b.json", kernel_rates_json(book))) == book);
}

TEST_CASE("mistakes in kernel rates") {
  ddlsim_test::check_spoilt(
      ddlsim_test::sample_kernel_rates(),
      {
          {"/gpus/0/products/0/peak_share", "1.5", "/gpus/0/products/0/peak_share: 1.5 found; give a share, 1 or less"},
          {"/gpus/0/products/0/launch", "5",
           "/gpus/0/products/0/launch: 5 found, a quantity with its unit expected; write a text like \"1.5 us\""},
          {"/gpus/0/attention/rows", "-1", "/gpus/0/attention/rows: -1 is out of range; give 0 to 1000000"},
          {"/gpus/1/gpu", "", "/gpus/1/gpu: missing; give a text"},
          {"/by_others/attention", "", "/by_others/attention: missing; give a number, 0 to 1000"},
      },
      [](const std::filesystem::path& file) { read_kernel_rates(file); });
}

} // namespace ddlsim
