// Records of builds that decayed or that somebody made, to which another build is to be added.
#include "tests/attack/attack.hpp"
#include "tests/attack/text_damage.hpp"
#include "tests/support/files.hpp"

namespace tuner::attack {
namespace {

constexpr const char* kRecord = R"({"format": 1, "tuner": "0.1.0", "commands": [
{"program": "/cuda/bin/nvcc", "folder": "/", "arguments": ["nvcc", "-c", "a b.cu", "-o", "a.o"], "environment": {"PATH": "/bin", "CPATH": "/x"}},
{"program": "/cuda/bin/nvcc", "folder": "/", "arguments": ["nvcc", "-dlink", "a.o"], "environment": {}}]})";

void run_builds(Attack& attack, Chance& chance) {
  attack.sandbox().clear();
  const std::filesystem::path record = attack / "out/build.json";
  test::write_bytes(record, chance.once_in(4) ? damage_text(chance, kRecord, {}) : damage_json(chance, kRecord));
  // 1: the record is one, and `true` compiles nothing.
  attack.run({"capture", "--build", "--output", record, "--", "/bin/true"},
             {.may_change = {"out"}, .exit_codes = {1, 2, 5}});
}

}  // namespace

const Section kBuilds{"builds", 500, nullptr, run_builds};

}  // namespace tuner::attack
