#pragma once

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "cache/file/hash.hpp"
#include "cache/store/served_store.hpp"
#include "tests/cache/support.hpp"

namespace tuner::cache::test {

inline constexpr const char* kSource = "source1|text=abc";
inline constexpr const char* kPlace = "place1|rows=528";

inline Decision measured_decision() {
  Decision decision = full_decision();
  decision.origin = Origin::measured;
  return decision;
}

inline Served served_of(std::int64_t row, const std::string& place = kPlace, const std::string& source = kSource) {
  Decision decision = measured_decision();
  decision.row = row;
  Served served{source, "outline of " + source, place, "", served_mark(decision), "launch in " + place, {}};
  for (int i = 0; i < 3000; ++i)
    served.cubin.bytes.push_back(static_cast<std::byte>(place[i % place.size()] + i / 100));
  served.cubin.hash = content_hash(served.cubin.bytes);
  served.cubin.kernel = "k";
  return served;
}

inline std::int64_t row_of(const Served& served) {
  return std::stoll(served.decision);
}

inline void check_same_served(const Served& a, const Served& b) {
  CHECK(a.source == b.source);
  CHECK(a.outline == b.outline);
  CHECK(a.place == b.place);
  CHECK(a.decision == b.decision);
  CHECK(a.launch == b.launch);
  CHECK(a.cubin.hash == b.cubin.hash);
  CHECK(a.cubin.kernel == b.cubin.kernel);
  CHECK(a.cubin.bytes == b.cubin.bytes);
}

inline Decision other_decision(const std::string& problem) {
  Decision decision = measured_decision();
  decision.key.problem = problem;
  return decision;
}

/// What a program that starts finds beside these decisions.
inline std::optional<Served> find_in(const std::filesystem::path& decisions, const std::string& place = kPlace,
                                     const std::string& source = kSource) {
  return ServedStore(decisions, std::chrono::seconds(1)).find(source, place);
}

/// A database with a decision and its row.
class Started {
 public:
  Started() {
    decision_ = store().record_decision(measured_decision());
    store().record_served(served_of(decision_));
  }
  SqliteStore& store() { return *store_; }
  std::filesystem::path path() const { return folder_ / "decisions.db"; }
  std::filesystem::path served() const { return folder_ / "served.db"; }
  std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }
  std::int64_t decision() const { return decision_; }
  std::optional<Served> find(const std::string& place = kPlace, const std::string& source = kSource) const {
    return find_in(path(), place, source);
  }
  std::optional<std::string> outline(const std::string& source = kSource) const {
    return ServedStore(path(), std::chrono::seconds(1)).find_outline(source);
  }
  std::string rows() const { return sql(served(), "SELECT count(*) FROM served WHERE decision_id <> ''").at(0); }

 private:
  TemporaryFolder folder_;
  std::unique_ptr<SqliteStore> store_ = open_store(folder_ / "decisions.db");
  std::int64_t decision_ = 0;
};

inline void check_found(const std::optional<Served>& found, std::int64_t decision) {
  REQUIRE(found);
  check_same_served(*found, served_of(decision));
}

}  // namespace tuner::cache::test
