// packaging/fleet/tuner-fleet.sbatch under a Slurm of one node that the test starts from Debian's packages (slurmctld,
// slurmd, munge): jobs are submitted, worked off by the members of an array, drained half-way, and resumed.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "tests/end_to_end/story.hpp"
#include "tests/fleet/scale_kernel.hpp"
#include "tests/fleet/server.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/text.hpp"
#include "tuner/fleet/queue/queue.hpp"

using namespace tuner::test;
using tuner::fleet::Address;
using tuner::fleet::Queue;

namespace {

bool has_program(const std::string& name) {
  return std::system(("command -v " + name + " > /dev/null 2>&1").c_str()) == 0;
}

/// A cluster of this machine alone.
class Slurm {
 public:
  explicit Slurm(const User& user) : user_(user) {
    for (const char* const program : {"munged", "slurmctld", "slurmd", "sbatch"}) {
      if (!has_program(program)) skip("there is no Slurm here; Debian's packages are slurmctld, slurmd and munge");
    }
    // Its daemons open sessions for users, and munge wants a machine's own key.
    if (geteuid() != 0) skip("Slurm's daemons are started by root only");
    const int status = in_shell(R"sh(mkdir -p slurm/state slurm/spool slurm/munge && cd slurm && chmod 711 munge . .. &&
      head -c 1024 /dev/urandom > munge/key && chmod 600 munge/key &&
      munged --force --key-file="$PWD/munge/key" --socket="$PWD/munge/socket" --pid-file="$PWD/munge/pid" \
             --log-file="$PWD/munge/log" --seed-file="$PWD/munge/seed" 2> munge.log &&
      printf '%s\n' ClusterName=test "SlurmctldHost=$(hostname -s)(127.0.0.1)" SlurmUser=root SlurmdUser=root \
        AuthType=auth/munge "AuthInfo=socket=$PWD/munge/socket" SlurmctldPort=27817 SlurmdPort=27818 \
        "StateSaveLocation=$PWD/state" "SlurmdSpoolDir=$PWD/spool" "SlurmctldPidFile=$PWD/slurmctld.pid" \
        "SlurmdPidFile=$PWD/slurmd.pid" "SlurmctldLogFile=$PWD/slurmctld.log" "SlurmdLogFile=$PWD/slurmd.log" \
        ProctrackType=proctrack/linuxproc TaskPlugin=task/none SelectType=select/cons_tres ReturnToService=2 \
        MailProg=/bin/true JobAcctGatherType=jobacct_gather/none AccountingStorageType=accounting_storage/none \
        "NodeName=$(hostname -s) NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN" \
        'PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP' > slurm.conf &&
      slurmctld -c -f "$PWD/slurm.conf" && slurmd -f "$PWD/slurm.conf")sh");
    if (status != 0) skip("Slurm's daemons do not start here");
    if (!eventually([&] { return in_shell("test \"$(sinfo -h -o %T)\" = idle") == 0; }))
      skip("Slurm's node does not come up");
  }
  ~Slurm() {
    in_shell(
        "scancel --full --user root; scontrol shutdown; sleep 1; cd slurm && kill $(cat munge/pid slurmd.pid "
        "slurmctld.pid "
        "2> /dev/null) 2> /dev/null; true");
  }
  Slurm(const Slurm&) = delete;
  Slurm& operator=(const Slurm&) = delete;

  int in_shell(const std::string& command) const {
    return user_.in_shell("export SLURM_CONF=$PWD/slurm/slurm.conf; " + command);
  }

 private:
  const User& user_;
};

}  // namespace

TEST_CASE("a queue is worked off by an array of Slurm jobs, drained half-way and resumed") {
  Tuner worker;
  const Slurm slurm(worker);
  const Server server;
  server.add_login("anna", "vision", {"submit", "read"});
  server.add_login("hand", "vision", {"work"});
  Tuner anna;
  anna.environment["TUNER_QUEUE"] = server.address("anna");
  anna.folder().write("scale.cu", kScaleKernel);
  anna.folder().write("factor.cuh", "#define FACTOR 2\n");
  const Result submitted = anna.run({"fleet", "submit", "scale.cu", "--problem", "n=1000..8000 +1000"});
  INFO(submitted.err);
  REQUIRE(submitted.exit_code == 0);

  // The program, with this test's GPU.
  std::string program = "#!/bin/bash\n";
  for (const auto& [name, value] : worker.environment) program += "export " + name + "=" + shell_word(value) + "\n";
  program += "exec " + shell_word(TUNER_PROGRAM) + " \"$@\" --as-root --unconfined --workers 1\n";
  std::filesystem::permissions(worker.folder().write("tuner", program), std::filesystem::perms::owner_all);

  Queue queue(Address(server.address("anna")));
  const auto count = [&](const std::string& state) {
    for (const auto& counted : queue.count()) {
      if (counted.state == state) return counted.jobs;
    }
    return std::int64_t{-1};
  };
  REQUIRE(slurm.in_shell("sbatch --array=1-2 --output=$PWD/slurm/out-%a --export=TUNER_QUEUE=" +
                         shell_word(server.address("hand")) + ",TUNER=$PWD/tuner,TUNER_FLEET_DB=$PWD/fleet " +
                         shell_word(TUNER_FLEET_SBATCH) + " > slurm/submitted") == 0);
  REQUIRE(eventually([&] { return count("done") >= 2 && count("running") == 1; }));

  // The node is wanted for something else: the job is given back, and nothing is taken while it is drained.
  REQUIRE(slurm.in_shell("scontrol update NodeName=$(hostname -s) State=DRAIN Reason=test && "
                         "scontrol requeue $(squeue --noheader --states=RUNNING --format=%A)") == 0);
  REQUIRE(eventually([&] { return count("running") == 0; }));
  const std::int64_t done = count("done");
  CHECK(done < 8);
  for (const auto& job : queue.list()) CHECK(job.tries == 0);
  std::this_thread::sleep_for(std::chrono::seconds(3));
  CHECK(count("done") == done);

  REQUIRE(slurm.in_shell("scontrol update NodeName=$(hostname -s) State=RESUME") == 0);
  // A job that was put back into the queue waits for a while before it begins again; the array's other member need not.
  CHECK(eventually([&] { return count("done") == 8; }));
  MESSAGE("drained after " << done << " of 8 jobs, and all were done after it was resumed");
}
