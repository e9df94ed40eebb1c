#include "engine/recovery/restore.h"

#include <condition_variable>
#include <future>
#include <mutex>
#include <string>
#include <utility>

#include "engine/engine_fixture.h"
#include "engine/recovery/history.h"
#include "engine/recovery/table_backups.h"
#include "storage/store.h"

namespace monotable::engine {
namespace {

class RestoreTest : public EngineFixture {
 protected:
  RestoreTest() {
    table::TableDefinition definition = Definition("things");
    definition.point_in_time_recovery.enabled = true;
    definition.attributes.push_back({"color", item::Type::kString});
    table::IndexDefinition index;
    index.id = 1;
    index.name = "by-color";
    index.key.hash = {{"color", item::Type::kString}};
    definition.indexes.push_back(index);
    definition.next_index_id = 2;
    table_ = *Create(catalog(), definition);
    for (int i = 0; i < 20; ++i) PutThing(i, "red");
  }

  void PutThing(int number, const std::string& color) {
    item::Item item;
    item.Set("PK", item::Value("thing-" + std::to_string(number)));
    item.Set("color", item::Value(color));
    ASSERT_TRUE(Put(table_, item));
  }

  // Keeps both threads of the jobs busy until the engine is closed.
  void OccupyJobs() {
    for (const char* id : {"one", "two"}) {
      auto started = std::make_shared<std::promise<void>>();
      auto future = started->get_future();
      ASSERT_TRUE(engine().jobs().Begin(
          {JobKind::kExport, id, JobState::kRunning, {}}, nullptr,
          [started](const Job&, const std::stop_token& stop) -> Result<item::Item> {
            started->set_value();
            std::mutex mutex;
            std::condition_variable_any forever;
            std::unique_lock lock(mutex);
            forever.wait(lock, stop, [] { return false; });
            return Error::Internal("stopped");
          }));
      future.wait();
    }
  }

  void Restart() {
    CloseEngine();
    OpenEngine();
    engine().jobs().WaitUntilIdle();
  }

  Result<TablePtr> RestoreToNow(const std::string& name) {
    TRY_ASSIGN(Present present, SeePresent(engine()));
    table::TableDefinition target = *table_;
    target.name = name;
    target.uuid = "uuid-of-" + name;
    target.point_in_time_recovery = {};
    Restore restore;
    restore.table = *table_;
    restore.moment = present.moment;
    return BeginRestore(engine(), target, restore, present.reader);
  }

  Result<TablePtr> RestoreBackup(const Backup& backup, const std::string& name) {
    table::TableDefinition target = backup.table;
    target.name = name;
    target.point_in_time_recovery = {};
    Restore restore;
    restore.backup_id = backup.id;
    restore.table = backup.table;
    restore.table.id = backup.data_table_id;
    return BeginRestore(engine(), target, restore, store().Snapshot());
  }

  Result<Backup> BackUp(const std::string& name) {
    return BeginBackup(engine(), store().Snapshot(), *table_, name);
  }

  size_t RedThings(const table::TableDefinition& table) {
    size_t red = 0;
    const auto range = encoding::ItemsRange(table.id, encoding::kTableItems);
    const auto cursor = store().Latest().Scan(range, storage::Direction::kForward);
    for (; cursor->Valid(); cursor->Next()) {
      if (encoding::ItemView(cursor->value()).Find("color")->scalar() == "red") ++red;
    }
    return red;
  }

  // That a table is ready and has these red things and nothing else.
  void ExpectRestored(const std::string& name, size_t red) {
    const auto table = engine().FindTable(name);
    ASSERT_TRUE(table);
    EXPECT_EQ(RedThings(**table), red);
    EXPECT_EQ((*table)->indexes[0].status, table::IndexStatus::kActive);
    for (const uint16_t index : {uint16_t{0}, uint16_t{1}}) {
      EXPECT_EQ(CountKeys(encoding::ItemsRange((*table)->id, index)), red);
      EXPECT_EQ(engine().Counter(encoding::ItemCountKey((*table)->id, index)),
                static_cast<int64_t>(red));
    }
    EXPECT_EQ(engine().Counter(encoding::ItemBytesKey((*table)->id, 0)),
              engine().Counter(encoding::ItemBytesKey(table_->id, 0)));
    EXPECT_EQ(engine().jobs().List(JobKind::kRestore)->size(), 0U);
  }

