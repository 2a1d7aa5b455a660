#include "tests/process/record_checks.hpp"

namespace tuner::test {

void damage_each_byte(Message& message, const std::function<void(const std::string&)>& look) {
  const std::string kept = message.body;
  for (std::size_t size = 0; size < kept.size(); ++size) {
    message.body = kept.substr(0, size);
    look("cut after " + std::to_string(size));
  }
  for (const char* more : {"0;", "x", "\n"}) {
    message.body = kept + more;
    look("longer");
  }
  for (std::size_t at = 0; at < kept.size(); ++at) {
    for (const char other : {'0', '9', '-', ';', '\0', '\xff'}) {
      if (kept[at] == other) continue;
      message.body = kept;
      message.body[at] = other;
      look("changed at " + std::to_string(at));
    }
  }
  message.body = kept;
}

bool same(const Message& a, const Message& b) {
  return a.type == b.type && a.body == b.body;
}

}  // namespace tuner::test
