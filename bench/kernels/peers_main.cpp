// A tuned winner and what everybody uses instead, taking turns on one stream, each behind a flush of the L2 cache.
//
//   bench_kernel_peers list TABLE           the problems that have a peer
//   bench_kernel_peers OUT TABLE NAME
//
// The winner is the one that the section `tune` left in OUT; both work on the same data.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <random>
#include <stdexcept>
#include <vector>

#include "bench/kernels/peers.hpp"
#include "bench/kernels/records.hpp"
#include "bench/kernels/sections.hpp"
#include "bench/kernels/stage.hpp"
#include "bench/program.hpp"
#include "tuner/core/task/problem.hpp"
#include "tuner/engine/measure/paired_ratio.hpp"
#include "tuner/engine/measure/statistics.hpp"

namespace {

using namespace tuner;
using nlohmann::json;

constexpr int kSamples = 200;
constexpr std::chrono::seconds kLimit{6};

/// A peer with the memory it uses besides the kernel's.
struct Opponent {
  bench::Peer peer;
  std::vector<engine::DeviceMemory> memory;
  std::string compared;  ///< argument of ours that its first memory should be equal to; empty: nothing to compare
};

const BoundArgument& argument(const std::vector<BoundArgument>& arguments, const std::string& name) {
  for (const BoundArgument& one : arguments) {
    if (one.name == name) return one;
  }
  throw std::runtime_error(fmt::format("the kernel has no argument {}", name));
}

double number(const Task& task, const char* property) {
  return task.problem().at(property).as_real();
}

Opponent copying(const Task& task) {
  const auto bytes = task.work_bytes(task.baseline().value());
  if (!bytes) throw std::runtime_error("the kernel does not say how many bytes its job moves");
  const auto half = static_cast<std::size_t>(*bytes / 2);
  Opponent opponent;
  for (int i = 0; i < 2; ++i) opponent.memory.push_back(engine::allocate(half));
  opponent.peer = bench::device_copy(opponent.memory[0].get(), opponent.memory[1].get(), half);
  return opponent;
}

/// The names of arguments and properties are those of sgemm.cu and reduce.cu.
Opponent opponent_of(const std::string& peer, const Task& task, const bench::Stage& stage) {
  const std::vector<BoundArgument> arguments = task.arguments();
  Opponent opponent;
  if (peer == "copy") return copying(task);
  if (peer == "cublas") {
    opponent.compared = "c";
    opponent.memory.push_back(engine::allocate(argument(arguments, "c").length * sizeof(float)));
    opponent.peer = bench::cublas_sgemm(stage.address("a"), stage.address("b"), opponent.memory[0].get(),
                                        static_cast<int>(number(task, "m")), static_cast<int>(number(task, "n")),
                                        static_cast<int>(number(task, "k")), static_cast<float>(number(task, "alpha")),
                                        static_cast<float>(number(task, "beta")));
    return opponent;
  }
  if (peer == "cub") {
    opponent.compared = "total";
    opponent.memory.push_back(engine::allocate(sizeof(float)));
    opponent.peer =
        bench::cub_sum(stage.address("values"), opponent.memory[0].get(), static_cast<std::int64_t>(number(task, "n")));
    return opponent;
  }
  throw std::runtime_error(fmt::format("there is no peer {}", peer));
}

std::vector<float> floats(engine::WorkStream& stream, CUdeviceptr address, std::size_t count) {
  const std::vector<std::byte> bytes = stream.download(address, count * sizeof(float));
  std::vector<float> values(count);
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::byte*>(values.data()));
  return values;
}

std::string compare(const Task& task, bench::Stage& stage, const Opponent& opponent,
                    const engine::LoadedKernel& winner) {
  if (opponent.compared.empty()) return "not compared";
  const std::vector<BoundArgument> arguments = task.arguments();
  const BoundArgument& output = argument(arguments, opponent.compared);
  stage.restore();
  stage.launch(winner);
  const std::vector<float> ours = floats(stage.stream(), stage.address(output.name), output.length);
  opponent.peer.launch(stage.stream().get());
  const std::vector<float> theirs = floats(stage.stream(), opponent.memory[0].get(), output.length);
  return bench::compare_results(theirs, ours, output.rtol, output.atol);
}

