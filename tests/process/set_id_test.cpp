#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/skip.hpp"
#include "tests/support/temporary_folder.hpp"

namespace fs = std::filesystem;

namespace {

constexpr uid_t kNobody = 65534;

/// What the program prints that runs with the rights of nobody, in an environment that names a stranger's files.
struct SetIdProgram {
  SetIdProgram() {
    fs::copy_file(TUNER_SET_ID_CHILD, folder / "program");
    fs::copy_file(TUNER_TEST_CHILD, folder / "worker");
    chmod(folder.path().c_str(), 0755);
    chmod((folder / "worker").c_str(), 0755);
    const bool made =
        chown((folder / "program").c_str(), kNobody, kNobody) == 0 && chmod((folder / "program").c_str(), 04755) == 0;
    if (made) run();
  }

  void run() {
    const std::string out = folder / "out";
    const pid_t pid = fork();
    if (pid == 0) {
      dup2(open(out.c_str(), O_WRONLY | O_CREAT, 0600), STDOUT_FILENO);
      const std::string program = folder / "program", worker = folder / "worker";
      std::vector<std::string> variables{
          "TUNER_DB=/stranger/db",           "XDG_DATA_HOME=/stranger/data",    "HOME=/stranger",
          "TUNER_LIBEXEC=/stranger/libexec", "TUNER_SYSTEM_DB=/stranger/share", "CUDA_VISIBLE_DEVICES=0"};
      std::vector<char*> environment;
      for (std::string& variable : variables) environment.push_back(variable.data());
      environment.push_back(nullptr);
      execle(program.c_str(), program.c_str(), worker.c_str(), nullptr, environment.data());
      _exit(126);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    said = tuner::test::read_bytes(out);
  }

  tuner::test::TemporaryFolder folder;
  int exit_code = 77;
  std::string said;
};

TEST_CASE("a program with the rights of another reads no variable that names a file, and passes none on") {
  if (geteuid() != 0) tuner::test::skip("only root can make a program that runs with the rights of another");
  const SetIdProgram program;
  if (program.exit_code == 77) {
    tuner::test::skip("programs in the folder for temporary files do not get the rights of their owner");
  }
  INFO(program.said);
  CHECK(program.exit_code == 0);
  CHECK_FALSE(tuner::test::contains(program.said, "/stranger"));
  CHECK(program.said.find(
            "database: There is no place for the database: this program runs with privileges other than") == 0);
  CHECK(tuner::test::contains(program.said, "system database: none\n"));
  CHECK(tuner::test::contains(program.said, "list of misses: none\n"));
  CHECK(tuner::test::contains(program.said, "TUNER_DB of a child: (unset)\n"));
  CHECK(tuner::test::contains(program.said, "HOME of a child: (unset)\n"));
  CHECK(tuner::test::contains(program.said, "CUDA_VISIBLE_DEVICES of a child: 0\n"));
}

}  // namespace
