#include "tuner/engine/service/service.hpp"

#include <cstdio>
#include <string>
#include <vector>

#include "tuner/engine/lanes/wait.hpp"
#include "tuner/engine/service/compile_service.hpp"
#include "tuner/engine/service/tune_service.hpp"
#include "tuner/engine_protocol/engine_wire.hpp"
#include "tuner/process/worker_program.hpp"

namespace tuner::engine {

namespace {

constexpr int kUsage = 64;

int serve_compiling(Channel program, const std::atomic<bool>& stop) {
  CompileService compiler;
  while (!stop) {
    while (const std::optional<Message> message = program.receive()) {
      if (message->type != service::kCompile) continue;
      const auto [ticket, job] = service::decode_compile(*message);
      compiler.add(ticket, job);
    }
    if (program.closed()) break;
    for (const auto& [ticket, answer] : compiler.poll()) program.send(service::encode(ticket, answer));
    compiler.keep_binaries();
    std::vector<int> fds = compiler.wait_fds();
    fds.push_back(program.fd());
    wait_readable(fds, compiler.next_deadline());
  }
  return 0;
}

int serve_tuning(Channel program, const std::atomic<bool>& stop) {
  TuneService tuner(stop);
  while (!stop) {
    if (const std::optional<Message> message = program.receive()) {
      if (message->type != service::kTune) continue;
      const TuneAnswer answer = tuner.tune(service::decode_tune(*message));
      if (!stop) program.send(service::encode(answer));
      continue;
    }
    if (program.closed()) break;
    tuner.tend();
    const int fd = program.fd();
    wait_readable({&fd, 1}, tuner.next_deadline());
  }
  return 0;
}

}  // namespace

int serve(std::string_view role, Channel program, const std::atomic<bool>& stop) {
  if (role == kHello) return program.send({std::string(role), "", {}}) ? 0 : 1;
  if (role == "compile") return serve_compiling(std::move(program), stop);
  if (role == "tune") return serve_tuning(std::move(program), stop);
  std::fprintf(stderr, "tuner-engine has no role '%.*s'.\n", static_cast<int>(role.size()), role.data());
  return kUsage;
}

}  // namespace tuner::engine
