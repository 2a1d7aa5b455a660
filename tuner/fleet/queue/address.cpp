#include "tuner/fleet/queue/address.hpp"

#include <libpq-fe.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "tuner/core/base/printable.hpp"
#include "tuner/error.hpp"
#include "tuner/ground/unique_handle.hpp"

namespace tuner::fleet {
namespace {

using Options = UniqueHandle<PQconninfoOption*, PQconninfoFree>;

/// libpq marks what is shown to nobody with a star.
bool is_secret(const PQconninfoOption& option) {
  return option.dispchar != nullptr && option.dispchar[0] == '*';
}

[[noreturn]] void refuse_password() {
  throw Error(Errc::bad_usage,
              "The queue's address has a password in it, which everybody sees in the list of processes: take it out, "
              "and put it into ~/.pgpass, a service file or PGPASSWORD.");
}

/// Where a password has an `@` or a slash, libpq takes what is behind it for a host or a database.
bool has_at_behind_user(std::string_view text) {
  if (!text.starts_with("postgresql://") && !text.starts_with("postgres://")) return false;
  const std::size_t begin = text.find("://") + 3;
  const std::string_view place = text.substr(begin, text.find('?') - begin);
  const std::size_t last = place.rfind('@');
  return last != std::string_view::npos && (last != place.find('@') || last > place.find('/'));
}

/// Likewise where it has a question mark. A socket's folder may have an `@`.
bool is_host(std::string_view text) {
  return text.starts_with('/') || text.find('@', 1) == std::string_view::npos;
}

/// With its colon as %3A a password is part of the user's name.
void require_name(std::string_view user) {
  if (user.find(':') == std::string_view::npos) return;
  throw Error(Errc::bad_usage,
              "The queue's address has a colon in the user's name, behind which everybody may see a password. If the "
              "name has one, put it into PGUSER or a service file.");
}

/// "5432", or "5432,5433" for as many hosts.
bool is_port(std::string_view text) {
  return text.find_first_not_of("0123456789,") == std::string_view::npos;
}

}  // namespace

Address::Address(std::string_view text) {
  char* said = nullptr;
  const Options options(PQconninfoParse(std::string(text).c_str(), &said));
  PQfreemem(said);  // it quotes the text, and with it what may be a password
  const auto require = [](bool is_right) {
    if (is_right) return;
    throw Error(
        Errc::bad_usage,
        "The queue's address cannot be read: give one such as --queue postgresql://HOST/DATABASE (docs/fleet.md).");
  };
  if (has_at_behind_user(text)) refuse_password();
  require(bool(options));
  for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option) {
    if (option->val == nullptr) continue;
    const std::string_view keyword = option->keyword;
    if (is_secret(*option) && keyword != "passfile") refuse_password();
    if (keyword == "host" && !is_host(option->val)) refuse_password();
    if (keyword == "user") require_name(option->val);
    // libpq and the server would show these: half a password, or an address with one.
    require(keyword != "port" || is_port(option->val));
    require(keyword != "dbname" || std::string_view(option->val).find("://") == std::string_view::npos);
    parameters_.emplace_back(option->keyword, option->val);
  }
  const auto add_if_missing = [&](const char* keyword, const char* value) {
    const auto is_it = [&](const auto& each) { return each.first == keyword; };
    if (std::none_of(parameters_.begin(), parameters_.end(), is_it)) parameters_.emplace_back(keyword, value);
  };
  // What is not answered in this time is asked again, by whoever can wait.
  add_if_missing("connect_timeout", "10");
  add_if_missing("tcp_user_timeout", "30000");
  add_if_missing("keepalives_idle", "10");
  add_if_missing("keepalives_interval", "5");
  add_if_missing("keepalives_count", "3");
  add_if_missing("fallback_application_name", "tuner");
}

Address::Lists Address::lists() const {
  Lists lists;
  for (const auto& [keyword, value] : parameters_) {
    lists.keywords.push_back(keyword.c_str());
    lists.values.push_back(value.c_str());
  }
  lists.keywords.push_back(nullptr);
  lists.values.push_back(nullptr);
  return lists;
}

bool Address::is_away() const {
  const Lists all = lists();
  const PGPing said = PQpingParams(all.keywords.data(), all.values.data(), 0);
  return said == PQPING_REJECT || said == PQPING_NO_RESPONSE;
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
