#pragma once

#include "json_events.hpp"

#include <nodesieve/args_parser.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace nodesieve {

/// Reads NodeNames from the events of a basic_parser: an array of strings, where null counts as "",
/// as it does for Go's encoding/json. Each name goes to the sink as soon as it is complete.
///
/// Call order: start(), the events, then count(). When the parser ends with an error and fault() is
/// not empty, it tells what is wrong.
class names_array : public json_events {
  public:
    /// `sink` must outlive this object.
    explicit names_array(args_sink& sink) : sink_(sink) {}

    void start() {
        inside_ = false;
        count_ = 0;
        begun_.clear();
        fault_.clear();
    }

    [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
    [[nodiscard]] std::string const& fault() const noexcept { return fault_; }

    bool on_array_begin(error_code& ec) {
        if (inside_) return wrong("array", ec);
        inside_ = true;
        return true;
    }
    bool on_object_begin(error_code& ec) { return wrong("object", ec); }
    bool on_string_part(string_view part, std::size_t, error_code&) {
        begun_.append(part);
        return true;
    }
    bool on_string(string_view last, std::size_t, error_code&) {
        if (begun_.empty()) return name(last);  // nearly always: no copy
        begun_.append(last);
        name(begun_);
        begun_.clear();
        return true;
    }
    bool on_null(error_code&) { return name({}); }
    bool on_bool(bool, error_code& ec) { return wrong("bool", ec); }
    bool on_number_part(string_view, error_code& ec) { return wrong("number", ec); }
    bool on_int64(std::int64_t, string_view, error_code& ec) { return wrong("number", ec); }
    bool on_uint64(std::uint64_t, string_view, error_code& ec) { return wrong("number", ec); }
    bool on_double(double, string_view, error_code& ec) { return wrong("number", ec); }

  private:
    bool name(std::string_view text) {
        ++count_;
        sink_.on_node_name(text);
        return true;
    }
    bool wrong(std::string_view seen, error_code& ec) {
        fault_.assign("an element: expected string or null, got ").append(seen);
        return refuse(ec);
    }

    args_sink& sink_;
    bool inside_ = false;
    std::uint64_t count_ = 0;
    std::string begun_;  // the parts of a name that goes on
    std::string fault_;
};

}  // namespace nodesieve
