#include <fmt/format.h>

#include "bench/kernels/records.hpp"
#include "bench/kernels/sections.hpp"
#include "tuner/core/base/text.hpp"

namespace tuner::bench {

using nlohmann::json;

std::string peer_heading() {
  return table_heading({"kernel", "peer", "winner", "peer's time", "peer / winner", "winner's rate", "peer's rate",
                        "winner / peer, rates", "samples", "results"});
}

std::string peer_line(const json& record) {
  const std::string name = record.value("name", "?"), peer = record.value("peer", "?");
  if (record.contains("error")) return table_line({name, peer, record["error"].get<std::string>()});
  const auto rate = [&](const char* key) {
    return record.contains(key) ? rate_text(record[key].get<double>(), record.value("unit", "B/s")) : "-";
  };
  const json& ratio = record["ratio"];
  std::string share = "-";
  if (record.contains("winner_rate") && record.contains("peer_rate"))
    share = fmt::format("{:.3f}", record["winner_rate"].get<double>() / record["peer_rate"].get<double>());
  return table_line({name, peer, time_text(record["winner_ns"]), time_text(record["peer_ns"]),
                     ratio_cell(ratio["ratio"], ratio["low"], ratio["high"]), rate("winner_rate"), rate("peer_rate"),
                     share, std::to_string(record.value("samples", 0)), record.value("results", "-")});
}

}  // namespace tuner::bench
