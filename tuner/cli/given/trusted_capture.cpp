#include "tuner/cli/given/trusted_capture.hpp"

#include <fmt/format.h>
#include <sys/types.h>

#include "cache/file/trust.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

namespace fs = std::filesystem;

std::vector<fs::path> files_with_code(const fs::path& folder, const capture::Capture& capture) {
  std::vector<fs::path> files{folder / capture::kManifest};
  for (const capture::StoredLaunch& launch : capture.launches)
    if (launch.module.size > 0) files.push_back(capture::blob_path(folder, launch.module));
  return files;
}

void require_trust(const Arguments& arguments, std::string_view runs, const fs::path& folder,
                   const std::vector<fs::path>& files) {
  if (arguments.has("trust")) return;
  const std::vector<uid_t> owners = cache::trusted_owners();
  for (const fs::path& file : files) {
    if (const auto reason = cache::reason_to_distrust(file, owners))
      throw Error(Errc::bad_usage, fmt::format("{} {}, which is not trusted: {}. If you know where it comes from, add "
                                               "--trust.",
                                               runs, folder.string(), *reason));
  }
}

}  // namespace tuner::cli
