#include "transfer/error_report.h"

#include "json/json_writer.h"
#include "json/parse.h"

namespace monotable::transfer {
namespace {

constexpr std::string_view kName = "import-errors-";
constexpr std::string_view kEnding = ".jsonl";

// Names of files and what is no item may hold any bytes; JSON holds UTF-8.
std::string AsUtf8(std::string text) {
  constexpr size_t kLongestCut = 3;  // the rest of a character at the end
  for (size_t cut = 0; cut <= kLongestCut && cut <= text.size(); ++cut) {
    if (json::IsUtf8(std::string_view(text).substr(0, text.size() - cut))) {
      return text.substr(0, text.size() - cut);
    }
  }
  for (char& c : text) {
    if (static_cast<unsigned char>(c) >= 0x80) c = '?';
  }
  return text;
}

}  // namespace

ErrorReport::ErrorReport(const Bucket& bucket, const operations::ImportDescription& import)
    : bucket_(bucket), import_(import) {
  const std::string prefix = import.source.prefix.value_or("");
  key_ = prefix.substr(0, prefix.rfind('/') + 1).append(kName).append(import.id).append(kEnding);
}

Status ErrorReport::Add(const SourcePlace& place, const std::string& message) {
  if (++count_ > kKept) return {};
  if (!object_) {
    TRY_ASSIGN(NewObject object, bucket_.Create(key_));
    object_.emplace(std::move(object));
  }
  std::string line;
  json::Writer writer(&line);
  writer.BeginObject().Key("importArn").String(import_.arn);
  writer.Key("itemS3Pointer").BeginObject();
  writer.Key("bucket").String(import_.source.bucket).Key("key").String(AsUtf8(place.key));
  writer.Key("itemIndex").Integer(place.index).EndObject();
  writer.Key("itemPreview").String(AsUtf8(place.preview));
  writer.Key("errorMessages").BeginArray().String(AsUtf8(message)).EndArray().EndObject();
  return object_->Append(line + "\n");
}

Status ErrorReport::Finish() {
  if (!object_) return {};
  return object_->Finish();
}

bool IsErrorReport(std::string_view name) {
  return name.starts_with(kName) && name.ends_with(kEnding);
}

}  // namespace monotable::transfer
