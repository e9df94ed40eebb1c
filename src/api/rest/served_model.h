#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/rest/router.h"
#include "engine/engine.h"
#include "entities/application.h"
#include "entities/read/pattern_reader.h"
#include "entities/runtime.h"
#include "http/inbox.h"

namespace monotable::api::rest {

// A model to serve, and the text of its file.
struct ModelSource {
  const entities::RunningModel& model;
  std::string text;
};

// A parameter that a pattern's keys are made of.
struct PatternParameter {
  std::string name;
  const model::TypeModel* type = nullptr;  // null: as the client wrote it
  bool required = false;
};

// A pattern, ready to be read.
struct ServedPattern {
  const entities::PatternReader* reader = nullptr;
  const entities::Entity* entity = nullptr;  // what it answers: of `parents`, the parent
  const model::CollectionModel* collection = nullptr;
  std::vector<PatternParameter> parameters;

  const model::PatternModel& model() const { return reader->pattern(); }
};

// What the server says about one model: its file and its API, made once. Immutable and thread-safe.
class Documents {
 public:
  // Of a model and the text of its file.
  Documents(const model::Model& model, std::string text);

  // The document under a path after the model's prefix (/openapi.json, /model.json, /model.yaml,
  // or nothing: a summary with links to them); nothing if there is no such document.
  std::optional<http::Response> Find(std::string_view path) const;
  // The summary as a JSON object.
  const std::string& summary() const { return summary_; }

 private:
  std::string summary_;
  std::string openapi_;
  std::string json_;
  std::string yaml_;
};

// How one model is served: its routes, the readers of its patterns and its documents, found once so
// that requests need not. The model itself belongs to the runtime.
//
// Immutable and thread-safe. The engine and the model must outlive it.
class ServedModel {
 public:
  ServedModel(engine::Engine& engine, ModelSource source);

  const std::string& name() const { return model().name; }
  const model::Model& model() const { return application().model(); }
  const entities::Application& application() const { return *running_.application; }
  entities::Writer& writer() const { return *running_.writer; }
  const Router& router() const { return router_; }
  const Documents& documents() const { return documents_; }

  const entities::Entity& EntityOf(const model::EntityModel& entity) const;
  // Of a pattern that has a route.
  const ServedPattern& PatternOf(const model::PatternModel& pattern) const;
  // The pattern that reads an entity with the members of its collection. Null if the entity is not
  // the root of a collection.
  const ServedPattern* CollectionOf(const entities::Entity& root) const;
  // The attributes that name an item of the entity in its route.
  const std::vector<std::string>& RouteKeyOf(const model::EntityModel& entity) const;
  // The path of an item, percent-encoded, for Location: /sales/SALE001. Empty if it has none.
  std::string PathOfItem(const entities::Entity& entity, const item::Map& key) const;

 private:
  ServedPattern Serve(engine::Engine& engine, const model::PatternModel& pattern);
  void ServeCollections(engine::Engine& engine);
  const model::TypeModel* TypeOfParameter(const model::PatternModel& pattern,
                                          std::string_view name) const;
  size_t IndexOf(const model::EntityModel& entity) const;

  const entities::RunningModel& running_;
  const Router router_;
  const Documents documents_;
  std::vector<const entities::Entity*> entities_;     // by the order of the model
  std::vector<std::vector<std::string>> route_keys_;  // by the order of the model
  std::vector<std::string> item_paths_;               // by the order of the model; with braces
  std::vector<std::unique_ptr<const entities::PatternReader>> readers_;
  std::vector<ServedPattern> patterns_;      // by the order of the model
  std::deque<model::PatternModel> implied_;  // of collections that no pattern reads
  std::vector<ServedPattern> collections_;
};

// A value of a key as its route spells it, without escapes: moments in ISO 8601.
std::string PathText(const model::TypeModel& type, const item::Value& value);
// Text with everything escaped that may not be in one segment of a path, the colon of verbs too.
std::string EscapeSegment(std::string_view text);

// An answer that holds a document.
http::Response MakeDocument(std::string_view content_type, std::string body);
// An answer that is one of the pages of page/page.h.
http::Response MakePage(std::string_view html);

}  // namespace monotable::api::rest
