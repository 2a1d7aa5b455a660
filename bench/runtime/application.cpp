#include "bench/runtime/application.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <charconv>
#include <cstring>
#include <fstream>
#include <ranges>
#include <stdexcept>

#include "tuner/core/kernel_file/kernel_file.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/driver/device_query.hpp"

namespace tuner::bench {

namespace {

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (const auto part : std::views::split(text, ',')) parts.emplace_back(part.begin(), part.end());
  return parts;
}

template <class T>
T number(std::string_view text, int base = 10) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size())
    throw std::runtime_error("not a number: " + std::string(text));
  return value;
}

std::uint64_t bits_of(const BoundArgument& argument) {
  if (argument.type == ElementType::float64) return std::bit_cast<std::uint64_t>(argument.value.as_real());
  if (argument.type == ElementType::float32)
    return std::bit_cast<std::uint32_t>(static_cast<float>(argument.value.as_real()));
  return static_cast<std::uint64_t>(argument.value.as_integer());
}

}  // namespace

ApplicationText describe_application(const std::filesystem::path& kernel_file, const std::string& problem) {
  const Task task(load_description(kernel_file, ""), parse_problem(problem), cuda::query_device(0), {}, {},
                  search::Listing::when_needed);
  std::vector<std::string> problem_texts, argument_texts;
  for (const ProblemProperty& property : task.description().problem)
    problem_texts.push_back(task.problem().at(property.name).text());
  const std::vector<std::uint64_t> scratch = task.scratch_lengths(task.baseline().value());
  std::size_t next_scratch = 0;
  for (const BoundArgument& argument : task.arguments()) {
    const std::size_t size = size_of(argument.type);
    if (argument.role == Argument::Role::scalar) {
      argument_texts.push_back(fmt::format("{}:{:x}", size, bits_of(argument)));
    } else {
      const bool is_scratch = argument.role == Argument::Role::scratch;
      const std::uint64_t length = is_scratch ? scratch[next_scratch++] : argument.length;
      argument_texts.push_back(fmt::format("{}:{}", is_scratch ? "scratch" : "buffer",
                                           length * size * static_cast<std::uint64_t>(argument.lanes)));
    }
  }
  return {fmt::format("{}", fmt::join(problem_texts, ",")), fmt::format("{}", fmt::join(argument_texts, ","))};
}

std::vector<ProblemValue> problem_values(std::string_view text) {
  std::vector<ProblemValue> values;
  for (const std::string_view part : split(text)) values.emplace_back(number<std::int64_t>(part));
  return values;
}

Arguments::Arguments(std::string_view text) {
  const std::vector<std::string_view> parts = split(text);
  if (parts.size() > kMost) throw std::runtime_error("too many arguments");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t colon = parts[i].find(':');
    const bool is_scratch = parts[i].starts_with("scratch:");
    if (is_scratch || parts[i].starts_with("buffer:")) {
      const CUdeviceptr address = buffers_.emplace_back(number<std::size_t>(parts[i].substr(colon + 1))).address();
      std::memcpy(values_[i].data(), &address, sizeof address);
    } else {
      const auto bits = number<std::uint64_t>(parts[i].substr(colon + 1), 16);
      std::memcpy(values_[i].data(), &bits, sizeof bits);
    }
    pointers_.push_back(values_[i].data());
    addresses_.push_back(is_scratch ? nullptr : pointers_.back());
  }
  pointers_.push_back(nullptr);
  two_doubles_and_a_number_ = parts.size() == 3 && buffers_.size() == 2 && parts[2].starts_with("4:");
}

LaunchStatus Arguments::launch(const Instance& instance, Stream stream) const {
  if (!two_doubles_and_a_number_) return instance.launch_untyped(stream, addresses());
  int length = 0;
  std::memcpy(&length, values_[2].data(), sizeof length);
  return instance.launch(stream, buffers_[0].as<const double>(), buffers_[1].as<double>(), length);
}

void require(const LaunchStatus& status) {
  if (!status) throw std::runtime_error(fmt::format("a launch failed with {}: {}", status.code, status.message));
}

std::filesystem::path narrow(const std::filesystem::path& kernel_file, const std::string& where,
                             const std::filesystem::path& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(kernel_file.parent_path())) {
    const std::filesystem::path copy = folder / entry.path().filename();
    if (entry.path().extension() == ".cuh" && !exists(copy)) std::filesystem::copy_file(entry.path(), copy);
  }
  const std::filesystem::path file = folder / kernel_file.filename();
  std::ofstream out(file);
  out << std::ifstream(kernel_file).rdbuf() << "\n";
  if (!where.empty()) out << "#pragma tuner constraint(" << where << ")\n";
  if (!out.flush()) throw std::runtime_error("cannot write " + file.string());
  return file;
}

}  // namespace tuner::bench
