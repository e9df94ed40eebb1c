#include "transfer/md5.h"

namespace monotable::transfer {

Md5::Md5() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
  EVP_DigestInit_ex(context_.get(), EVP_md5(), nullptr);
}

void Md5::Add(std::string_view bytes) {
  EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size());
}

std::string Md5::Finish() {
  unsigned char sum[EVP_MAX_MD_SIZE];
  unsigned length = 0;
  EVP_DigestFinal_ex(context_.get(), sum, &length);
  return std::string(reinterpret_cast<const char*>(sum), length);
}

std::string Md5Of(std::string_view bytes) {
  Md5 md5;
  md5.Add(bytes);
  return md5.Finish();
}

}  // namespace monotable::transfer
