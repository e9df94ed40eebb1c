#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/dynamodb_client.h"
#include "cli/help.h"
#include "cli/terminal.h"
#include "deploy/json_document.h"
#include "json/json_writer.h"

namespace monotable::cli {
namespace {

std::string CountIn(const json::Object& table, std::string_view name) {
  const auto count = json::Find(table, name);
  return count ? std::to_string(json::IntegerOf(*count)) : "";
}

Result<std::vector<std::vector<std::string>>> AskForExpiry(const GivenOptions& given,
                                                           const std::string& table_name) {
  TRY_ASSIGN(const deploy::Call call, OwnCallOf(given.Value("endpoint"), given.Value("ca-file")));
  std::string request;
  json::Writer writer(&request);
  writer.BeginObject();
  if (!table_name.empty()) writer.Key("TableName").String(table_name);
  writer.EndObject();
  TRY_ASSIGN(const std::string answer, call("DescribeExpiry", request));
  TRY_ASSIGN(const deploy::Document document, deploy::Document::Parse(answer));
  std::vector<std::vector<std::string>> rows;
  const auto tables = deploy::ArrayIn(document.object(), "Tables");
  if (!tables) return Error::Internal("The server's answer names no tables.");
  for (const json::Element& element : *tables) {
    const json::Object table = json::ObjectOf(element);
    const auto oldest = json::Find(table, "OldestExpired");
    rows.push_back({std::string(deploy::TextOf(table, "TableName")),
                    std::string(deploy::TextOf(table, "AttributeName")),
                    CountIn(table, "PendingCount"), CountIn(table, "ExpiredCount"),
                    CountIn(table, "IgnoredCount"), CountIn(table, "DeletedCount"),
                    oldest ? FormatMoment(json::IntegerOf(*oldest) * 1000) : "-"});
  }
  return rows;
}

}  // namespace

int RunTtl(std::span<const std::string_view> arguments) {
  const auto given = ReadArguments(*FindCommand("ttl"), arguments);
  if (!given) return Fail(given.error().message());
  if (given->help) {
    fmt::print("{}", TtlHelp());
    return kFine;
  }
  if (given->words.size() > 1) return Fail("Give one table, or none for all of them.");
  const std::string table = given->words.empty() ? "" : given->words[0];
  const auto rows = AskForExpiry(*given, table);
  if (!rows) return Refuse(rows.error());
  if (rows->empty()) {
    fmt::print("{} time to live.\n",
               table.empty() ? "No table has" : fmt::format("The table {} has no", table));
    return kFine;
  }
  fmt::print("{}", FormatTable({{"TABLE"},
                                {"ATTRIBUTE"},
                                {"PENDING", Align::kRight},
                                {"EXPIRED", Align::kRight},
                                {"IGNORED", Align::kRight},
                                {"DELETED", Align::kRight},
                                {"OLDEST EXPIRED"}},
                               *rows));
  return kFine;
}

}  // namespace monotable::cli
