#pragma once

#include <nodesieve/request_pipeline.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace nodesieve::test {

/// In which way an answer may differ from the reference's.
enum class allowance {
    none,
    accept,  ///< 200 where the reference refuses
    refuse,  ///< 400 where the reference accepts
    either,
};

/// A request and the reference implementation's answer.
struct reference_vector {
    std::string family;
    std::string name;
    verb what = verb::filter;
    allowance allow = allowance::none;
    std::string body;
    unsigned status = 0;
    /// filter: passed names and the failure maps; prioritize: the array; else the error's text.
    boost::json::value reply;
};

/// A row as it stands in a file of vectors, one JSON object a line.
[[nodiscard]] reference_vector reference_vector_of(boost::json::object const& row);

/// All of test/data/vectors/reference.jsonl.
[[nodiscard]] std::vector<reference_vector> const& reference_vectors();

/// Empty when an answer agrees with the vector within what it allows; else what differs. `body` is
/// the reply's body, whose first line counts where `status` is not 200.
[[nodiscard]] std::string disagreement(reference_vector const& vector, unsigned status,
                                       std::string_view body);

}  // namespace nodesieve::test
