#pragma once

#include "json_events.hpp"

#include <nodesieve/mib_text.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nodesieve {

/// Reads what the policy needs of one Node object, as Go's encoding/json would, from the events of
/// a basic_parser: metadata.name and the memory labels of metadata.labels. Everything else passes
/// by.
///
/// Call order: start() before each node, the events, then name() and memory_mib(). When the parser
/// ends with an error and fault() is not empty, it tells which field has which wrong type.
class node_object : public json_events {
  public:
    /// `labels`: the policy's, in order of precedence; must outlive this object.
    explicit node_object(std::vector<std::string> const& labels)
        : label_names_(labels), labels_(labels.size()) {}

    void start();

    /// Unescaped; empty for a node without one. Valid until start().
    [[nodiscard]] std::string_view name() const noexcept { return name_; }
    /// What the first memory label that the node has says; 0 for none or an invalid one.
    [[nodiscard]] std::int32_t memory_mib() const noexcept;
    [[nodiscard]] std::string const& fault() const noexcept { return fault_; }

    // Nearly all of a Node is not read: those events end here, inline.
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
        if (field_ != field::unread) return wrong_type("array", ec);
        ++ignored_depth_;
        return true;
    }
    bool on_array_end(std::size_t, error_code&) {
        --ignored_depth_;
        return true;
    }
    bool on_key_part(string_view part, std::size_t, error_code&) {
        if (ignored_depth_ == 0) key_.append(part);
        return true;
    }
    bool on_key(string_view last, std::size_t, error_code&) {
        if (ignored_depth_ == 0) take_key(last);
        return true;
    }
    bool on_string_part(string_view part, std::size_t, error_code& ec) {
        return field_ == field::unread || text(part, ec);
    }
    bool on_string(string_view last, std::size_t, error_code& ec) {
        return field_ == field::unread || text(last, ec);
    }
    bool on_number_part(string_view, error_code& ec) { return scalar("number", ec); }
    bool on_int64(std::int64_t, string_view, error_code& ec) { return scalar("number", ec); }
    bool on_uint64(std::uint64_t, string_view, error_code& ec) { return scalar("number", ec); }
    bool on_double(double, string_view, error_code& ec) { return scalar("number", ec); }
    bool on_bool(bool, error_code& ec) { return scalar("bool", ec); }
    bool on_null(error_code&) {
        if (field_ == field::labels) clear_labels();
        return true;
    }

  private:
    enum class place : std::uint8_t { outside, node, metadata, labels };
    enum class field : std::uint8_t { unread, metadata, name, labels, label };
    struct label {
        bool present = false;
        mib_text value;
    };

    bool begin_object(error_code& ec);
    void end_object();
    void take_key(std::string_view last);
    void clear_labels();
    bool text(std::string_view part, error_code& ec);
    bool scalar(std::string_view type, error_code& ec) {
        return field_ == field::unread || wrong_type(type, ec);
    }
    bool wrong_type(std::string_view seen, error_code& ec);

    std::vector<std::string> const& label_names_;
    std::vector<label> labels_;
    std::size_t label_ = 0;  // which one field::label means
    std::string name_;
    bool name_begun_ = false;  // the parts that follow belong to the name being read
    key_text key_;
    place place_ = place::outside;
    field field_ = field::unread;
    std::size_t ignored_depth_ = 0;  // objects and arrays open below a field that is not read
    std::string fault_;
};

}  // namespace nodesieve
