#include <nodesieve/response_writer.hpp>

#include "plain_text.hpp"

#include <array>
#include <charconv>

namespace nodesieve {
namespace {

constexpr bool needs_escape(char c) {
    return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
}

/// Turns the comma behind a last element into the list's end, or ends an empty list.
void end_list(byte_chunks& out, char end) {
    if (out.piece(out.size() - 1).front() == ',') out.truncate(out.size() - 1);
    out.append(end);
}

/// A number as text.
class decimal {
  public:
    explicit decimal(std::int64_t number)
        : end_(std::to_chars(digits_.data(), digits_.data() + digits_.size(), number).ptr) {}
    decimal(decimal const&) = delete;
    decimal& operator=(decimal const&) = delete;

    [[nodiscard]] std::string_view text() const { return {digits_.data(), end_}; }

  private:
    std::array<char, 20> digits_;
    char const* end_;
};

}  // namespace

void append_json_string(byte_chunks& out, std::string_view text) {
    if (is_plain(text)) return out.append("\"", text, "\"");
    out.append('"');
    for (const char c : text) {
        if (!needs_escape(c)) {
            out.append(c);
        } else if (c == '"' || c == '\\') {
            const std::array<char, 2> escaped{'\\', c};
            out.append(std::string_view(escaped.data(), escaped.size()));
        } else {
            static constexpr std::string_view hex = "0123456789abcdef";
            const auto code = static_cast<unsigned char>(c);
            const std::array<char, 6> escaped{'\\',           'u', '0', '0', hex[code >> 4U],
                                              hex[code & 15U]};
            out.append(std::string_view(escaped.data(), escaped.size()));
        }
    }
    out.append('"');
}

void filter_result_writer::begin() { out_.append(R"({"Nodes":{"metadata":{},"items":[)"); }

void filter_result_writer::end_nodes() {
    end_list(out_, ']');
    out_.append(R"(},"NodeNames":null,"FailedNodes":null,"FailedAndUnresolvableNodes":{)");
}

void filter_result_writer::failed(std::string_view name, std::string_view reason) {
    if (is_plain(name) && is_plain(reason)) return out_.append("\"", name, "\":\"", reason, "\",");
    append_json_string(out_, name);
    out_.append(':');
    append_json_string(out_, reason);
    out_.append(',');
}

void filter_result_writer::end() {
    end_list(out_, '}');
    out_.append(R"(,"Error":""})");
}

void filter_names_writer::begin() { out_.append(R"({"Nodes":null,"NodeNames":[)"); }

void filter_names_writer::passed(std::string_view name) {
    if (is_plain(name)) return out_.append("\"", name, "\",");
    append_json_string(out_, name);
    out_.append(',');
}

void filter_names_writer::end_passed() {
    end_list(out_, ']');
    out_.append(R"(,"FailedNodes":null,"FailedAndUnresolvableNodes":{)");
}

void filter_names_writer::failed(std::string_view name, std::string_view reason) {
    filter_result_writer(out_).failed(name, reason);
}

void filter_names_writer::end(std::string_view error) {
    end_list(out_, '}');
    out_.append(R"(,"Error":)");
    append_json_string(out_, error);
    out_.append('}');
}

void preemption_result_writer::begin() { out_.append(R"({"NodeNameToMetaVictims":{)"); }

void preemption_result_writer::candidate(std::string_view node, std::span<std::string const> uids,
                                         std::int64_t violations) {
    append_json_string(out_, node);
    out_.append(R"(:{"Pods":[)");
    for (auto const& uid : uids) {
        out_.append(R"({"UID":)");
        append_json_string(out_, uid);
        out_.append("},");
    }
    end_list(out_, ']');
    out_.append(R"(,"NumPDBViolations":)", decimal(violations).text(), "}");
}

void preemption_result_writer::end() {
    end_list(out_, '}');
    out_.append('}');
}

void host_priority_writer::begin() { out_.append('['); }

void host_priority_writer::host(std::string_view name, std::int32_t score) {
    const decimal digits(score);
    if (is_plain(name))
        return out_.append(R"({"Host":")", name, R"(","Score":)", digits.text(), "},");
    out_.append(R"({"Host":)");
    append_json_string(out_, name);
    out_.append(R"(,"Score":)", digits.text(), "},");
}

void host_priority_writer::end() { end_list(out_, ']'); }

}  // namespace nodesieve
