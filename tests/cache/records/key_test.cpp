#include <array>
#include <map>
#include <random>

#include "cache/file/hash.hpp"
#include "tests/cache/support.hpp"

namespace tuner::cache::test {
namespace {

TEST_CASE("a key's text names every part and is what it was in the first version") {
  const DecisionKey key{"prefetch", "prefetch:ab", "rows=528", "H200|sm_90", "cold", "time"};
  CHECK(key.text() ==
        "key1|kernel=prefetch|identity=prefetch:ab|problem=rows=528|device=H200\\|sm_90|mode=cold|objective=time");
  CHECK(key.hash() == content_hash(key.text()));
  CHECK(key.hash().text == "8c69aa0849b4d2ee79654af408c44f0c");
}

TEST_CASE("content_hash is XXH3-128 in canonical byte order") {
  CHECK(content_hash("").text == "99aa06d3014798d86001c324468d497f");
  CHECK(content_hash("a").text == "a96faf705af16834e6c632b61e964e1f");
  CHECK(content_hash("a") == content_hash(std::as_bytes(std::span("a", 1))));
}

TEST_CASE("moving text from one part of a key to the next gives another key text") {
  const std::array<std::string DecisionKey::*, 6> parts{&DecisionKey::kernel_name, &DecisionKey::kernel_identity,
                                                        &DecisionKey::problem,     &DecisionKey::device,
                                                        &DecisionKey::mode,        &DecisionKey::objective};
  // Pieces of the format itself are the contents most likely to be mistaken for it.
  const std::vector<std::string> pieces{"",          "|",        "\\",     "\\|",    "=",     "a",  "|identity=",
                                        "|problem=", "|device=", "|mode=", "kernel", "key1|", "\n", {"\0", 1}};
  std::mt19937 random(1);
  const auto any = [&](std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(random); };
  std::map<std::string, DecisionKey> seen;
  for (int i = 0; i < 200'000; ++i) {
    DecisionKey key{"", "", "", "", "", ""};
    for (std::size_t n = 1 + any(4); n > 0; --n) key.*parts[any(parts.size())] += pieces[any(pieces.size())];
    const auto [found, is_new] = seen.emplace(key.text(), key);
    if (!is_new && found->second != key) FAIL("two keys have the text " << key.text());
  }
  CHECK(seen.size() > 10'000);
}

}  // namespace
}  // namespace tuner::cache::test
