#pragma once
// Where an installed program finds its files, and which version of ddlsim a folder of data belongs to.

#include <filesystem>
#include <string>

namespace ddlsim {

/// Returns the folder with platforms/ and scenarios/ of an installation, which is ../share/ddlsim relative to the
/// program. It is empty for a program that was not installed, which uses the sources that it was built from. With
/// `must_be`, for a program that knows no sources, it is never empty.
std::filesystem::path installed_data_folder(bool must_be);

/// Throws UserError if the installed data are not there.
void require_installed_data(const std::filesystem::path& installed);

/// Returns a sentence if the folder's file VERSION names another version of ddlsim than `program`; else "". A folder
/// without this file may be of any version.
std::string other_version(const std::filesystem::path& data, const std::string& program);

/// Returns a sentence if the message is about a file of the installed data, which only a new installation can mend; else
/// "". `installed` is empty for a program that was not installed.
std::string broken_installation(const std::filesystem::path& installed, const std::string& message);

} // namespace ddlsim
