#include "tuner/cli/machine/remedies.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <map>
#include <vector>

#include "cache/file/location.hpp"
#include "tuner/cli/terminal/command.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/ground/file_variable.hpp"
#include "tuner/process/installed_tree.hpp"
#include "tuner/process/system_databases.hpp"
#include "tuner/process/worker_program.hpp"

namespace tuner::cli {

namespace fs = std::filesystem;

namespace {

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

bool is_mine(const fs::path& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && status.st_uid == geteuid();
}

/// The values of /etc/os-release that have no spaces.
std::map<std::string, std::string> system_release() {
  std::map<std::string, std::string> values;
  std::ifstream file("/etc/os-release");
  for (std::string line; std::getline(file, line);) {
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos) continue;
    std::string value = line.substr(equals + 1);
    std::erase(value, '"');
    values[line.substr(0, equals)] = value;
  }
  return values;
}

/// The name that NVIDIA's package archive has for this system: "debian12", "ubuntu2204"; empty for what has no apt-get.
std::string archive_name() {
  auto release = system_release();
  std::string version = release["VERSION_ID"];
  std::erase(version, '.');
  const std::string& id = release["ID"];
  return id == "debian" || id == "ubuntu" ? id + version : "";
}

#if defined(__aarch64__)
constexpr std::string_view kArchiveMachine = "sbsa";
#else
constexpr std::string_view kArchiveMachine = "x86_64";
#endif

std::string install_from_nvidia(std::string_view package) {
  const std::string keyring = "cuda-keyring_1.1-1_all.deb";
  return fmt::format(
      "wget https://developer.download.nvidia.com/compute/cuda/repos/{}/{}/{} && sudo apt-get install -y ./{} && "
      "sudo apt-get update && sudo apt-get install -y {}",
      archive_name(), kArchiveMachine, keyring, keyring, package);
}

std::string unset_if_set(const char* variable) {
  return file_variable(variable) != nullptr ? fmt::format("unset {}", variable) : "";
}

bool has_nvidia_device() {
  std::error_code error;
  for (const fs::directory_entry& device : fs::directory_iterator("/sys/bus/pci/devices", error)) {
    std::ifstream file(device.path() / "vendor");
    std::string vendor;
    if (file >> vendor && vendor == "0x10de") return true;
  }
  return is_there("/proc/driver/nvidia/version");
}

}  // namespace

std::string another_place(const fs::path& chosen) {
  return chosen.empty() ? "export TUNER_DB=\"$HOME/tuner\"" : "tuner doctor --db \"$HOME/tuner\"";
}

std::string toolkit_remedy() {
  for (const char* const variable : {"TUNER_NVRTC", "TUNER_CUDA_INCLUDE_DIR"}) {
    if (std::string command = unset_if_set(variable); !command.empty()) return command;
  }
  // 12.8 works with every driver from 525 on, and is the first that knows of Blackwell GPUs.
  if (!archive_name().empty()) return install_from_nvidia("cuda-toolkit-12-8");
  return "python3 -m pip install --target \"$HOME/nvrtc\" nvidia-cuda-nvrtc-cu12 nvidia-cuda-runtime-cu12 && export "
         "TUNER_NVRTC=\"$HOME/nvrtc/nvidia/cuda_nvrtc/lib\" "
         "TUNER_CUDA_INCLUDE_DIR=\"$HOME/nvrtc/nvidia/cuda_runtime/include\"";
}

std::string cupti_remedy() {
  if (std::string command = unset_if_set("TUNER_CUPTI"); !command.empty()) return command;
  if (!archive_name().empty()) return install_from_nvidia("cuda-cupti-12-8");
  return "python3 -m pip install --target \"$HOME/cupti\" nvidia-cuda-cupti-cu12 && export "
         "TUNER_CUPTI=\"$HOME/cupti/nvidia/cuda_cupti/lib\"";
}

