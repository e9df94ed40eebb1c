#pragma once

#include <optional>
#include <utility>
#include <variant>

#include "error/error.h"

namespace monotable {

// Either a T or the Error that prevented it, with the member names of std::expected, so that
// std::expected can replace it when the compiler has that class. Ignoring a Result is a compile
// error.
template <typename T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: converts
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: converts

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& value() & { return *std::get_if<0>(&state_); }
  const T& value() const& { return *std::get_if<0>(&state_); }
  T&& value() && { return std::move(*std::get_if<0>(&state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return std::get_if<0>(&state_); }
  const T* operator->() const { return std::get_if<0>(&state_); }

  Error& error() & { return *std::get_if<1>(&state_); }
  const Error& error() const& { return *std::get_if<1>(&state_); }
  Error&& error() && { return std::move(*std::get_if<1>(&state_)); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;

  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: converts

  bool has_value() const { return !error_.has_value(); }
  explicit operator bool() const { return has_value(); }
  const Error& error() const& { return *error_; }
  Error&& error() && { return std::move(*error_); }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace monotable

// The macros are plain statements, so that they work with -Wpedantic. They do not work inside a
// coroutine.
#define MONOTABLE_CONCAT_(a, b) a##b
#define MONOTABLE_CONCAT(a, b) MONOTABLE_CONCAT_(a, b)

// Returns the error of an expression of type Result<…> to the caller, or goes on.
#define TRY(expression)                                \
  do {                                                 \
    if (auto try_result = (expression); !try_result) { \
      return std::move(try_result).error();            \
    }                                                  \
  } while (false)

// TRY_ASSIGN(auto x, Expression()) puts the value into x or returns the error to the caller.
#define TRY_ASSIGN(target, expression) \
  TRY_ASSIGN_(MONOTABLE_CONCAT(try_assign_, __LINE__), target, expression)
#define TRY_ASSIGN_(temporary, target, expression)     \
  auto temporary = (expression);                       \
  if (!temporary) return std::move(temporary).error(); \
  target = std::move(temporary).value()
