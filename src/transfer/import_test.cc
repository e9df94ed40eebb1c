#include "transfer/transfer_fixture.h"

namespace monotable::transfer {
namespace {

using item::Value;
using operations::Compression;
using operations::CsvOptions;
using operations::FileFormat;
using operations::ImportDescription;
using operations::ImportTableRequest;
using operations::TransferStatus;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

using ImportTest = TransferFixture;

std::string Line(const std::string& pk, const std::string& sk, const std::string& more = "") {
  return R"({"Item":{"PK":{"S":")" + pk + R"("},"SK":{"S":")" + sk + "\"}" + more + "}}\n";
}

item::Item EveryType() {
  item::Item item;
  item.Set("PK", Value("ação"));
  item.Set("SK", Value("coração\n\"citado\""));
  item.Set("n", Value(*item::Number::Parse("-12345678901234567890.123456789")));
  item.Set("b", Value(item::Binary{std::string("\0\x01\xFF", 3)}));
  item.Set("bool", Value(true));
  item.Set("null", Value(item::Null()));
  item.Set("ss", Value(item::MakeStringSet({"maçã", "pêra"})));
  item.Set("ns", Value(item::MakeNumberSet({item::Number::FromInt(1), item::Number::FromInt(2)})));
  item.Set("bs", Value(item::MakeBinarySet({"x", "y"})));
  item::Map map;
  map.Set("vazio", Value(""));
  map.Set("lista", Value(item::List{Value("a"), Value(false), Value(item::List())}));
  item.Set("m", Value(std::move(map)));
  return item;
}

TEST_F(ImportTest, TakesWhatAnExportWrote) {
  CreateRecoverable("source");
  Put("source", EveryType());
  for (int i = 0; i < 1200; ++i) Put("source", Key("p" + std::to_string(i % 7), std::to_string(i)));
  const auto exported = Export(ExportOf("source"));
  ASSERT_EQ(exported.status, TransferStatus::kCompleted);

  ImportTableRequest request = ImportOf("exports", "AWSDynamoDB/" + exported.id, "copy");
  request.compression = Compression::kGzip;
  const ImportDescription done = Import(request);
  ASSERT_EQ(done.status, TransferStatus::kCompleted) << done.failure->message;
  EXPECT_EQ(done.processed_items, 1201);
  EXPECT_EQ(done.imported_items, 1201);
  EXPECT_EQ(done.errors, 0);
  EXPECT_GT(done.processed_bytes, 0);
  EXPECT_EQ(Items("copy"), Items("source"));
  EXPECT_EQ(Find("copy")->status, table::TableStatus::kActive);
  EXPECT_EQ(engine().Counter(encoding::ItemCountKey(Find("copy")->id, encoding::kTableItems)),
            1201);
}

TEST_F(ImportTest, ReadsEveryCompression) {
  PutFile("in/plain/1.json", Line("a", "1") + Line("a", "2"));
  PutFile("in/plain/2.json", Line("b", "1"));
  PutFile("in/gzip/1.json.gz", Gzip(Line("a", "1")) + Gzip(Line("a", "2") + Line("b", "1")));
  PutFile("in/zstd/1.json.zst", Zstd(Line("a", "1") + Line("a", "2") + Line("b", "1")));
  for (const auto& [prefix, compression] : {std::pair{"plain", Compression::kNone},
                                            {"gzip", Compression::kGzip},
                                            {"zstd", Compression::kZstd}}) {
    ImportTableRequest request = ImportOf("in", prefix, prefix);
    request.compression = compression;
    const ImportDescription done = Import(request);
    EXPECT_EQ(done.status, TransferStatus::kCompleted) << prefix;
    EXPECT_THAT(Items(prefix), UnorderedElementsAre(Key("a", "1"), Key("a", "2"), Key("b", "1")));
  }
}

TEST_F(ImportTest, TheTableIsThereButCannotBeUsedMeanwhile) {
  PutFile("in/1.json", Line("a", "1"));
  engine().jobs().Stop();
  const auto begun = operations::ImportTable(engine(), ImportOf("in", "", "slow"));
  ASSERT_TRUE(begun);
  EXPECT_EQ(begun->status, TransferStatus::kInProgress);
  EXPECT_EQ(operations::DescribeTable(engine(), "slow")->status, "CREATING");
  EXPECT_FALSE(engine().FindTable("slow"));

  // The next process does it.
  StartNextProcess();
  EXPECT_EQ(operations::DescribeImport(engine(), begun->arn)->status, TransferStatus::kCompleted);
  EXPECT_EQ(operations::DescribeTable(engine(), "slow")->status, "ACTIVE");
  EXPECT_THAT(Items("slow"), ElementsAre(Key("a", "1")));
}

TEST_F(ImportTest, WrongItemsAreReportedAndTheRestImported) {
  const std::string large(500'000, 'x');
  PutFile("in/errado/1.json", Line("a", "1") + "no JSON\n" + R"({"PK":{"S":"a"}})" + "\n" +
                                  R"({"Item":{"PK":{"S":"b"}}})" + "\n" +
                                  R"({"Item":{"PK":{"N":"1"},"SK":{"S":"1"}}})" + "\n" +
                                  Line("c", "1", R"(,"n":{"N":"um"})") + "\r\n" +
                                  Line("d", "1", R"(,"t":{"S":")" + large + "\"}") +
                                  Line("é", "2"));
  const ImportDescription done = Import(ImportOf("in", "errado/", "partial"));
  EXPECT_EQ(done.status, TransferStatus::kFailed);
  EXPECT_EQ(done.failure->code, "ItemValidationError");
  EXPECT_EQ(done.processed_items, 8);
  EXPECT_EQ(done.imported_items, 2);
  EXPECT_EQ(done.errors, 6);
  EXPECT_THAT(Items("partial"), UnorderedElementsAre(Key("a", "1"), Key("é", "2")));
  EXPECT_EQ(Find("partial")->status, table::TableStatus::kActive);

  const std::string name = "errado/import-errors-" + done.id + ".jsonl";
  EXPECT_THAT(done.failure->message, HasSubstr(name));
  const std::string report = File("in/" + name);
  EXPECT_EQ(std::count(report.begin(), report.end(), '\n'), 6);
  EXPECT_THAT(report, HasSubstr(R"("itemS3Pointer":{"bucket":"in","key":"errado/1.json",)"
                                R"("itemIndex":1},"itemPreview":"no JSON","errorMessages":[)"
                                R"("The line is not a JSON object"]})"));
  EXPECT_THAT(report, HasSubstr("Missing the key SK"));
  EXPECT_THAT(report, HasSubstr("Item size has exceeded the maximum allowed size"));

  // The report is no source of another import.
  const ImportDescription again = Import(ImportOf("in", "errado/", "again"));
  EXPECT_EQ(again.processed_items, 8);
}

TEST_F(ImportTest, ADamagedObjectCostsItsRest) {
  std::string lines;
  for (int i = 0; i < 50'000; ++i) lines += Line("p" + std::to_string(i * 7919), "1");
  const std::string whole = Gzip(lines);
  PutFile("in/1.json.gz", whole.substr(0, whole.size() / 2));
  PutFile("in/2.json.gz", Gzip(Line("other", "1")));
  PutFile("in/3.json.gz", "not gzip");
  ImportTableRequest request = ImportOf("in", "", "halb");
  request.compression = Compression::kGzip;
  const ImportDescription done = Import(request);
  EXPECT_EQ(done.failure->code, "ItemValidationError");
  EXPECT_EQ(done.errors, 2);  // the rest of two objects
  EXPECT_GT(done.imported_items, 1000);
  const std::string report = File("in/import-errors-" + done.id + ".jsonl");
  EXPECT_THAT(report, HasSubstr("The rest of the object is lost: The gzip data is cut short"));
  EXPECT_THAT(report, HasSubstr("The rest of the object is lost: The gzip data is damaged"));
}

TEST_F(ImportTest, LaterItemsReplaceEarlierOnesOfTheSameKey) {
  PutFile("in/1.json", Line("a", "1", R"(,"v":{"S":"1"})") + Line("a", "1", R"(,"v":{"S":"2"})"));
  PutFile("in/2.json", Line("a", "1", R"(,"v":{"S":"3"})"));
  const ImportDescription done = Import(ImportOf("in", "", "doubled"));
  EXPECT_EQ(done.imported_items, 3);
  EXPECT_THAT(Items("doubled"), ElementsAre(With(Key("a", "1"), "v", Value("3"))));
}

TEST_F(ImportTest, WithoutItsBucketItFailsAndLeavesNoTable) {
  const ImportDescription done = Import(ImportOf("nowhere", "", "never"));
  EXPECT_EQ(done.status, TransferStatus::kFailed);
  EXPECT_EQ(done.failure->code, "S3NoSuchBucket");
  EXPECT_EQ(done.failure->message, "The specified bucket does not exist: nowhere");
  EXPECT_EQ(Find("never"), nullptr);
}

TEST_F(ImportTest, WithoutObjectsItFails) {
  PutFile("in/a/1.json", Line("a", "1"));
  const ImportDescription done = Import(ImportOf("in", "b/", "never"));
  EXPECT_EQ(done.failure->code, "S3NoSuchKey");
  EXPECT_EQ(Find("never"), nullptr);
}

class CsvImportTest : public TransferFixture {
 protected:
  static ImportTableRequest CsvOf(std::string table, std::optional<CsvOptions> options) {
    ImportTableRequest request = ImportOf("in", "", std::move(table));
    request.format = FileFormat::kCsv;
    request.csv = std::move(options);
    return request;
  }
};

TEST_F(CsvImportTest, TypesFollowTheKeysOfTablesAndIndexes) {
  PutFile("in/1.csv",
          "\xEF\xBB\xBFPK,SK,idade,dados,nome\r\n"
          "a,1,42,eHl6,\"Silva, João\"\r\n"
          "b,2,,,\"linha 1\nlinha 2\"\r\n"
          "c,3,abc,,nome\r\n");
  ImportTableRequest request = CsvOf("pessoas", std::nullopt);
  request.table.attribute_definitions = {
      {S("PK"), N("SK"), N("idade"), {"dados", item::Type::kBinary}}};
  request.table.global_indexes = {
      {Index("por_idade", {Hash("idade")}), Index("por_dados", {Hash("dados")})}};
  const ImportDescription done = Import(request);
  EXPECT_EQ(done.processed_items, 3);
  EXPECT_EQ(done.errors, 1);
  item::Item first;
  first.Set("PK", Value("a"));
  first.Set("SK", Value(item::Number::FromInt(1)));
  first.Set("idade", Value(item::Number::FromInt(42)));
  first.Set("dados", Value(item::Binary{"xyz"}));
  first.Set("nome", Value("Silva, João"));
  item::Item second;  // without the empty columns
  second.Set("PK", Value("b"));
  second.Set("SK", Value(item::Number::FromInt(2)));
  second.Set("nome", Value("linha 1\nlinha 2"));
  EXPECT_THAT(Items("pessoas"), UnorderedElementsAre(first, second));
}

TEST_F(CsvImportTest, AHeaderListMakesTheFirstLineARow) {
  PutFile("in/1.csv", "a;1;x\nb;2;y;z\n");
  const ImportDescription done = Import(CsvOf("linhas", CsvOptions{";", {{"PK", "SK", "outro"}}}));
  EXPECT_EQ(done.imported_items, 1);
  EXPECT_EQ(done.errors, 1);
  EXPECT_THAT(Items("linhas"), ElementsAre(With(Key("a", "1"), "outro", Value("x"))));
  EXPECT_THAT(File("in/import-errors-" + done.id + ".jsonl"),
              HasSubstr("The row has 4 columns, but the header 3"));
}

TEST_F(CsvImportTest, AHeaderThatIsNoneCostsTheObject) {
  PutFile("in/1.csv", "PK,SK,PK\na,1,2\n");
  PutFile("in/2.csv", "PK,SK\na,1\n");
  const ImportDescription done = Import(CsvOf("kopf", std::nullopt));
  EXPECT_EQ(done.imported_items, 1);
  EXPECT_EQ(done.errors, 1);
}

}  // namespace
}  // namespace monotable::transfer
