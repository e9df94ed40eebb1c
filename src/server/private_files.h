#pragma once

#include <string>
#include <string_view>

// The data of a server belongs to the user that runs it, and to nobody else on the machine.
namespace monotable::server {

// From now on, every file and folder that this process makes is for its own user only: files have
// the mode 0600, folders 0700. For commands that make data, not for those that print for the user.
void MakeFilesPrivate();

// Closes a folder that exists to other users, because its files may have been made by a process
// that did not call MakeFilesPrivate. Only a folder that is empty or has an entry named `mark` is
// surely one of ours and is changed. Another folder that others can look into stays as it is, and a
// warning says so. A missing folder is no mistake.
void CloseToOthers(const std::string& folder, std::string_view mark);

}  // namespace monotable::server
