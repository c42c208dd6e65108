#pragma once
// Small files of each format, in a folder of their own, and a place there for the text that is read.

#include "sim/base/text_file.hpp"
#include "sim/formats/data_folder.hpp"
#include "tests/formats/sample_files.hpp"

#include <filesystem>
#include <string>

namespace ddlsim_fuzz {

/// A data folder of small files, one of each format.
inline const ddlsim_test::TemporaryFolder& folder() {
  struct Samples : ddlsim_test::TemporaryFolder {
    Samples() { write_sample_data(*this); }
  };
  static const Samples one;
  return one;
}

inline const ddlsim::DataFolder& sample_data() {
  static const ddlsim::DataFolder data{folder().path()};
  return data;
}

inline std::string seed_file(const std::string& name) {
  return ddlsim::read_text_file(std::filesystem::path(DDLSIM_SOURCE_DIR) / "tests/fuzz/seeds" / name);
}

inline std::string shipped_file(const std::string& name) {
  return ddlsim::read_text_file(std::filesystem::path(DDLSIM_SOURCE_DIR) / name);
}

inline std::filesystem::path put(const std::string& name, const std::string& text) {
  return folder().write("read/" + name, text);
}

} // namespace ddlsim_fuzz
