#pragma once

#include <cstdint>
#include <string>

namespace tuner::explain {

/// Three digits and a word: "12.3 million", "850", "0.69".
std::string number_text(double value);
/// Bytes of a memory: "24 KB" is 24 * 1024.
std::string memory_text(double bytes);
/// Bytes that went somewhere: "1.07 GB" is 1.07e9.
std::string traffic_text(double bytes);
/// "1 block", "2 blocks".
std::string count_text(std::int64_t count, const std::string& noun);
/// "fell from 8.1 to 1.9", with `unit` behind the second: "rose from 31 to 78 %".
std::string moved_text(double slower, double faster, const std::string& unit = {});

}  // namespace tuner::explain
