#pragma once

#include "json_events.hpp"

#include <nodesieve/args_parser.hpp>
#include <nodesieve/limits.hpp>

#include <boost/json/basic_parser_impl.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

namespace nodesieve {

/// The largest piece that a parser is given at once.
inline constexpr std::size_t json_block_bytes = args_parser::block_bytes;

/// A parser of one JSON document at a time, which comes in pieces.
template <class Handler>
class json_document {
    static_assert(json_block_bytes + 16 <= BOOST_JSON_STACK_BUFFER_SIZE,
                  "basic_parser overflows its buffer: see src/core/CMakeLists.txt");

  public:
    using error_code = boost::json::error_code;

    /// For a document that stands below `levels_above` objects and arrays.
    template <class... Arguments>
    explicit json_document(std::size_t levels_above, Arguments&&... arguments)
        : parser_(options(levels_above), std::forward<Arguments>(arguments)...) {}

    /// Forgets the last document. The handler is the caller's to reset.
    void start() { parser_.reset(); }

    /// Reads on, from the first byte of `text`, and returns how many bytes it took: all, or as far
    /// as the document and the white space behind it go, or as far as the error.
    std::size_t write(std::string_view text, error_code& ec) {
        std::size_t taken = 0;
        while (!ec && !done() && taken < text.size()) {
            const auto piece = text.substr(taken, json_block_bytes);
            taken += parser_.write_some(true, piece.data(), piece.size(), ec);
        }
        return taken;
    }

    [[nodiscard]] bool done() const noexcept { return parser_.done(); }
    [[nodiscard]] Handler& handler() noexcept { return parser_.handler(); }
    [[nodiscard]] Handler const& handler() const noexcept { return parser_.handler(); }

  private:
    static boost::json::parse_options options(std::size_t levels_above) {
        boost::json::parse_options result;
        result.max_depth = limits::max_depth - levels_above;
        return result;
    }

    boost::json::basic_parser<Handler> parser_;
};

/// White space as JSON knows it (RFC 8259 section 2).
[[nodiscard]] constexpr bool is_json_space(char c) noexcept {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/// Where the document ends that left json_document::write() at `end`. Precondition: its last byte
/// is in `text`.
[[nodiscard]] constexpr std::size_t document_end(std::string_view text, std::size_t end) noexcept {
    while (is_json_space(text[end - 1])) --end;
    return end;
}

}  // namespace nodesieve
