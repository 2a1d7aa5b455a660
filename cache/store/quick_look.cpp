#include "cache/store/quick_look.hpp"

#include <algorithm>

#include "cache/file/hash.hpp"
#include "cache/sqlite/database_file.hpp"
#include "tuner/error.hpp"

namespace tuner::cache {
namespace {

/// The rowids that end the entries of an index which begin with this number.
std::vector<std::int64_t> rows_of(PageFile& file, const std::string& index, std::int64_t owner) {
  std::vector<std::int64_t> rows;
  for (const PlainRow& entry : file.find_all(index, {owner})) rows.push_back(entry.integer(entry.columns.size() - 1));
  return rows;
}

/// The row that the unique index of a hash and its text names.
std::optional<std::int64_t> row_of_text(PageFile& file, const std::string& index, std::string_view text) {
  const std::vector<PlainRow> entries = file.find_all(index, {content_hash(text), std::string(text)});
  if (entries.empty()) return std::nullopt;
  return entries.front().integer(2);
}

PlainRow existing(PageFile& file, const std::string& table, std::int64_t rowid) {
  if (auto row = file.find(table, rowid)) return *std::move(row);
  throw NotPlain{};
}

/// What is served for a task; nothing if nothing is.
std::optional<PlainRow> served_row(PageFile& file, std::int64_t task_id) {
  std::int64_t decision_id = 0;
  for (const std::int64_t run_id : rows_of(file, "sqlite_autoindex_run_1", task_id)) {
    for (const std::int64_t row : rows_of(file, "decision_by_run", run_id)) decision_id = std::max(decision_id, row);
  }
  std::int64_t forgotten = 0;
  for (const std::int64_t mark : rows_of(file, "forgotten_by_task", task_id)) {
    forgotten = std::max(forgotten, existing(file, "forgotten", mark).integer(2));
  }
  if (decision_id <= forgotten) return std::nullopt;
  return existing(file, "decision", decision_id);
}

// The columns of these tables in format 3, from 0; the first one is the rowid, which is not stored among them.

DecisionKey key_of(PlainRow task) {
  return {std::move(task.text(3)), std::move(task.text(4)), std::move(task.text(5)),
          std::move(task.text(6)), std::move(task.text(7)), std::move(task.text(8))};
}

/// A number that this program does not know is left to SQLite's side, which says so.
Origin origin_of(const PlainRow& run) {
  const std::int64_t number = run.integer(7);
  for (const Origin known : {Origin::measured, Origin::imported, Origin::replay}) {
    if (static_cast<std::int64_t>(known) == number) return known;
  }
  throw NotPlain{};
}

Decision decision_of(PageFile& file, PlainRow row, PlainRow run) {
  Decision decision;
  decision.row = row.rowid;
  decision.session = std::move(run.text(2));
  decision.reuse_hash = std::move(run.text(3));
  decision.conditions = {std::move(run.text(4)), std::move(run.text(5)), std::move(run.text(6))};
  decision.origin = origin_of(run);
  decision.configuration = std::move(row.text(2));
  decision.baseline = std::move(row.text(3));
  decision.time_ns = row.real(4);
  decision.baseline_time_ns = row.maybe_real(5);
  decision.speedup = row.maybe_real(6);
  decision.speedup_low = row.maybe_real(7);
  decision.speedup_high = row.maybe_real(8);
  decision.confidence = row.real(9);
  decision.race_blocks = row.integer(10);
  decision.verified = row.integer(11) != 0;
  decision.awkward_sizes = row.integer(12);
  decision.noisy = row.integer(13) != 0;
  decision.contended = row.integer(14) != 0;
  decision.binary_hash = std::move(row.text(15));
  decision.launch = std::move(row.text(16));
  decision.created_unix_ms = row.integer(17);
  for (PlainRow& tie : file.find_all("decision_tie", {row.rowid})) {
    decision.ties.push_back({std::move(tie.text(2)), tie.real(3)});
  }
  for (PlainRow& counter : file.find_all("decision_counter", {row.rowid})) {
    decision.counters[counter.text(1)] = counter.integer(2);
  }
  return decision;
}

}  // namespace

std::unique_ptr<QuickLook> QuickLook::open(const std::filesystem::path& path, const Format& format) {
  try {
    std::unique_ptr<QuickLook> look(new QuickLook(open_folder_of(path), path.filename(), format));
    const PageFile plain(*look->file_, *look->folder_, look->name_, format);
    return look;
  } catch (const NotPlain&) {
    return nullptr;
  } catch (const Error&) {
    return nullptr;
  }
}

std::optional<Decision> read_served(PageFile& file, const DecisionKey& key) {
  const auto task_id = row_of_text(file, "sqlite_autoindex_task_1", key.text());
  if (!task_id) return std::nullopt;
  auto row = served_row(file, *task_id);
  if (!row) return std::nullopt;
  PlainRow run = existing(file, "run", row->integer(1));
  Decision decision = decision_of(file, *std::move(row), std::move(run));
  decision.key = key;
  return decision;
}

std::optional<Decision> read_decision(PageFile& file, std::int64_t decision_id) {
  auto row = file.find("decision", decision_id);
  if (!row) return std::nullopt;
  PlainRow run = existing(file, "run", row->integer(1));
  const std::int64_t task_id = run.integer(1);
  Decision decision = decision_of(file, *std::move(row), std::move(run));
  decision.key = key_of(existing(file, "task", task_id));
  return decision;
}

std::vector<Site> read_sites(PageFile& file, const std::string& kernel_identity, const std::string& mode,
                             const std::string& objective) {
  std::vector<Site> sites;
  for (const PlainRow& entry : file.find_all("task_by_kernel", {kernel_identity, mode, objective})) {
    const std::int64_t task_id = entry.integer(3);
    auto row = served_row(file, task_id);
    if (!row || origin_of(existing(file, "run", row->integer(1))) == Origin::replay) continue;
    DecisionKey key = key_of(existing(file, "task", task_id));
    sites.push_back({std::move(key.kernel_name), std::move(key.problem), std::move(key.device), std::move(row->text(2)),
                     row->real(4), row->integer(12), row->integer(17), row->rowid});
  }
  std::sort(sites.begin(), sites.end(), [](const Site& a, const Site& b) { return a.row > b.row; });
  return sites;
}

std::optional<StoredBinary> read_compiled(PageFile& file, std::string_view compile_key) {
  const auto build_id = row_of_text(file, "sqlite_autoindex_build_1", compile_key);
  if (!build_id) return std::nullopt;
  PlainRow build = existing(file, "build", *build_id);
  PlainRow row = existing(file, "binary", build.integer(1));
  StoredBinary stored;
  Binary& binary = stored.binary;
  binary.hash = std::move(row.text(1));
  binary.architecture = std::move(row.text(2));
  binary.compile_key = std::move(build.text(3));
  binary.resource_log = std::move(build.text(4));
  binary.kernel = std::move(build.text(6));
  stored.checksum = std::move(build.text(7));
  const std::string& code = row.text(7);
  const auto bytes = std::as_bytes(std::span(code));
  binary.bytes.assign(bytes.begin(), bytes.end());
  return stored;
}

}  // namespace tuner::cache
