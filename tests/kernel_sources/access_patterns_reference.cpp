#include "tests/kernel_sources/reference.hpp"

namespace {

using namespace tuner::host;

/// Bytes of a value, and of what it consists of.
std::pair<std::int64_t, std::int64_t> bytes_of(const std::string& type) {
  if (type == "double") return {8, 8};
  if (type == "float") return {4, 4};
  if (type == "half2") return {4, 2};
  return {4, 1};
}

void reference(ReferenceRun& run) {
  const auto [bytes, component] = bytes_of(run.type("TYPE"));
  const std::int64_t fields = run.size("fields"), offset = run.size("offset");
  const auto x = run.array<std::uint8_t>("x");
  const auto y = run.array<std::uint8_t>("y");
  const auto table = run.array<std::int32_t>("table");
  const auto copy = [&, bytes = bytes, component = component](std::int64_t to, std::int64_t from) {
    for (std::int64_t byte = 0; byte < bytes; ++byte) {
      const std::uint8_t top_bit = (byte + 1) % component == 0 ? 0x80 : 0;  // little-endian: in a component's last byte
      y[to * bytes + byte] = x[from * bytes + byte] ^ top_bit;
    }
  };
  for (std::int64_t i = 0; i < offset; ++i) copy(i, i);
  for (std::int64_t record = 0; record < run.size("records"); ++record) {
    std::int64_t source = record;
    if (run.size("index") == 1) source = record * run.size("stride");
    if (run.size("index") == 2) source = table[record];
    for (std::int64_t field = 0; field < fields; ++field) {
      copy(offset + record * fields + field, offset + source * fields + field);
    }
  }
}

const ReferenceRegistration registration{"access_patterns", reference};

}  // namespace
