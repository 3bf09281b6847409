#include <nodesieve/response_writer.hpp>

#include <algorithm>
#include <array>
#include <charconv>

namespace nodesieve {
namespace {

bool needs_escape(char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20; }

/// Turns the comma behind a last element into the list's end, or ends an empty list.
void end_list(byte_chunks& out, char end) {
    if (out.piece(out.size() - 1).front() == ',') out.truncate(out.size() - 1);
    out.append(end);
}

void append_number(byte_chunks& out, std::int64_t number) {
    std::array<char, 20> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    out.append(std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data())));
}

}  // namespace

void append_json_string(byte_chunks& out, std::string_view text) {
    out.append('"');
    while (!text.empty()) {
        const auto* const special = std::ranges::find_if(text, needs_escape);
        const std::string_view plain(text.begin(), special);
        out.append(plain);
        text.remove_prefix(plain.size());
        if (text.empty()) break;
        const char c = text.front();
        text.remove_prefix(1);
        if (c == '"' || c == '\\') {
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
    out_.append(R"(,"NumPDBViolations":)");
    append_number(out_, violations);
    out_.append("},");
}

void preemption_result_writer::end() {
    end_list(out_, '}');
    out_.append('}');
}

void host_priority_writer::begin() { out_.append('['); }

void host_priority_writer::host(std::string_view name, std::int32_t score) {
    out_.append(R"({"Host":)");
    append_json_string(out_, name);
    out_.append(R"(,"Score":)");
    append_number(out_, score);
    out_.append("},");
}

void host_priority_writer::end() { end_list(out_, ']'); }

}  // namespace nodesieve
