#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <poll.h>

#include "api/rest/rest_service.h"
#include "entities/application_fixture.h"
#include "entities/read/entity_read_fixture.h"
#include "http/inbox.h"
#include "http/message.h"

namespace monotable::api::rest {

// A request as a test writes it down.
struct Ask {
  std::string method = "GET";
  std::string target = {};
  std::string body = {};
  std::map<std::string, std::string> headers = {};
};

// The REST service over a design of models/ with its samples, called as the HTTP server calls it.
class ServiceFixture : public entities::ReadFixture {
 protected:
  void Serve(const std::string& design, ServiceOptions options = {},
             auth::Credentials credentials = {}, const work::ExecutorOptions& threads = {}) {
    OpenDesign(design);
    service_.reset();
    runtime_.reset();
    executor_ = std::make_unique<work::Executor>(threads);
    runtime_ = std::make_unique<entities::Runtime>(engine(), *executor_);
    authenticator_ = std::make_unique<auth::Authenticator>(std::move(credentials));
    std::vector<ModelSource> models;
    models.push_back({runtime_->Add(entities::LoadDesign(design)),
                      entities::ReadModelsFile(design + ".model.yaml")});
    if (options.cursor_key.empty()) options.cursor_key = "a key for tests";
    service_ = std::make_unique<Service>(engine(), *executor_, *authenticator_, std::move(options),
                                         std::move(models));
  }

  ~ServiceFixture() override {
    if (executor_ != nullptr) executor_->Drain();
  }

  static http::Response SendTo(http::Handler& handler, const Ask& ask) {
    auto storage = std::make_unique<http::Request::Storage>();
    storage->method = ask.method;
    storage->target = ask.target;
    for (const auto& [name, value] : ask.headers) storage->headers.push_back({name, value});
    storage->body.reserve(ask.body.size() + http::Request::kPadding);
    storage->body = ask.body;
    auto inbox = std::make_shared<http::Inbox>();
    handler.Handle(http::Request(std::move(storage)),
                   http::Responder(std::make_shared<http::Responder::Target>(inbox, 1)));
    for (int i = 0; i < 2; ++i) {
      auto contents = inbox->Take();
      if (!contents.answers.empty()) {
        if (auto response = contents.answers.front().Take()) return *std::move(response);
      }
      pollfd wait{inbox->event_fd(), POLLIN, 0};
      poll(&wait, 1, 10000);
    }
    ADD_FAILURE() << "no answer to " << ask.method << " " << ask.target;
    return {};
  }

  http::Response Send(const Ask& ask) { return SendTo(*service_, ask); }

  // The body of an answer that must have a status.
  std::string Get(const std::string& target, int status = 200) {
    return Expect({.target = target}, status);
  }
  std::string Expect(const Ask& ask, int status) {
    const http::Response response = Send(ask);
    EXPECT_EQ(response.status, status) << ask.method << " " << ask.target << ": " << response.body;
    return response.body;
  }
  // The same with a JSON body.
  std::string Write(const std::string& method, const std::string& target, std::string body,
                    int status) {
    return Expect({method, target, std::move(body), {{"Content-Type", "application/json"}}},
                  status);
  }

  static std::string Header(const http::Response& response, std::string_view name) {
    for (const auto& [each, value] : response.headers) {
      if (each == name) return value;
    }
    return "(none)";
  }

  // A member of a JSON object: its text, or the JSON of what is no text as the parser has it.
  static std::string Member(const std::string& body, std::string_view name) {
    const auto tree = json::Tree::Parse(body);
    if (!tree) return "(no JSON)";
    const json::Node* node = tree->root().Find(name);
    return node == nullptr ? "(none)" : node->is_null() ? "null" : std::string(node->text);
  }

  std::unique_ptr<auth::Authenticator> authenticator_;
  std::unique_ptr<work::Executor> executor_;
  std::unique_ptr<entities::Runtime> runtime_;
  std::unique_ptr<Service> service_;
};

}  // namespace monotable::api::rest
