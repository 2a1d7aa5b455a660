#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/sources/from_capture/captured_kernel.hpp"

namespace tuner::sources {

/// The source that the kernel was made of.
struct CapturedSource {
  std::string_view text;
  std::filesystem::path file;  ///< for messages, and where headers are looked for
  std::string_view elsewhere;  ///< as for tuner::skeleton
  // As in KnownKernel.
  bool is_proved = false;
  std::optional<std::map<std::string, std::string>> macros = {};
  std::set<std::string> fixed = {};
};

struct CapturedDescription {
  std::string text;                    ///< the source with directives that need no editing
  std::vector<DataPart> data;          ///< the files that they name
  std::vector<std::string> constants;  ///< of the source, that directives give
};

/// Directives with which the kernel, in its baseline, is launched as it was, with what it was given, and has to leave
/// what it left. Grid and block stay what the source computes where that gives the launch's numbers. `folder` is where
/// the files of data will be, beside the description; `origin` says where the launch is from. Throws
/// Error{bad_description} with what no description can give.
CapturedDescription describe_captured(const CapturedSource& source, const CapturedKernel& kernel,
                                      const std::string& folder, const std::string& origin);

}  // namespace tuner::sources