  TablePtr table_;
};

TEST_F(RestoreTest, ATableCannotBeUsedBeforeItIsReady) {
  OccupyJobs();
  ASSERT_TRUE(RestoreToNow("restored"));
  EXPECT_FALSE(engine().FindTable("restored"));
  ASSERT_NE(catalog().Find("restored"), nullptr);
  // Housekeeping must not take the indexes of a table without items for filled.
  engine().housekeeping().Wake();
  engine().housekeeping().WaitUntilIdle();
  EXPECT_EQ(catalog().Find("restored")->indexes[0].status, table::IndexStatus::kCreating);
  Restart();
  ExpectRestored("restored", 20);
}

TEST_F(RestoreTest, ARestoreIsOfItsMomentWhateverIsWrittenMeanwhile) {
  OccupyJobs();
  ASSERT_TRUE(RestoreToNow("restored"));
  for (int i = 0; i < 30; ++i) PutThing(i, "blue");
  Restart();
  const auto table = engine().FindTable("restored");
  ASSERT_TRUE(table);
  EXPECT_EQ(RedThings(**table), 20U);
  EXPECT_EQ(CountKeys(encoding::ItemsRange((*table)->id, 0)), 20U);
}

TEST_F(RestoreTest, AnAttemptBeginsAfresh) {
  OccupyJobs();
  const auto created = RestoreToNow("restored");
  ASSERT_TRUE(created);
  // What another attempt left, as if the process had ended in its midst.
  ASSERT_TRUE(storage::UpdateAndWait(store(), {}, [&](auto, const auto&, storage::Batch* batch) {
    batch->Put(encoding::ItemsRange((*created)->id, 0).begin + "left", "over");
    batch->Put(encoding::ItemsRange((*created)->id, 1).begin + "left", "over");
    batch->Increment(encoding::ItemCountKey((*created)->id, 0), 7);
    batch->Put(encoding::BackfillKey((*created)->id, 1),
               encoding::ItemsRange((*created)->id, 0).end);
  }));
  Restart();
  ExpectRestored("restored", 20);
}

TEST_F(RestoreTest, ATableWhoseSourceIsGoneIsRemoved) {
  OccupyJobs();
  ASSERT_TRUE(RestoreToNow("restored"));
  ASSERT_TRUE(Drop(catalog(), "things"));
  Restart();
  EXPECT_EQ(catalog().Find("restored"), nullptr);
  EXPECT_EQ(engine().jobs().List(JobKind::kRestore)->size(), 0U);
}

TEST_F(RestoreTest, ATableWhoseMomentHasPassedOutOfReachIsRemoved) {
  OccupyJobs();
  ASSERT_TRUE(RestoreToNow("restored"));
  CloseEngine();
  clock_.now_ms += int64_t{36} * 24 * 3'600'000;
  OpenEngine();
  engine().jobs().WaitUntilIdle();
  EXPECT_EQ(catalog().Find("restored"), nullptr);
}

TEST_F(RestoreTest, ABackupOutlivesItsTable) {
  const auto backup = BackUp("b");
  ASSERT_TRUE(backup);
  EXPECT_FALSE(backup->available);
  engine().jobs().WaitUntilIdle();
  const auto found = FindBackup(engine(), BackupArn(engine(), *backup));
  ASSERT_TRUE(found && *found);
  EXPECT_TRUE((*found)->available);
  EXPECT_EQ((*found)->item_count, 20);
  EXPECT_EQ((*found)->size_bytes, engine().Counter(encoding::ItemBytesKey(table_->id, 0)));
  EXPECT_EQ((*found)->table, *table_);
  for (int i = 0; i < 30; ++i) PutThing(i, "blue");
  ASSERT_TRUE(Drop(catalog(), "things"));
  OccupyJobs();
  ASSERT_TRUE(RestoreBackup(**found, "restored"));
  EXPECT_TRUE(*IsBeingRestored(engine(), **found));
  Restart();
  EXPECT_FALSE(*IsBeingRestored(engine(), **found));
  const auto table = engine().FindTable("restored");
  ASSERT_TRUE(table);
  EXPECT_EQ(RedThings(**table), 20U);
  EXPECT_EQ(CountKeys(encoding::ItemsRange((*table)->id, 1)), 20U);

  ASSERT_TRUE(RemoveBackup(engine(), **found));
  EXPECT_FALSE(*FindBackup(engine(), BackupArn(engine(), *backup)));
  EXPECT_EQ(CountKeys(encoding::TableRange((*found)->data_table_id)), 0U);
}

TEST_F(RestoreTest, ABackupIsOfTheMomentOfItsRequest) {
  std::shared_ptr<const storage::Reader> moment = store().Snapshot();
  for (int i = 10; i < 30; ++i) PutThing(i, "blue");
  const auto backup = BeginBackup(engine(), std::move(moment), *table_, "b");
  ASSERT_TRUE(backup);
  engine().jobs().WaitUntilIdle();
  table::TableDefinition data = *table_;
  data.id = backup->data_table_id;
  EXPECT_EQ(RedThings(data), 20U);
  EXPECT_EQ(CountKeys(encoding::TableRange(data.id)), 20U);
}

TEST_F(RestoreTest, ABackupThatAProcessLeftUnfinishedIsRemoved) {
  OccupyJobs();
  const auto backup = BackUp("b");
  ASSERT_TRUE(backup);
  EXPECT_EQ(ListBackups(engine())->size(), 1U);
  Restart();
  EXPECT_EQ(ListBackups(engine())->size(), 0U);
}

TEST_F(RestoreTest, TheBackupOfADeletedTableExpires) {
  const Job job = DeletedTableBackup(engine(), *table_, FiguresOf(engine(), *table_));
  ASSERT_TRUE(catalog().Change(
      "things",
      [](const table::TableDefinition*, uint32_t) -> Catalog::Decision {
        return std::optional<table::TableDefinition>();
      },
      [&job](const storage::Commit&, storage::Batch* batch) { Jobs::Put(job, batch); }));
  const auto backups = ListBackups(engine());
  ASSERT_TRUE(backups);
  ASSERT_EQ(backups->size(), 1U);
  EXPECT_EQ(backups->front().name, "things$DeletedTableBackup");
  EXPECT_EQ(backups->front().item_count, 20);
  EXPECT_TRUE(backups->front().available);
  ASSERT_TRUE(RestoreBackup(backups->front(), "restored"));
  engine().jobs().WaitUntilIdle();
  EXPECT_EQ(RedThings(**engine().FindTable("restored")), 20U);

  clock_.now_ms += kSystemBackupLifeMs - 1;
  ASSERT_TRUE(TrimBackups(engine()));
  EXPECT_EQ(ListBackups(engine())->size(), 1U);
  clock_.now_ms += 1;
  ASSERT_TRUE(TrimBackups(engine()));
  EXPECT_EQ(ListBackups(engine())->size(), 0U);
  EXPECT_EQ(CountKeys(encoding::TableRange(table_->id)), 0U);
}

}  // namespace
}  // namespace monotable::engine
