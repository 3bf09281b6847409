#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace nodesieve::test {

/// A directory of its own, removed with all that is in it.
class temporary_directory {
  public:
    temporary_directory() {
        std::string name = (std::filesystem::temp_directory_path() / "nodesieve-XXXXXX").native();
        if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
        path_ = name;
    }
    ~temporary_directory() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    temporary_directory(temporary_directory const&) = delete;
    temporary_directory& operator=(temporary_directory const&) = delete;

    [[nodiscard]] std::filesystem::path const& path() const noexcept { return path_; }

    /// Writes a file, and the directories above it, at `name` within this one.
    std::filesystem::path write(std::filesystem::path const& name,
                                std::string_view contents) const {
        auto file = path_ / name;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream out(file, std::ios::binary);
        out << contents << std::flush;
        if (!out) throw std::runtime_error("cannot write " + file.native());
        return file;
    }

  private:
    std::filesystem::path path_;
};

}  // namespace nodesieve::test