void race(const bench::BenchProblem& problem, const std::filesystem::path& out, json& record) {
  const DeviceInfo device = bench::use_first_gpu();
  const bench::Subject subject{problem.file, problem.kernel};
  const Task task = bench::task_of(subject, problem.problem, device);
  const auto text = bench::tuned_winner(out, subject, problem_text(task.problem()));
  if (!text) throw std::runtime_error("it has no winner: run the section tune first");
  record["configuration"] = *text;
  bench::Stage stage(task);
  const engine::LoadedKernel winner = stage.load(*text);
  const Opponent opponent = opponent_of(problem.peer, task, stage);
  record["peer"] = opponent.peer.name;
  record["results"] = compare(task, stage, opponent, winner);

  bench::ColdTimer timer(device, stage.stream());
  const auto ours = [&] { stage.launch(winner); };
  const auto theirs = [&] { opponent.peer.launch(stage.stream().get()); };
  std::vector<double> winner_ns, peer_ns;
  std::mt19937_64 random(1);
  const auto end = std::chrono::steady_clock::now() + kLimit;
  for (int i = -3; i < kSamples && (i < 8 || std::chrono::steady_clock::now() < end); ++i) {
    double first = 0, second = 0;
    stage.restore();
    if (random() % 2 == 0) {
      first = timer.sample(ours);
      second = timer.sample(theirs);
    } else {
      second = timer.sample(theirs);
      stage.restore();
      first = timer.sample(ours);
    }
    if (i < 0) continue;  // they warm up
    winner_ns.push_back(first);
    peer_ns.push_back(second);
  }
  const engine::Ratio ratio = engine::paired_ratio(peer_ns, winner_ns);
  record["samples"] = winner_ns.size();
  record["winner_ns"] = engine::median(winner_ns);
  record["peer_ns"] = engine::median(peer_ns);
  record["ratio"] = {{"ratio", ratio.ratio}, {"low", ratio.low}, {"high", ratio.high}};
  const search::Configuration configuration = task.space().parse(*text);
  const auto flops = task.work_flops(configuration), bytes = task.work_bytes(configuration);
  // Both did the same job. What bounds matrices is arithmetic.
  const std::optional<double> work = problem.peer == "cublas" ? flops : bytes;
  if (!work) return;
  record["unit"] = problem.peer == "cublas" ? "FLOP/s" : "B/s";
  record["winner_rate"] = *work / (engine::median(winner_ns) / 1e9);
  record["peer_rate"] = *work / (engine::median(peer_ns) / 1e9);
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.size() == 2 && arguments[0] == "list") {
    for (const bench::BenchProblem& problem : bench::read_table(arguments[1])) {
      if (!problem.peer.empty()) fmt::print("{}\n", problem.name);
    }
    return 0;
  }
  if (arguments.size() != 3)
    throw std::runtime_error("usage: bench_kernel_peers list TABLE | bench_kernel_peers OUT TABLE NAME");
  const bench::BenchProblem problem = bench::find_problem(arguments[1], arguments[2]);
  if (problem.peer.empty()) throw std::runtime_error(fmt::format("{} has no peer", problem.name));
  json record{{"name", problem.name}, {"peer", problem.peer}};
  try {
    race(problem, arguments[0], record);
  } catch (const std::exception& error) {
    record["error"] = error.what();
  }
  bench::write_record(bench::record_path(arguments[0], "peers", problem.name), record);
  fmt::print("{}", bench::peer_line(record));
  return record.contains("error") ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  return tuner::bench::run_program("bench_kernel_peers", [&] { return run({argv + 1, argv + argc}); });
}
