#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <openssl/evp.h>

namespace monotable::transfer {

// The MD5 of bytes that come in pieces. S3 and the manifests of exports tell damage by it. Not
// thread-safe.
class Md5 {
 public:
  Md5();
  void Add(std::string_view bytes);
  // The 16 bytes of the sum; nothing can be added afterwards.
  std::string Finish();

 private:
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_;
};

std::string Md5Of(std::string_view bytes);

}  // namespace monotable::transfer
