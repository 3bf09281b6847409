#pragma once

#include "json_events.hpp"

#include <nodesieve/mib_text.hpp>
#include <nodesieve/pod_requirement.hpp>
#include <nodesieve/policy.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nodesieve {

/// Reads what the policy needs of a Pod, as Go's encoding/json would, from the events of a
/// basic_parser: its minimum-memory annotation, and its requests and overhead for the GPU resource.
/// The name and namespace are kept for logs.
///
/// Call order: start(), then input() before each piece is parsed, the events, then facts() and the
/// others. When the parser ends with an error and fault() is not empty, it tells which field is
/// wrong.
class pod_object : public json_events {
  public:
    /// `config` must outlive this object.
    explicit pod_object(policy_config const& config) : config_(config) {}

    void start();

    /// The piece that the parser is given next. Go reads the text of a quantity as it stands
    /// between the quotes, without undoing escapes, so an escape makes it invalid; the parser hands
    /// out unescaped text from a buffer of its own, which tells it from text that lies in the
    /// piece.
    void input(std::string_view piece);

    [[nodiscard]] pod_facts facts() const;
    /// Unescaped and cut to 253 bytes; empty where the Pod has none. Valid until start().
    [[nodiscard]] std::string_view name() const noexcept { return name_; }
    [[nodiscard]] std::string_view namespace_name() const noexcept { return namespace_; }
    [[nodiscard]] std::string const& fault() const noexcept { return fault_; }

    bool on_object_begin(error_code& ec);
    bool on_object_end(std::size_t, error_code&);
    bool on_array_begin(error_code& ec);
    bool on_array_end(std::size_t, error_code&);
    bool on_key_part(string_view part, std::size_t, error_code&);
    bool on_key(string_view last, std::size_t, error_code&);
    bool on_string_part(string_view part, std::size_t, error_code& ec) { return text(part, ec); }
    bool on_string(string_view last, std::size_t, error_code& ec);
    bool on_number_part(string_view part, error_code& ec) { return number(part, false, ec); }
    bool on_int64(std::int64_t, string_view last, error_code& ec) { return number(last, true, ec); }
    bool on_uint64(std::uint64_t, string_view last, error_code& ec) {
        return number(last, true, ec);
    }
    bool on_double(double, string_view last, error_code& ec) { return number(last, true, ec); }
    bool on_bool(bool, error_code& ec);
    bool on_null(error_code& ec);

  private:
    enum class place : std::uint8_t {
        outside,
        pod,
        metadata,
        annotations,
        spec,
        containers,  // the array; in_init_ tells which
        container,
        resources,
        requests,
        overhead,
    };
    enum class field : std::uint8_t {
        unread,
        metadata,
        name,
        namespace_name,
        annotations,
        minimum,
        spec,
        containers,
        init_containers,
        container,  // an element of the array
        resources,
        requests,
        restart_policy,
        overhead,
        gpu,  // the entry of requests or overhead
    };

    [[nodiscard]] field field_of(std::string_view key) const;
    [[nodiscard]] static std::string_view path(field);
    void finish_container();
    bool text(std::string_view part, error_code& ec);
    bool number(std::string_view part, bool last, error_code& ec);
    bool finish_quantity(error_code& ec);
    bool wrong_type(std::string_view seen, error_code& ec);

    [[nodiscard]] bool is_raw(std::string_view part) const;
    bool given_twice(error_code& ec);

    policy_config const& config_;
    std::string_view input_;
    std::string input_end_;     // the last bytes of it, a copy
    std::string before_input_;  // the last bytes of the piece before it

    std::string name_;
    std::string namespace_;
    std::optional<mib_text> minimum_;
    pod_requests requests_;
    std::optional<quantity> overhead_;

    std::optional<quantity> request_;  // of the container being read
    std::string text_;                 // of the restart policy or quantity being read
    bool is_sidecar_ = false;
    bool is_escaped_ = false;  // text_ had an escape in it
    bool in_init_ = false;
    bool containers_given_ = false;
    bool init_containers_given_ = false;

    key_text key_;
    place place_ = place::outside;
    field field_ = field::unread;
    std::size_t ignored_depth_ = 0;
    std::string fault_;
};

}  // namespace nodesieve
