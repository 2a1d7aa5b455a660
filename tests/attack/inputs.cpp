// Files that are given to the program: sources, T1 files, recordings and data.
#include <zlib.h>

#include "cache/file/hash.hpp"
#include "tests/attack/attack.hpp"
#include "tests/attack/text_damage.hpp"

namespace tuner::attack {

namespace fs = std::filesystem;

namespace {

std::string compressed(const std::string& text) {
  z_stream stream{};
  // 16 more than the window's bits: with the header of gzip.
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string result(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

/// The regular files of a folder that end so, in the order of their names.
std::vector<std::string> texts_of(const fs::path& folder, const std::string& extension) {
  std::map<std::string, std::string> texts;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == extension) texts[entry.path().filename()] = read_bytes(entry.path());
  }
  std::vector<std::string> result;
  for (const auto& [name, text] : texts) result.push_back(text);
  return result;
}

const fs::path& repository() {
  static const fs::path folder = TUNER_ATTACK_REPOSITORY;
  return folder;
}

void run_sources(Attack& attack, Chance& chance) {
  static const std::vector<std::string> shipped = [] {
    std::vector<std::string> all = texts_of(repository() / "kernel_sources", ".cu");
    all.push_back(kEveryDirective);
    all.push_back(kEveryDirective);
    all.push_back(read_bytes(repository() / "tests/data/scale.cu"));
    return all;
  }();
  attack.sandbox().clear();
  std::string text = damage_source(chance, chance.one_of(shipped));
  if (chance.once_in(40)) text = as_utf16(text);
  const fs::path file = attack / "in/source.cu";
  write_bytes(file, text);
  write_bytes(attack / "in/tuner_device.cuh", read_bytes(repository() / "kernel_sources/tuner_device.cuh"));
  std::vector<std::string> words{"describe", file};
  if (chance.once_in(2))
    words.insert(
        words.end(),
        {"--problem", chance.one_of({"n=1000", "rows=528,row_length=65536", "n=64,stride=1,TYPE=float", "size=4096"})});
  if (chance.once_in(4)) words.push_back("--json");
  if (chance.once_in(6)) words.push_back("--t1");
  if (chance.once_in(8)) words = {"export", "--header", attack / "out/a.hpp", file, "--db", attack / "../base/full"};
  if (chance.once_in(8)) words = {"complete", "check", file, chance.one_of({"--config", "--problem", "--pad"}), ""};
  if (chance.once_in(12)) words = {"tune", file, "--replay", attack / "../base/in/scale.csv", "--db", attack / "out"};
  attack.run(words, {.may_change = {"out"}, .exit_codes = {0, 1, 2, 3, 4, 6}});
}

void run_plain_sources(Attack& attack, Chance& chance) {
  static const std::vector<std::string> plain = [] {
    std::vector<std::string> all = texts_of(repository() / "tests/data/plain", ".cu");
    for (std::string& text : texts_of(repository() / "tests/sources/host", ".cu")) all.push_back(std::move(text));
    return all;
  }();
  attack.sandbox().clear();
  const fs::path file = attack / "in/plain.cu";
  write_bytes(file, damage_source(chance, chance.one_of(plain)));
  // To a file: the source's own characters are in the result, whatever they are.
  std::vector<std::string> words{"new", file, "--output", attack / "out/described.cu"};
  if (chance.once_in(4)) words = {"describe", file};
  attack.run(words, {.may_change = {"out"}, .exit_codes = {0, 2}});
}

void run_t1_files(Attack& attack, Chance& chance) {
  static const std::vector<std::string> files = texts_of(repository() / "tests/data/t1", ".json");
  static const std::vector<std::string> sources = texts_of(repository() / "tests/data/t1", ".cu");
  attack.sandbox().clear();
  const std::size_t which = chance.below(files.size());
  write_bytes(attack / "in/kernel.json",
              chance.once_in(20) ? with_odd_number(chance, files[which]) : damage_json(chance, files[which]));
  for (const char* name : {"convolution.cu", "gemm.cu", "hotspot.cu"})
    write_bytes(attack / "in" / name, chance.once_in(8) ? damage_source(chance, sources[which]) : sources[which]);
  std::vector<std::string> words{"describe", attack / "in/kernel.json"};
  if (chance.once_in(4)) words.push_back("--json");
  if (chance.once_in(4)) words.push_back("--t1");
  attack.run(words, {.exit_codes = {0, 2}});
}

void run_recordings(Attack& attack, Chance& chance) {
  static const std::string small = read_bytes(repository() / "tests/data/scale.csv");
  static const std::string large = read_bytes(repository() / "kernel_sources/recordings/prefetch__H200.csv");
  attack.sandbox().clear();
  std::string text = damage_recording(chance, chance.once_in(10) ? large : small);
  fs::path file = attack / "in/recording.csv";
  if (chance.once_in(5)) {
    file += ".gz";
    // A few kilobytes that unpack to many megabytes.
    if (chance.once_in(10)) text += std::string(100'000'000, chance.one_of({'\n', '1', '#', '\0'}));
    text = compressed(text);
    if (chance.once_in(3)) text = damage_text(chance, text, {});
  }
  write_bytes(file, text);
  std::vector<std::string> words{"tune", "--replay", file, "--db", attack / "out", "--budget", "12"};
  if (chance.once_in(2))
    words = {"simulate", file, "--repeats", "1", "--budget", "6", "--workers", "1", "--strategy", "random"};
  if (chance.once_in(3)) words.push_back("--json");
  attack.run(words, {.may_change = {"out"}, .exit_codes = {0, 1, 2, 6}});
}

std::string npy_file(Chance& chance) {
  const std::size_t count = chance.below(300);
  std::string header =
      "{'descr': '" + std::string(chance.one_of({"<f4", "<f8", "<i4", "|u1", ">f4", "<f2", "|O", "<U9", "x"})) +
      "', 'fortran_order': " + chance.one_of({"False", "False", "True", "0"}) + ", 'shape': (" +
      std::string(
          chance.one_of({"256,", "16, 16", "", "-1,", "99999999999999999999,", "4294967296, 4294967296", "256"})) +
      "), }";
  header.resize((header.size() + 10 + 1 + 63) / 64 * 64 - 11, ' ');
  header += '\n';
  std::string file = "\x93NUMPY";
  file += static_cast<char>(chance.one_of({1, 1, 1, 2, 3, 0}));
  file += '\0';
  file += static_cast<char>(header.size() & 255);
  file += static_cast<char>(header.size() >> 8);
  if (file[6] > 1) file += std::string(2, '\0');
  return file + header + std::string(chance.once_in(2) ? 256 * 4 : count, chance.byte());
}

void run_data_files(Attack& attack, Chance& chance) {
  attack.sandbox().clear();
  write_bytes(
      attack / "in/kernel.cu",
      "#pragma tuner kernel(k) problem(n: size) param(B, 64, 128) grid(n) block(B)\n"
      "#pragma tuner in(x, float, 256, file(\"x.npy\")) out(y, float, 256, expect(\"y.bin\")) scalar(n, int32)\n"
      "extern \"C\" __global__ void k(const float* x, float* y, int n) {}\n");
  const fs::path x = attack / "in/x.npy";
  switch (chance.below(12)) {
    case 0:
      fs::create_symlink(chance.one_of({"/dev/zero", "/dev/full", "../outside/letter.txt", "x.npy", "/proc/self/mem"}),
                         x);
      break;
    case 1:
      fs::create_directory(x);
      break;
    default: {
      std::string bytes = npy_file(chance);
      if (chance.once_in(3)) bytes = damage_text(chance, bytes, {});
      write_bytes(x, bytes);
    }
  }
  write_bytes(attack / "in/y.bin", std::string(chance.once_in(2) ? 1024 : chance.below(2000), '\0'));
  std::vector<std::string> words{"describe", attack / "in/kernel.cu", "--problem", "n=256"};
  if (chance.once_in(4)) words.push_back("--json");
  attack.run(words, {.exit_codes = {0, 2}});
}

/// A program whose folder takes nothing asks for several sizes, and loses its engine after the first.
void run_sizes(Attack& attack, Chance& chance) {
  const std::string nowhere =
      chance.one_of<std::string>({attack / "outside/letter.txt", attack / "outside/letter.txt/x", "/proc/none"});
  attack.run("helper", {"sizes", nowhere, attack.programs().engine.parent_path(), std::to_string(chance.below(1000))},
             {.may_change = {"tmp"}, .exit_codes = {0}, .text_matters = false, .patience = std::chrono::seconds(60)});
}

/// What a program is sent as frozen decisions. Some of it has a valid hash, as what is forged would.
void run_frozen(Attack& attack, Chance& chance) {
  attack.sandbox().clear();
  if (chance.once_in(100)) return run_sizes(attack, chance);
  constexpr std::size_t kHashDigits = 32;
  std::string bytes = read_bytes(attack / "../base/in/frozen");
  if (chance.once_in(3)) {
    bytes = damage_text(chance, std::move(bytes), {});
  } else {
    const std::size_t hash = bytes.find('\n') + 1;
    const std::string packed = damage_packed(chance, bytes.substr(hash + kHashDigits));
    bytes = bytes.substr(0, hash) + cache::content_hash(packed).text + packed;
  }
  write_bytes(attack / "in/frozen", bytes);
  attack.run("helper", {"frozen", attack / "in/frozen", attack / "../base/full"},
             {.exit_codes = {0}, .text_matters = false});
}

}  // namespace

const Section kSources{"sources", 2000, nullptr, run_sources};
const Section kPlainSources{"plain-sources", 1000, nullptr, run_plain_sources};
const Section kT1Files{"t1-files", 2000, nullptr, run_t1_files};
const Section kRecordings{"recordings", 2000, nullptr, run_recordings};
const Section kDataFiles{"data-files", 2000, nullptr, run_data_files};
const Section kFrozen{"frozen", 2000, nullptr, run_frozen};

}  // namespace tuner::attack
