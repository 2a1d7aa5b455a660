// A program that uses the library, for tests that need several, or one that can be killed.
#include <future>
#include <string_view>

#include "tuner/driver/device_query.hpp"
#include "tuner/engine_protocol/engine_client.hpp"
#include "tuner/engine_protocol/engine_wire.hpp"
#include "tuner/process/spawn.hpp"

int main(int, char** argv) {
  tuner::Channel test = tuner::worker_channel();
  if (std::string_view(argv[1]) == "device") {
    tuner::CompileJob job;
    job.subject.device = tuner::cuda::query_device(0);
    test.send(tuner::service::encode(0, job));
    return 0;
  }
  const auto job = test.receive_wait();
  if (!job) return 1;
  tuner::EngineClient client;
  std::promise<tuner::TuneAnswer> promise;
  client.tune(tuner::service::decode_tune(*job),
              [&](tuner::TuneAnswer answer) { promise.set_value(std::move(answer)); });
  test.send(tuner::service::encode(promise.get_future().get()));
  return test.receive_wait() ? 1 : 0;
}
