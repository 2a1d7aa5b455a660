#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cache/exchange/exchange.hpp"

namespace tuner::cli {

/// What became of one file's rows, of one kernel or of all.
struct ImportCounts {
  std::int64_t kept = 0;
  std::int64_t older = 0;
  std::int64_t foreign = 0;  ///< of those that were kept
  std::int64_t trials_kept = 0;
  std::int64_t trials_known = 0;

  void add(const cache::ImportedKey& key, bool is_foreign);
};

/// The rows of a file, or of a queue.
struct ImportedFile {
  std::string path;
  ImportCounts total;
  std::map<std::string, ImportCounts> kernels;
};

/// The identities of this machine's GPUs; nothing if there is no driver to ask.
std::optional<std::vector<std::string>> kinds_of_gpu_here();

ImportedFile summed(std::string path, const std::vector<cache::ImportedKey>& imported,
                    const std::optional<std::vector<std::string>>& here);

/// The keys of docs/json.md.
nlohmann::ordered_json counts_json(const ImportCounts& counts, bool knows_gpus);
/// A list of the same by kernel.
nlohmann::ordered_json kernels_json(const ImportedFile& file, bool knows_gpus);

/// A line for each kernel, indented.
void print_kernels(const ImportedFile& file, bool knows_gpus);
/// What `foreign` decisions are, if there are any.
void print_foreign(std::int64_t foreign, bool knows_gpus);

}  // namespace tuner::cli
