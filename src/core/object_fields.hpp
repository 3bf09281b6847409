#pragma once

#include "json_events.hpp"

#include <nodesieve/api_status.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace nodesieve {

/// What is read of the API server's objects beside the nodes themselves.
enum class api_field : std::uint8_t {
    unread,
    metadata,
    items,   // the caller's to read
    object,  // the caller's to read
    code,
    type,
    kind,
    resource_version,
    continue_token,
    reason,
    message,
};

struct api_field_name {
    std::string_view key;
    api_field field;
};

/// Reads some fields of one object from the events of a basic_parser; everything else passes by.
/// Unlike Go's encoding/json, the API server's own writer and reader (sigs.k8s.io/json) know
/// letter case, so keys must be exact.
///
/// Call order: start() before each object, the events, then text() and code(). A caller that reads
/// a value on its own asks next() before the value's first event and keeps the value's events.
/// When the parser ends with an error and fault() is not empty, it tells what was wrong.
class object_fields : public json_events {
  public:
    /// Longer than any continue token of nodes, which holds a name and some numbers.
    static constexpr std::size_t max_text_bytes = 4096;
    static constexpr std::size_t max_message_bytes = 1024;

    /// `read`: which fields of the object itself; must outlive this. Of metadata, the resource
    /// version and the continue token are read.
    explicit object_fields(std::span<api_field_name const> read) : read_(read) {}

    void start();

    /// The field whose value comes next.
    [[nodiscard]] api_field next() const noexcept { return field_; }
    /// Empty where it was not given.
    [[nodiscard]] std::string const& text(api_field f) const noexcept {
        return texts_[static_cast<std::size_t>(f)];
    }
    [[nodiscard]] int code() const noexcept { return code_; }
    [[nodiscard]] std::string const& fault() const noexcept { return fault_; }

    bool on_object_begin(error_code& ec);
    bool on_object_end(std::size_t, error_code&);
    bool on_array_begin(error_code& ec);
    bool on_array_end(std::size_t, error_code&) { return --ignored_depth_, true; }
    bool on_key_part(string_view part, std::size_t, error_code&);
    bool on_key(string_view last, std::size_t, error_code&);
    bool on_string_part(string_view part, std::size_t, error_code& ec) { return append(part, ec); }
    bool on_string(string_view last, std::size_t, error_code& ec) { return append(last, ec); }
    bool on_number_part(string_view, error_code& ec) { return number(ec); }
    bool on_int64(std::int64_t value, string_view, error_code& ec);
    bool on_uint64(std::uint64_t, string_view, error_code& ec) { return number(ec); }
    bool on_double(double, string_view, error_code& ec) { return number(ec); }
    bool on_bool(bool, error_code& ec) {
        return field_ == api_field::unread || wrong_type("bool", ec);
    }

  private:
    enum class place : std::uint8_t { outside, object, metadata };

    bool append(std::string_view part, error_code& ec);
    bool number(error_code& ec) {
        return field_ == api_field::unread || field_ == api_field::code || wrong_type("number", ec);
    }
    bool wrong_type(std::string_view seen, error_code& ec);

    std::span<api_field_name const> read_;
    std::array<std::string, static_cast<std::size_t>(api_field::message) + 1> texts_;
    int code_ = 0;
    key_text key_;
    place place_ = place::outside;
    api_field field_ = api_field::unread;
    std::size_t ignored_depth_ = 0;  // objects and arrays open below a field that is not read
    std::string fault_;
};

}  // namespace nodesieve
