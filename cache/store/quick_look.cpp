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

/// Reads the columns of a row that a description names, which stand in its order behind the numbers of rows.
class PlainReader {
 public:
  PlainReader(PlainRow& row, std::size_t first) : row_(row), next_(first) {}
  template <class T>
  void operator()(const char*, T& member) {
    take(member, next_++);
  }

 private:
  void take(std::string& value, std::size_t column) { value = std::move(row_.text(column)); }
  void take(std::int64_t& value, std::size_t column) { value = row_.integer(column); }
  void take(bool& value, std::size_t column) { value = row_.integer(column) != 0; }
  void take(double& value, std::size_t column) { value = row_.real(column); }
  void take(std::optional<double>& value, std::size_t column) { value = row_.maybe_real(column); }
  /// A number that this program does not know is left to SQLite's side, which says so.
  void take(Origin& value, std::size_t column) {
    const std::int64_t number = row_.integer(column);
    value = static_cast<Origin>(number);
    if (!is_known(value) || static_cast<std::int64_t>(value) != number) throw NotPlain{};
  }

  PlainRow& row_;
  std::size_t next_;
};

DecisionKey key_of(PlainRow task) {
  DecisionKey key;
  PlainReader columns(task, 3);  // behind its number, hash and text
  describe(columns, key);
  return key;
}

/// What two rows say of a decision: all but its key and what other tables add.
Decision columns_of(PlainRow& row, PlainRow run) {
  Decision decision;
  decision.row = row.rowid;
  PlainReader of_run(run, 2), of_decision(row, 2);  // behind its number and its owner's
  describe_run(of_run, decision);
  describe_columns(of_decision, decision);
  return decision;
}

Decision decision_of(PageFile& file, PlainRow row, PlainRow run) {
  Decision decision = columns_of(row, std::move(run));
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

std::vector<Site> read_sites(PageFile& file, const DecisionKey& key) {
  std::vector<Site> sites;
  for (const PlainRow& entry : file.find_all("task_by_kernel", {key.kernel_identity, key.mode, key.objective})) {
    const std::int64_t task_id = entry.integer(3);
    auto row = served_row(file, task_id);
    if (!row) continue;
    Decision decision = columns_of(*row, existing(file, "run", row->integer(1)));
    if (decision.origin == Origin::replay) continue;
    DecisionKey of_site = key_of(existing(file, "task", task_id));
    sites.push_back({std::move(of_site.kernel_name), std::move(of_site.problem), std::move(of_site.device),
                     std::move(decision.configuration), decision.time_ns, decision.awkward_sizes,
                     decision.created_unix_ms, decision.row});
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
