#pragma once

#include <nodesieve/request_pipeline.hpp>

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>

namespace nodesieve::test {

/// What one request came to: an error, or a reply.
struct outcome {
    errc code = errc::success;
    std::string detail;
    std::string reply;

    friend bool operator==(outcome const&, outcome const&) = default;
};
std::ostream& operator<<(std::ostream&, outcome const&);

/// What a pipeline is made of.
struct setting {
    policy_config config;
    limits bounds;
    invalid_pod_answer invalid_pod = invalid_pod_answer::error;
    named_nodes known;
    names_reply named = names_reply::full;
};

/// How a body is cut into pieces.
enum class cut { whole, bytewise };

/// Runs one request through a request_pipeline of its own.
[[nodiscard]] outcome run(verb v, std::string_view body, setting const& s = {}, cut c = cut::whole);

/// The same with the body in two pieces, the second of which starts at `offset`.
[[nodiscard]] outcome run_cut_at(verb v, std::string_view body, std::size_t offset,
                                 setting const& s = {});

/// The same behind as much white space as it takes for byte `offset` of the body to start a new
/// block of the parser: cuts within a block never reach it. Offsets in `detail` count the white
/// space.
[[nodiscard]] outcome run_at_block_end(verb v, std::string_view body, std::size_t offset,
                                       setting const& s = {});

/// The same in body_segments, parsed ahead or not.
[[nodiscard]] outcome run_in_segments(verb v, std::string_view body, bool parse_ahead,
                                      setting const& s = {});

/// The whole reply of a pipeline in one string.
[[nodiscard]] std::string text(byte_chunks const& chunks);

/// The text of a file below test/data; fails the test when it cannot be read.
[[nodiscard]] std::string test_data(std::string_view path);

}  // namespace nodesieve::test
