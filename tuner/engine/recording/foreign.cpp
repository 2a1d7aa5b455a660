#include "tuner/engine/recording/foreign.hpp"

#include <utility>

#include "tuner/engine/recording/foreign_formats.hpp"
#include "tuner/engine/recording/foreign_json.hpp"

namespace tuner::engine {

Recording read_foreign(const std::filesystem::path& file, std::string text) {
  const JsonFile json(file, std::move(text));
  const JsonNode root = json.root();
  Recording recording;
  recording.file = file;
  if (root.find("cache")) {
    read_kernel_tuner_cache(root, recording);
  } else if (root.find("Results")) {
    read_ktt_results(root, recording);
  } else if (root.find("results")) {
    read_t4_results(root, recording);
  } else if (root.find("ConfigurationSpace")) {
    root.fail("it describes a kernel and has no results: `tuner tune FILE` takes it");
  } else {
    root.fail(
        "it has none of `cache` (Kernel Tuner), `Results` (KTT) and `results` (T4), so that it holds no results "
        "that are known here");
  }
  return recording;
}

}  // namespace tuner::engine
