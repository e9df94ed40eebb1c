// The calls of the accounts table. Users have an e-mail address that nobody else has: an item of
// its own claims it, and both change in one transaction. Counters are counted by single writes, and
// moved between by transactions that leave their sum as it is.

#include <string>
#include <utility>

#include "simulation/generator.h"

namespace monotable::simulation {
namespace {

using operations::ReturnValues;

Condition Absent(const std::string& attribute) {
  return {Condition::Op::kNotExists, PathOf(attribute), {}, {}};
}

Condition Equal(const std::string& attribute, Value value) {
  return {Condition::Op::kEqual, PathOf(attribute), {std::move(value)}, {}};
}

Item Claim(const std::string& email, const std::string& user, const std::string& id) {
  return {{"id", Value::String("email#" + email)},
          {"kind", Value::String("claim")},
          {"owner", Value::String(user)},
          {"w", Value::String(id)}};
}

}  // namespace

Intent Generator::MakeCount(const std::string& id, int64_t hundredths) {
  Intent intent;
  intent.kind = Intent::Kind::kUpdate;
  intent.table = "accounts";
  intent.item = {{"id", Value::String("counter#" + std::to_string(Below(3)))}};
  intent.update.actions = {SetTo("w", Value::String(id)),
                           {Action::Op::kAdd, PathOf("n"), Value::Number(hundredths), {}},
                           SetTo("kind", Value::String("counter"))};
  return intent;
}

Target Generator::MakeUserTarget() {
  return {"accounts", {{"id", Value::String("user#" + std::to_string(Below(6)))}}};
}

Call Generator::MakeAccountCall() {
  Call call;
  call.id = NextId();
  const uint64_t shape = Below(3);
  if (shape == 0) {
    call.kind = Call::Kind::kWrite;
    call.return_values = ReturnValues::kUpdatedNew;
    call.intents = {MakeCount(call.id, static_cast<int64_t>(1 + Below(5)) * 100)};
    return call;
  }
  call.kind = Call::Kind::kTransactWrite;
  if (shape == 1) {
    const auto amount = static_cast<int64_t>(1 + Below(5)) * 100;
    call.intents = {MakeCount(call.id, amount), MakeCount(call.id, -amount)};
    return call;
  }
  const std::string user = MakeUserTarget().key.at("id").text;
  const std::string email = std::string(1, static_cast<char>('p' + Below(5)));
  Intent put;
  put.table = "accounts";
  put.condition = Absent("id");
  put.item = {{"id", Value::String(user)},
              {"kind", Value::String("user")},
              {"email", Value::String(email)},
              {"w", Value::String(call.id)}};
  Intent claim = put;
  claim.item = Claim(email, user, call.id);
  call.intents = {put, claim};
  if (Chance(30)) call.token = "token-" + call.id;
  return call;
}

Call Generator::MakeUserCall(const Item& user) {
  Call call;
  call.id = NextId();
  call.kind = Call::Kind::kTransactWrite;
  const Value& name = user.at("id");
  const Value& email = user.at("email");
  Intent release;
  release.kind = Intent::Kind::kDelete;
  release.table = "accounts";
  release.item = {{"id", Value::String("email#" + email.text)}};
  release.condition = Equal("owner", name);
  Intent change;
  change.table = "accounts";
  change.item = {{"id", name}};
  change.condition = Equal("email", email);
  if (Chance(40)) {
    change.kind = Intent::Kind::kDelete;
    call.intents = {MakeCount(call.id, 0), change, release};
    return call;
  }
  const std::string next(1, static_cast<char>('p' + Below(5)));
  change.kind = Intent::Kind::kUpdate;
  change.update.actions = {SetTo("w", Value::String(call.id)), SetTo("email", Value::String(next))};
  Intent claim;
  claim.table = "accounts";
  claim.condition = Absent("id");
  claim.item = Claim(next, name.text, call.id);
  call.intents = {change, release, claim};
  return call;
}

}  // namespace monotable::simulation
