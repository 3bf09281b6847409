#pragma once

#include "json_events.hpp"

#include <nodesieve/args_parser.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nodesieve {

/// Reads NodeNameToVictims or NodeNameToMetaVictims of ExtenderPreemptionArgs, as Go's
/// encoding/json would, from the events of a basic_parser:
///
///     {NODE:{"Pods":[{"metadata":{"uid":UID}}],"NumPDBViolations":N}}     victims
///     {NODE:{"Pods":[{"UID":UID}],"NumPDBViolations":N}}                  meta victims
///
/// Each node goes to the sink as soon as it is complete. Everything else of a victim passes by.
///
/// Call order: start(), the events. When the parser ends with an error and fault() is not empty, it
/// tells which field has which wrong type.
class victims_map : public json_events {
  public:
    enum class form : std::uint8_t { victims, meta_victims };

    /// `sink` must outlive this object.
    victims_map(args_sink& sink, form f) : sink_(sink), form_(f) {}

    void start();

    [[nodiscard]] std::string const& fault() const noexcept { return fault_; }

    // Nearly all of a victim is not read: those events end here, inline.
    bool on_object_begin(error_code& ec) {
        if (ignored_depth_ == 0) return begin_object(ec);
        ++ignored_depth_;
        return true;
    }
    bool on_object_end(std::size_t, error_code&) {
        if (ignored_depth_ > 0)
            --ignored_depth_;
        else
            end_object();
        return true;
    }
    bool on_array_begin(error_code& ec) {
        if (ignored_depth_ == 0) return begin_array(ec);
        ++ignored_depth_;
        return true;
    }
    bool on_array_end(std::size_t, error_code&) {
        if (ignored_depth_ > 0) {
            --ignored_depth_;
        } else {
            place_ = place::candidate;  // behind Pods
            field_ = field::unread;
        }
        return true;
    }
    bool on_key_part(string_view part, std::size_t, error_code&) {
        if (ignored_depth_ > 0) return true;
        if (place_ == place::map)
            node_.append(part);  // a name is kept however long it is
        else
            key_.append(part);
        return true;
    }
    bool on_key(string_view last, std::size_t, error_code&) {
        if (ignored_depth_ == 0) take_key(last);
        return true;
    }
    bool on_string_part(string_view part, std::size_t, error_code& ec) { return text(part, ec); }
    bool on_string(string_view last, std::size_t, error_code& ec) {
        const bool ok = text(last, ec);
        uid_begun_ = false;
        return ok;
    }
    bool on_number_part(string_view, error_code& ec) {
        return reads_number() || scalar("number", ec);
    }
    bool on_int64(std::int64_t value, string_view, error_code& ec) {
        if (!reads_number()) return scalar("number", ec);
        violations_ = value;
        return true;
    }
    bool on_uint64(std::uint64_t, string_view, error_code& ec) {
        return scalar("a number beyond 64 bits", ec);
    }
    bool on_double(double, string_view, error_code& ec) {
        return scalar("a fraction or a number beyond 64 bits", ec);
    }
    bool on_bool(bool, error_code& ec) { return scalar("bool", ec); }
    bool on_null(error_code&) {
        if (ignored_depth_ == 0) null();
        return true;
    }

  private:
    enum class place : std::uint8_t { outside, map, candidate, pods, pod, metadata };
    enum class field : std::uint8_t {
        unread,
        candidate,
        pods,
        violations,
        pod,
        metadata,
        uid,
    };

    bool begin_object(error_code& ec);
    void end_object();
    bool begin_array(error_code& ec);
    void take_key(std::string_view last);
    void end_candidate();
    void begin_victim();
    bool text(std::string_view part, error_code& ec);
    void null();
    [[nodiscard]] bool reads_number() const noexcept {
        return ignored_depth_ == 0 && field_ == field::violations;
    }
    bool scalar(std::string_view type, error_code& ec) {
        return ignored_depth_ > 0 || field_ == field::unread || wrong_type(type, ec);
    }
    bool wrong_type(std::string_view seen, error_code& ec);

    args_sink& sink_;
    form form_;
    place place_ = place::outside;
    field field_ = field::unread;
    std::size_t ignored_depth_ = 0;  // objects and arrays open below a field that is not read
    key_text key_;
    std::string node_;  // the candidate's name, or its parts so far
    std::int64_t violations_ = 0;
    std::vector<std::string> uids_;  // of the candidate's victims: the first uid_count_ ones
    std::size_t uid_count_ = 0;
    bool pods_given_ = false;
    bool uid_begun_ = false;  // the parts that follow belong to the UID being read
    std::string fault_;
};

}  // namespace nodesieve