std::string driver_remedy() {
  if (std::string command = unset_if_set("TUNER_DRIVER"); !command.empty()) return command;
  if (!has_nvidia_device()) {
    return with_shipped_kernels(
        "tuner tune kernel_sources/prefetch.cu --replay kernel_sources/recordings/prefetch__H200.csv");
  }
  if (std::string command = unset_if_set("CUDA_VISIBLE_DEVICES"); !command.empty()) return command;
  if (is_there("/.dockerenv") || is_there("/run/.containerenv")) return "docker run --gpus all IMAGE";
  if (is_there("/proc/driver/nvidia/version") || archive_name().empty()) return "nvidia-smi";
  return install_from_nvidia("cuda-drivers");
}

std::string program_remedy(std::string_view name) {
  if (std::string command = unset_if_set("TUNER_LIBEXEC"); !command.empty()) return command;
  for (const fs::path& file : program_candidates(name)) {
    if (is_there(file) && access(file.c_str(), X_OK) != 0) {
      return fmt::format("{}chmod a+rx {}", is_mine(file) ? "" : "sudo ", in_command(file));
    }
  }
  const fs::path tree = folder_of_this_program().parent_path();
  if (tree.empty()) return "sudo mount -t proc proc /proc";
  if (is_there(tree / "CMakeCache.txt"))
    return fmt::format("cmake --build {} --target tuner tuner-engine tuner-worker libtuner", in_command(tree));
  if (tree == "/usr" && is_there("/usr/share/doc/tuner/changelog.Debian.gz"))
    return "sudo apt-get install --reinstall tuner";
  return fmt::format("tar -xzf tuner-*.tar.gz --strip-components=1 -C {}", in_command(tree));
}

std::string database_remedy(const fs::path& file, const fs::path& chosen) {
  std::error_code error;
  const fs::path folder = fs::absolute(file, error).parent_path();
  if (is_there(file)) {
    if (access(file.c_str(), R_OK | W_OK) == 0 && access(folder.c_str(), R_OK | W_OK | X_OK) == 0)
      return another_place(chosen);
    return is_mine(file) && is_mine(folder) ? fmt::format("chmod u+rwX {} {}", in_command(folder), in_command(file))
                                            : another_place(chosen);
  }
  fs::path above = folder;
  while (!is_there(above) && above.has_relative_path()) above = above.parent_path();
  if (!fs::is_directory(above, error)) return another_place(chosen);
  if (is_mine(above)) return fmt::format("chmod u+rwx {}", in_command(above));
  if (above == folder) return another_place(chosen);
  return fmt::format("sudo install -d -m 700 -o {} {}", geteuid(), in_command(folder));
}

std::string recovery_remedy(const fs::path& damaged) {
  const fs::path fresh = damaged.parent_path() / (damaged.stem().string() + "-recovered.db");
  return fmt::format("tuner recover {} {}", in_command(damaged), in_command(fresh));
}

std::string deletion_remedy(const fs::path& damaged) {
  return "rm " + in_command(damaged);
}

std::optional<std::string> distrust_remedy(std::string_view reason) {
  // As cache/file/trust.cpp says it; the path is quoted here, where it becomes part of a command.
  constexpr std::string_view kBegin = "(`chmod go-w ", kEnd = "` changes that)";
  const std::size_t begin = reason.rfind(kBegin), end = reason.rfind(kEnd);
  if (begin == std::string_view::npos || end == std::string_view::npos) return std::nullopt;
  const fs::path path(reason.substr(begin + kBegin.size(), end - begin - kBegin.size()));
  return fmt::format("{}chmod go-w {}", is_mine(path) ? "" : "sudo ", in_command(path));
}

std::string system_database_remedy(const fs::path& file) {
  if (access(file.c_str(), R_OK) != 0 && errno == EACCES) {
    return fmt::format("sudo chmod a+rX {} {}", in_command(file.parent_path()), in_command(file));
  }
  const std::vector<fs::path> of_site = site_databases();
  const bool is_named = std::find(of_site.begin(), of_site.end(), file) == of_site.end();
  if (is_named && file_variable("TUNER_SYSTEM_DB") != nullptr) return "unset TUNER_SYSTEM_DB";
  return fmt::format("sudo mv {} {}", in_command(file), in_command(file.string() + ".unusable"));
}

}  // namespace tuner::cli
