#include "bench/explain/page.hpp"

namespace tuner::bench {

std::string page_of(const cli::Explanation& explanation) {
  return to_markdown(explanation);
}

}  // namespace tuner::bench
