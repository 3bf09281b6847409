#include "bodies.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <ostream>
#include <sstream>

namespace nodesieve::test {
namespace {

/// `feed` gives the body to the pipeline; what its calls return is asked for again by finish().
template <class Feed>
outcome run_with(verb v, setting const& s, Feed feed) {
    const policy rules(s.config);
    request_pipeline pipeline(rules, s.bounds, s.invalid_pod, s.named);
    pipeline.start(v, s.known);
    feed(pipeline);
    if (pipeline.finish() != errc::success)
        return {pipeline.failure().code, pipeline.failure().detail, {}};
    pipeline.compose();
    return {errc::success, {}, text(pipeline.reply())};
}

}  // namespace

std::ostream& operator<<(std::ostream& out, outcome const& o) {
    if (o.code == errc::success) return out << "200 " << o.reply;
    return out << slug(o.code) << ": " << o.detail;
}

outcome run(verb v, std::string_view body, setting const& s, cut c) {
    return run_with(v, s, [&](request_pipeline& pipeline) {
        if (c == cut::whole) {
            pipeline.write(body);
        } else {
            for (const char& byte : body) pipeline.write({&byte, 1});
        }
    });
}

outcome run_cut_at(verb v, std::string_view body, std::size_t offset, setting const& s) {
    return run_with(v, s, [&](request_pipeline& pipeline) {
        pipeline.write(body.substr(0, offset));
        pipeline.write(body.substr(offset));
    });
}

outcome run_at_block_end(verb v, std::string_view body, std::size_t offset, setting const& s) {
    constexpr auto block_bytes = args_parser::block_bytes;
    std::string shifted(block_bytes - offset % block_bytes, ' ');
    shifted.append(body);
    return run(v, shifted, s);
}

outcome run_in_segments(verb v, std::string_view body, bool parse_ahead, setting const& s) {
    return run_with(v, s, [&](request_pipeline& pipeline) {
        body_segment segment(s.config);
        for (auto rest = body; !rest.empty();) {
            const auto space = segment.prepare();
            const auto count = std::min(space.size(), rest.size());
            std::memcpy(space.data(), rest.data(), count);
            segment.commit(count);
            rest.remove_prefix(count);
            if (parse_ahead) segment.parse_ahead();
            pipeline.write(segment);
        }
    });
}

std::string text(byte_chunks const& chunks) {
    std::string result;
    while (result.size() < chunks.size()) result.append(chunks.piece(result.size()));
    return result;
}

std::string test_data(std::string_view path) {
    const auto file = std::string(NODESIEVE_TEST_DATA "/").append(path);
    std::ifstream in(file, std::ios::binary);
    BOOST_REQUIRE_MESSAGE(in, "cannot read " << file);
    std::ostringstream content;
    content << in.rdbuf();
    return content.str();
}

}  // namespace nodesieve::test
