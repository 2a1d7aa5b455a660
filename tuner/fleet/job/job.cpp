#include "tuner/fleet/job/job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "tuner/core/base/timing_text.hpp"
#include "tuner/error.hpp"
#include "tuner/fleet/job/sha256.hpp"

namespace tuner::fleet {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse_job(std::string_view what) {
  throw Error(Errc::bad_description,
              fmt::format("This is no job of `tuner fleet submit`: {}. Submit it again with that program.", what));
}

Json json_of(const CarriedFile& file) {
  return {{"name", file.name}, {"sha256", hexadecimal(file.hash)}};
}

Json json_of(const std::vector<CarriedFile>& files) {
  Json list = Json::array();
  for (const CarriedFile& file : files) list.push_back(json_of(file));
  return list;
}

const Json& member(const Json& object, const char* name) {
  if (!object.is_object() || !object.contains(name)) refuse_job(fmt::format("it has no `{}`", name));
  return object.at(name);
}

std::string text_of(const Json& object, const char* name) {
  const Json& value = member(object, name);
  if (!value.is_string()) refuse_job(fmt::format("`{}` is no text", name));
  return value.get<std::string>();
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  refuse_job("a hash in it is none");
}

CarriedFile file_of(const Json& object) {
  CarriedFile file{text_of(object, "name"), {}};
  const std::string digits = text_of(object, "sha256");
  if (digits.size() != 64) refuse_job("a hash in it is none");
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    file.hash += static_cast<char>(16 * digit_of(digits[i]) + digit_of(digits[i + 1]));
  }
  return file;
}

std::vector<CarriedFile> files_of(const Json& object, const char* name) {
  const Json& list = member(object, name);
  if (!list.is_array()) refuse_job(fmt::format("`{}` is no list", name));
  if (list.size() > kMostFiles) refuse_job(fmt::format("`{}` has more than {} files", name, kMostFiles));
  std::vector<CarriedFile> files;
  for (const Json& each : list) files.push_back(file_of(each));
  return files;
}

}  // namespace

std::string to_json(const JobSpec& spec) {
  return Json{{"format", 1},
              {"kernel", spec.kernel},
              {"identity", spec.identity},
              {"problem", spec.problem},
              {"mode", to_string(spec.timing)},
              {"effort", to_string(spec.effort)},
              {"source", json_of(spec.source)},
              {"headers", json_of(spec.headers)},
              {"data", json_of(spec.data)}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

JobSpec job_from_json(std::string_view text) {
  const Json object = Json::parse(text, nullptr, false);
  if (object.is_discarded()) refuse_job("it is not JSON");
  if (member(object, "format") != 1) refuse_job("its format is another one than 1");
  const auto effort = effort_from_string(text_of(object, "effort"));
  if (!effort) refuse_job("its effort is unknown");
  const auto timing = timing_from_string(text_of(object, "mode"));
  if (!timing) refuse_job("its mode is unknown");
  return {.kernel = text_of(object, "kernel"),
          .identity = text_of(object, "identity"),
          .problem = text_of(object, "problem"),
          .timing = *timing,
          .effort = *effort,
          .source = file_of(member(object, "source")),
          .headers = files_of(object, "headers"),
          .data = files_of(object, "data")};
}

std::vector<std::string> hashes_of(const JobSpec& spec) {
  std::set<std::string> hashes{spec.source.hash};
  for (const std::vector<CarriedFile>* files : {&spec.headers, &spec.data}) {
    for (const CarriedFile& file : *files) hashes.insert(file.hash);
  }
  return {hashes.begin(), hashes.end()};
}

}  // namespace tuner::fleet
