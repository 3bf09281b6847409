#pragma once

#include <boost/json/basic_parser.hpp>
#include <boost/json/error.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace nodesieve {

/// The events of Boost.JSON's basic_parser, each accepted and ignored. Handlers derive from it and
/// hide the events that they care for. As it is, it checks a value and keeps nothing of it.
struct json_events {
    using error_code = boost::json::error_code;
    using string_view = boost::json::string_view;

    static constexpr std::size_t max_object_size = SIZE_MAX;
    static constexpr std::size_t max_array_size = SIZE_MAX;
    static constexpr std::size_t max_key_size = SIZE_MAX;
    static constexpr std::size_t max_string_size = SIZE_MAX;

    bool on_document_begin(error_code&) { return true; }
    bool on_document_end(error_code&) { return true; }
    bool on_array_begin(error_code&) { return true; }
    bool on_array_end(std::size_t, error_code&) { return true; }
    bool on_object_begin(error_code&) { return true; }
    bool on_object_end(std::size_t, error_code&) { return true; }
    bool on_string_part(string_view, std::size_t, error_code&) { return true; }
    bool on_string(string_view, std::size_t, error_code&) { return true; }
    bool on_key_part(string_view, std::size_t, error_code&) { return true; }
    bool on_key(string_view, std::size_t, error_code&) { return true; }
    bool on_number_part(string_view, error_code&) { return true; }
    bool on_int64(std::int64_t, string_view, error_code&) { return true; }
    bool on_uint64(std::uint64_t, string_view, error_code&) { return true; }
    bool on_double(double, string_view, error_code&) { return true; }
    bool on_bool(bool, error_code&) { return true; }
    bool on_null(error_code&) { return true; }
    bool on_comment_part(string_view, error_code&) { return true; }
    bool on_comment(string_view, error_code&) { return true; }
};

/// A key of an object, put together from the parts that the parser hands out. Keys longer than any
/// that is looked for are cut, so a key costs the same however long it is.
class key_text {
  public:
    /// Longer than the longest qualified name of Kubernetes: 253 + 1 + 63.
    static constexpr std::size_t max_size = 320;

    void append(std::string_view part) {
        if (text_.size() <= max_size) text_.append(part.substr(0, max_size + 1 - text_.size()));
    }

    /// The whole key from its last part; valid until the next call.
    [[nodiscard]] std::string_view finish(std::string_view last) {
        if (text_.empty()) return last;
        append(last);
        finished_.swap(text_);
        text_.clear();
        return finished_;
    }

    void clear() { text_.clear(); }

  private:
    std::string text_;
    std::string finished_;
};

/// Whether Go's encoding/json takes `key` for the struct field `field` (given in lower case):
/// letter case does not matter, and U+017F and U+212A count as s and k (encoding/json, fold.go).
[[nodiscard]] inline bool names_field(std::string_view key, std::string_view field) noexcept {
    for (const char expected : field) {
        if (key.empty()) return false;
        std::size_t used = 1;
        char c = key.front();
        if (c >= 'A' && c <= 'Z') {
            c = static_cast<char>(c - 'A' + 'a');
        } else if (key.starts_with("\xC5\xBF")) {
            c = 's';
            used = 2;
        } else if (key.starts_with("\xE2\x84\xAA")) {
            c = 'k';
            used = 3;
        }
        if (c != expected) return false;
        key.remove_prefix(used);
    }
    return key.empty();
}

/// The error that a handler ends the parse with when the JSON is well-formed but means nothing; the
/// handler's fault() tells what.
[[nodiscard]] inline bool refuse(boost::json::error_code& ec) {
    ec = make_error_code(boost::system::errc::invalid_argument);
    return false;
}

}  // namespace nodesieve
