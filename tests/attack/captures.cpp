// Folders of captures that decayed or that somebody made, shown and run again with the fake driver.
#include <algorithm>

#include "tests/attack/attack.hpp"
#include "tests/attack/text_damage.hpp"
#include "tests/capture/stored/working_capture.hpp"

namespace tuner::attack {

namespace fs = std::filesystem;

namespace {

void damage_a_file(Attack& attack, Chance& chance, const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder / "data")) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  const fs::path file = chance.one_of(files);
  attack.note("damaged: " + file.filename().string());
  write_bytes(file, damage_text(chance, read_bytes(file), {}));
}

/// Addresses, sizes and numbers become others, and the text stays JSON.
std::string with_other_digits(Chance& chance, std::string text) {
  for (std::size_t left = 1 + chance.below(3); left > 0;) {
    char& c = text[chance.below(text.size())];
    if (c < '0' || c > '9') continue;
    c = static_cast<char>('0' + chance.below(10));
    --left;
  }
  return text;
}

/// What the replay left, damaged too, becomes a description.
void describe(Attack& attack, Chance& chance, const fs::path& folder) {
  const fs::path replay = folder / "replay.json";
  if (fs::exists(replay) && chance.once_in(2)) {
    const std::string text = read_bytes(replay);
    write_bytes(replay, chance.once_in(3) ? damage_json(chance, text) : with_other_digits(chance, text));
  }
  write_bytes(attack / "in/work.cu",
              "__constant__ float weights[4];\nstruct Node { Node* next; };\n"
              "__global__ void work(int* out, const int* in, int count) { out[0] = in[0] + weights[0]; }\n");
  attack.run({"new", attack / "in/work.cu", "--capture", folder, "--output", attack / "out/tuned.cu", "--force"},
             {.may_change = {"out"}, .exit_codes = {0, 2, 5}});
}

void run_captures(Attack& attack, Chance& chance) {
  attack.sandbox().clear();
  const fs::path folder = attack / "in/c", manifest = folder / "manifest.json";
  std::vector<test::WorkingLaunch> launches;
  for (std::size_t left = 1 + chance.below(2); left > 0; --left)
    launches.push_back(chance.once_in(2) ? test::launch_on_list()
                                         : test::launch_on_numbers(chance.one_of({"copies", "increments", "reads"})));
  test::write_working(folder, launches);
  switch (chance.below(4)) {
    case 0:
      damage_a_file(attack, chance, folder);
      break;
    case 1:
      write_bytes(manifest, damage_json(chance, read_bytes(manifest)));
      break;
    default:
      write_bytes(manifest, with_other_digits(chance, read_bytes(manifest)));
  }
  if (!chance.once_in(5)) attack.run({"show", folder}, {.exit_codes = {0, 1, 2, 5}});
  std::vector<std::string> words{"replay", folder, "--launch-timeout", "200ms"};
  if (!chance.once_in(10)) words.push_back("--trust");
  if (chance.once_in(3)) words.push_back("--json");
  // "replayer" has a GPU, the fake driver's.
  attack.run("replayer", words, {.may_change = {"in"}, .exit_codes = {0, 1, 2, 5}});  // replay.json
  describe(attack, chance, folder);
}

}  // namespace

const Section kCaptures{"captures", 1000, nullptr, run_captures};

}  // namespace tuner::attack
