#include "tests/process/record_checks.hpp"

#include <nlohmann/json.hpp>

namespace tuner::test {
namespace {

using Json = nlohmann::json;

/// `part` is inside `whole`, whose text is the message's body.
void damage_part(Json& part, const std::string& where, const std::function<void(const std::string&)>& look) {
  const Json kept = part;
  part = kept.is_boolean() ? Json(7) : Json(true);
  look(where + " of another type");
  part = kept;
  if (kept.is_array()) {
    for (std::size_t i = 0; i < kept.size(); ++i) damage_part(part[i], where + "[" + std::to_string(i) + "]", look);
  }
  if (!kept.is_object()) return;
  for (const auto& [name, value] : kept.items()) {
    if (!name.starts_with("any ")) {
      part.erase(name);
      look(where + "." + name + " missing");
    }
    part = kept;
    damage_part(part[name], where + "." + name, look);
  }
}

}  // namespace

void damage_each_field(Message& message, const std::function<void(const std::string&)>& look) {
  const std::string kept = message.body;
  Json body = Json::parse(kept);
  damage_part(body, "", [&](const std::string& what) {
    message.body = body.dump();
    look(what);
  });
  message.body = kept;
}

bool same(const Message& a, const Message& b) {
  const auto bytes = [](const Message& message) {
    return message.fds.empty() ? std::vector<std::byte>() : bytes_from_memfd(message.fds.front().get());
  };
  return a.type == b.type && a.body == b.body && bytes(a) == bytes(b);
}

}  // namespace tuner::test
