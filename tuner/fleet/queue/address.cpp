#include "tuner/fleet/queue/address.hpp"

#include <libpq-fe.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "tuner/core/base/printable.hpp"
#include "tuner/detail/unique_handle.hpp"
#include "tuner/error.hpp"

namespace tuner::fleet {
namespace {

using Options = UniqueHandle<PQconninfoOption*, PQconninfoFree>;

/// libpq marks what is shown to nobody with a star.
bool is_secret(const PQconninfoOption& option) {
  return option.dispchar != nullptr && option.dispchar[0] == '*';
}

}  // namespace

Address::Address(std::string_view text) {
  char* said = nullptr;
  const Options options(PQconninfoParse(std::string(text).c_str(), &said));
  PQfreemem(said);  // it quotes the text, and with it what may be a password
  if (!options) {
    throw Error(
        Errc::bad_usage,
        "The queue's address cannot be read: give one such as --queue postgresql://HOST/DATABASE (docs/fleet.md).");
  }
  for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option) {
    if (option->val == nullptr) continue;
    if (is_secret(*option) && std::string_view(option->keyword) != "passfile") {
      throw Error(
          Errc::bad_usage,
          "The queue's address has a password in it, which everybody sees in the list of processes: take it out, "
          "and put it into ~/.pgpass, a service file or PGPASSWORD.");
    }
    parameters_.emplace_back(option->keyword, option->val);
  }
  const auto add_if_missing = [&](const char* keyword, const char* value) {
    const auto is_it = [&](const auto& each) { return each.first == keyword; };
    if (std::none_of(parameters_.begin(), parameters_.end(), is_it)) parameters_.emplace_back(keyword, value);
  };
  // What is not answered in this time is asked again, by whoever can wait.
  add_if_missing("connect_timeout", "10");
  add_if_missing("tcp_user_timeout", "30000");
  add_if_missing("fallback_application_name", "tuner");
}

void Address::keep_password_of_environment() {
  const char* const password = std::getenv("PGPASSWORD");
  if (password == nullptr) return;
  password_ = password;
  parameters_.emplace_back("password", password_);
  unsetenv("PGPASSWORD");
}

std::string Address::redacted(std::string text) const {
  const char* const in_environment = std::getenv("PGPASSWORD");
  for (const std::string& secret : {password_, std::string(in_environment == nullptr ? "" : in_environment)}) {
    if (secret.empty()) continue;
    for (std::size_t at = text.find(secret); at != std::string::npos; at = text.find(secret, at)) {
      text.replace(at, secret.size(), "...");
      at += 3;
    }
  }
  // One sentence of several lines, whose end is the caller's.
  for (char& c : text) {
    if (c == '\n' || c == '\t') c = ' ';
  }
  while (!text.empty() && (text.back() == ' ' || text.back() == '.')) text.pop_back();
  return one_line(text, 500);
}

}  // namespace tuner::fleet
