#include "entities/codec/codec_fixture.h"

namespace monotable::entities {
namespace {

using Codec = CodecTest;

TEST_F(Codec, Strings) {
  EXPECT_EQ(GoodValue("Name", R"("añç€😀")"), item::Value("añç€😀"));
  EXPECT_EQ(Wrong("Name", R"("a")"), "length");
  EXPECT_EQ(Wrong("Name", R"("abcdef")"), "length");
  EXPECT_EQ(Wrong("Name", "12"), "type");
  EXPECT_EQ(Wrong("Name", "[]"), "type");
  EXPECT_EQ(GoodValue("Code", R"("ABC1")"), item::Value("ABC1"));
  EXPECT_EQ(Wrong("Code", R"("xABC1")"), "pattern");
  EXPECT_EQ(Wrong("Code", R"("ABC12")"), "pattern");
  EXPECT_EQ(GoodValue("Password", R"("")"), item::Value(""));
}

TEST_F(Codec, StringFormats) {
  EXPECT_EQ(Wrong("Email", R"("ana.souza+x@example.com.br")"), "");
  for (const char* bad : {"ana", "@example.com", "ana@", "ana@host", "a b@example.com",
                          "ana@example..com", ".ana@example.com", "ana@-x.com", "a@b@c d.com"}) {
    EXPECT_EQ(Wrong("Email", "\"" + std::string(bad) + "\""), "format") << bad;
  }
  EXPECT_EQ(Wrong("Home", R"("https://example.com/a?b=%20#c")"), "");
  EXPECT_EQ(Wrong("Home", R"("urn:isbn:123")"), "");
  for (const char* bad :
       {"example.com", "://x", "http:", "1http://x", "http://a b", "http://%zz"}) {
    EXPECT_EQ(Wrong("Home", "\"" + std::string(bad) + "\""), "format") << bad;
  }
  EXPECT_EQ(Wrong("Uuid", R"("0190163d-8694-739b-aea5-966c26f8ad91")"), "");
  EXPECT_EQ(Wrong("Uuid", R"("0190163d8694739baea5966c26f8ad91")"), "format");
  EXPECT_EQ(Wrong("Uuid", R"("0190163d-8694-739b-aea5-966c26f8ad9g")"), "format");
  EXPECT_EQ(Wrong("Ulid", R"("01ARZ3NDEKTSV4RRFFQ69G5FAV")"), "");
  EXPECT_EQ(Wrong("Ulid", R"("81ARZ3NDEKTSV4RRFFQ69G5FAV")"), "format");
  EXPECT_EQ(Wrong("Ulid", R"("01ARZ3NDEKTSV4RRFFQ69G5FAU")"), "format");
}

TEST_F(Codec, NumbersAreExact) {
  EXPECT_EQ(GoodValue("Exact", "0.10000000000000000000000000000000000001"),
            Number("0.10000000000000000000000000000000000001"));
  EXPECT_EQ(GoodValue("Exact", "12345678901234567890123456789012345678"),
            Number("12345678901234567890123456789012345678"));
  EXPECT_EQ(GoodValue("Exact", R"("27550.00")"), Number("27550"));
  EXPECT_EQ(GoodValue("Exact", "1e3"), Number("1000"));
  EXPECT_EQ(Wrong("Exact", "123456789012345678901234567890123456789"), "range");
  EXPECT_EQ(Wrong("Exact", "1e126"), "range");
  EXPECT_EQ(Wrong("Exact", "1e-131"), "range");
  EXPECT_EQ(Wrong("Exact", R"("abc")"), "type");
  EXPECT_EQ(Wrong("Exact", R"("")"), "type");
  EXPECT_EQ(Wrong("Exact", R"(" 1")"), "type");
  EXPECT_EQ(Wrong("Exact", "true"), "type");
}

TEST_F(Codec, NumbersKeepTheirConstraints) {
  EXPECT_EQ(GoodValue("Count", "100.0"), Number("100"));
  EXPECT_EQ(GoodValue("Count", "1e2"), Number("100"));
  EXPECT_EQ(Wrong("Count", "1.5"), "type");
  EXPECT_EQ(Wrong("Count", "-1"), "range");
  EXPECT_EQ(Wrong("Count", "101"), "range");
  EXPECT_EQ(GoodValue("Price", "1234.50"), Number("1234.5"));
  EXPECT_EQ(GoodValue("Price", "0"), Number("0"));
  EXPECT_EQ(Wrong("Price", "1.005"), "scale");
  EXPECT_EQ(Wrong("Price", "0.001"), "scale");
  EXPECT_EQ(Wrong("Price", "12345.67"), "precision");
  EXPECT_EQ(Wrong("Price", "10000000"), "precision");
  EXPECT_EQ(GoodValue("Price", "999999"), Number("999999"));
  EXPECT_EQ(Wrong("Price", "-1000.01"), "range");
}

TEST_F(Codec, Booleans) {
  EXPECT_EQ(GoodValue("Flag", "false"), item::Value(false));
  EXPECT_EQ(Wrong("Flag", R"("true")"), "type");
  EXPECT_EQ(Wrong("Flag", "1"), "type");
}

TEST_F(Codec, InstantsAreStoredAsTheTypeSays) {
  EXPECT_EQ(GoodValue("At", R"("2026-01-30T14:30:00Z")"), item::Value("2026-01-30T14:30:00Z"));
  EXPECT_EQ(GoodValue("At", R"("2026-01-30T14:30:00.000Z")"), item::Value("2026-01-30T14:30:00Z"));
  EXPECT_EQ(GoodValue("At", R"("2026-01-30T14:30:00-03:00")"), item::Value("2026-01-30T17:30:00Z"));
  EXPECT_EQ(GoodValue("At", R"("2026-01-01T00:10:00+05:45")"), item::Value("2025-12-31T18:25:00Z"));
  EXPECT_EQ(GoodValue("AtMs", R"("2026-01-30T14:30:00.5Z")"),
            item::Value("2026-01-30T14:30:00.500Z"));
  EXPECT_EQ(GoodValue("AtMs", R"("2026-01-30T14:30:00Z")"),
            item::Value("2026-01-30T14:30:00.000Z"));
  EXPECT_EQ(GoodValue("AtBr", R"("2025-11-14T10:30:00Z")"), item::Value("14/11/2025 10:30:00"));
  EXPECT_EQ(GoodValue("AtEpoch", R"("1970-01-02T00:00:00Z")"), Number("86400"));
  EXPECT_EQ(GoodValue("AtMillis", R"("1970-01-01T00:00:01.5Z")"), Number("1500"));
}

TEST_F(Codec, InstantsAreRefusedInsteadOfRounded) {
  for (const char* attribute : {"At", "AtBr", "AtEpoch"}) {
    EXPECT_EQ(Wrong(attribute, R"("2026-01-30T14:30:00.123Z")"), "precision") << attribute;
  }
  for (const char* bad :
       {"2026-01-30", "2026-01-30T14:30:00", "2026-01-30 14:30:00Z", "2026-02-30T14:30:00Z",
        "2026-01-30T24:00:00Z", "2026-01-30T14:30:00.Z", "2026-01-30T14:30:00.1234Z",
        "2026-01-30T14:30:00+3:00", "2026-01-30T14:30:00+0300", "2026-01-30T14:30:00+24:00",
        "2026-01-30T14:30:00z", "30/01/2026 14:30:00", "9999-12-31T23:59:59-00:01",
        "0001-01-01T00:00:00+00:01", ""}) {
    EXPECT_EQ(Wrong("AtMs", "\"" + std::string(bad) + "\""), "type") << bad;
  }
  EXPECT_EQ(Wrong("AtEpoch", "86400"), "type");
}

TEST_F(Codec, Dates) {
  EXPECT_EQ(GoodValue("Day", R"("2024-02-29")"), item::Value("2024-02-29"));
  EXPECT_EQ(Wrong("Day", R"("2026-02-29")"), "type");
  EXPECT_EQ(Wrong("Day", R"("2026-2-3")"), "type");
  EXPECT_EQ(Wrong("Day", R"("2026-01-30T00:00:00Z")"), "type");
}

TEST_F(Codec, Binaries) {
  EXPECT_EQ(GoodValue("Data", R"("AAEC")"), item::Value(item::Binary{std::string("\0\1\2", 3)}));
  EXPECT_EQ(Wrong("Data", R"("AAE")"), "type");
  EXPECT_EQ(Wrong("Data", R"("A_E=")"), "type");
}

TEST_F(Codec, Enums) {
  EXPECT_EQ(GoodValue("Status", R"("DONE")"), item::Value("DONE"));
  EXPECT_EQ(Wrong("Status", R"("NONE")"), "enum");
  EXPECT_EQ(GoodValue("Color", R"("BLUE")"), item::Value("BLUE"));
  EXPECT_EQ(Wrong("Color", "1"), "type");
  EXPECT_EQ(MessageOf(R"({"Status":"CONFIRMD"})"),
            "Status must be one of DRAFT, CONFIRMED, DONE; did you mean CONFIRMED?");
}

TEST_F(Codec, Lists) {
  EXPECT_EQ(GoodValue("Numbers", "[2,1,2]"),
            item::Value(item::List{Number("2"), Number("1"), Number("2")}));
  EXPECT_EQ(Wrong("Numbers", "[]"), "length");
  EXPECT_EQ(Wrong("Numbers", "[1,2,3,4]"), "length");
  EXPECT_EQ(Wrong("Numbers", "1"), "type");
  EXPECT_EQ(Problems(R"({"Numbers":[1,"x",null]})"),
            (std::vector<std::string>{"/Numbers/1 type", "/Numbers/2 type"}));
}

TEST_F(Codec, Sets) {
  EXPECT_EQ(GoodValue("Tags", R"(["b","a"])"), item::Value(item::MakeStringSet({"a", "b"})));
  EXPECT_EQ(GoodValue("Primes", "[3,2]"),
            item::Value(item::MakeNumberSet({item::Number::FromInt(2), item::Number::FromInt(3)})));
  EXPECT_EQ(GoodValue("Blobs", R"(["AA==","AQ=="])"),
            item::Value(item::MakeBinarySet({std::string("\0", 1), "\1"})));
  EXPECT_EQ(Wrong("Tags", R"(["a","a"])"), "duplicate");
  EXPECT_EQ(Wrong("Primes", "[2,2.0]"), "duplicate");
  EXPECT_EQ(Wrong("Tags", R"(["a","b","c","d"])"), "length");
  EXPECT_EQ(Wrong("Tags", R"(["a",null])"), "type");
  EXPECT_EQ(Wrong("Primes", "[2.5]"), "type");
  // DynamoDB has no empty sets.
  EXPECT_TRUE(Good(R"({"Tags":[]})").empty());
}

TEST_F(Codec, Maps) {
  item::Map prices;
  prices.Set("a.b", Number("1.5"));
  EXPECT_EQ(GoodValue("Prices", R"({"a.b":1.50,"gone":null})"), item::Value(prices));
  EXPECT_EQ(Problems(R"({"Prices":{"x/y":"z"}})"), (std::vector<std::string>{"/Prices/x~1y type"}));
  EXPECT_EQ(Wrong("Prices", R"({"a":1,"b":2,"c":3})"), "length");
  EXPECT_EQ(Wrong("Prices", R"({"":1})"), "length");
  EXPECT_EQ(Wrong("Prices", "[]"), "type");
}

TEST_F(Codec, Anything) {
  item::Map inner;
  inner.Set("n", item::Value());
  inner.Set("b", item::Value(true));
  EXPECT_EQ(GoodValue("Anything", R"([1.50,"x",{"n":null,"b":true},[]])"),
            item::Value(item::List{Number("1.5"), item::Value("x"), item::Value(inner),
                                   item::Value(item::List())}));
  EXPECT_TRUE(Good(R"({"Anything":null})").empty());
  EXPECT_EQ(Problems(R"({"Anything":[{"a":1e200}]})"),
            (std::vector<std::string>{"/Anything/0/a range"}));
}

TEST_F(Codec, Objects) {
  const item::Map place =
      GoodValue("Place", R"({"Street":"A","Since":"2026-01-30T14:30:00Z","Secret":"s"})").map();
  EXPECT_EQ(place.size(), 3u);
  EXPECT_EQ(*place.Find("Since"), item::Value("30/01/2026 14:30:00"));
  EXPECT_EQ(Wrong("Place", "{}"), "required");  // but not of Country, which has a default
  EXPECT_EQ(Problems(R"({"Place":{"Street":null}})"),
            (std::vector<std::string>{"/Place/Street required"}));
  EXPECT_EQ(Problems(R"({"Place":{"Street":"A","Streat":"B","City":1}})"),
            (std::vector<std::string>{"/Place/Streat unknown", "/Place/City type"}));
  EXPECT_EQ(Problems(R"({"Addresses":[{"Street":"A"},{"Street":1}]})"),
            (std::vector<std::string>{"/Addresses/1/Street type"}));
  EXPECT_EQ(MessageOf(R"({"Addresses":[{"Street":"A"},{"Street":1}]})"),
            "Addresses[1].Street must be a string.");
}

}  // namespace
}  // namespace monotable::entities
