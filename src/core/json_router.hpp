#pragma once

#include "json_events.hpp"

namespace nodesieve {

/// A handler that gives every event to another one, which `Derived` chooses: its function
/// template `bool send(Event event, error_code& ec)` returns `event(handler)`, or refuses it.
template <class Derived>
struct json_router : json_events {
    bool on_array_begin(error_code& ec) {
        return self().send([&](auto& to) { return to.on_array_begin(ec); }, ec);
    }
    bool on_array_end(std::size_t n, error_code& ec) {
        return self().send([&](auto& to) { return to.on_array_end(n, ec); }, ec);
    }
    bool on_object_begin(error_code& ec) {
        return self().send([&](auto& to) { return to.on_object_begin(ec); }, ec);
    }
    bool on_object_end(std::size_t n, error_code& ec) {
        return self().send([&](auto& to) { return to.on_object_end(n, ec); }, ec);
    }
    bool on_string_part(string_view part, std::size_t n, error_code& ec) {
        return self().send([&](auto& to) { return to.on_string_part(part, n, ec); }, ec);
    }
    bool on_string(string_view last, std::size_t n, error_code& ec) {
        return self().send([&](auto& to) { return to.on_string(last, n, ec); }, ec);
    }
    bool on_key_part(string_view part, std::size_t n, error_code& ec) {
        return self().send([&](auto& to) { return to.on_key_part(part, n, ec); }, ec);
    }
    bool on_key(string_view last, std::size_t n, error_code& ec) {
        return self().send([&](auto& to) { return to.on_key(last, n, ec); }, ec);
    }
    bool on_number_part(string_view part, error_code& ec) {
        return self().send([&](auto& to) { return to.on_number_part(part, ec); }, ec);
    }
    bool on_int64(std::int64_t value, string_view text, error_code& ec) {
        return self().send([&](auto& to) { return to.on_int64(value, text, ec); }, ec);
    }
    bool on_uint64(std::uint64_t value, string_view text, error_code& ec) {
        return self().send([&](auto& to) { return to.on_uint64(value, text, ec); }, ec);
    }
    bool on_double(double value, string_view text, error_code& ec) {
        return self().send([&](auto& to) { return to.on_double(value, text, ec); }, ec);
    }
    bool on_bool(bool value, error_code& ec) {
        return self().send([&](auto& to) { return to.on_bool(value, ec); }, ec);
    }
    bool on_null(error_code& ec) {
        return self().send([&](auto& to) { return to.on_null(ec); }, ec);
    }

  private:
    Derived& self() noexcept { return static_cast<Derived&>(*this); }
};

}  // namespace nodesieve
