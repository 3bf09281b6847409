// Counts what a request allocates: its own program, because it replaces operator new.
#include <nodesieve/request_pipeline.hpp>

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <new>
#include <string>

namespace {

std::size_t allocations = 0;

std::string args(std::size_t nodes) {
    std::string body =
        R"({"Pod":{"metadata":{"annotations":{"training.example.com/min-gpu-memory-mib":"7"}},)"
        R"("spec":{"containers":[{"resources":{"requests":{"nvidia.com/gpu":1}}}]}},"Nodes":{"items":[)";
    for (std::size_t i = 0; i < nodes; ++i)
        body += (i > 0 ? "," : "") + std::string(R"({"metadata":{"name":"ip-10-0-0-)") +
                std::to_string(i) + R"(.eu-west-1.compute.internal","labels":)" +
                R"({"training.example.com/gpu-memory-mib":")" + std::to_string(i % 11) +
                R"("}},"status":{"x":")" + std::string(2000, 'x') + R"("}})";
    return body + "]}}";
}

}  // namespace

void* operator new(std::size_t size) {
    ++allocations;
    if (void* const memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

using namespace nodesieve;

BOOST_AUTO_TEST_SUITE(allocations_test)

BOOST_AUTO_TEST_CASE(a_request_of_5000_nodes_allocates_as_often_as_one_of_500) {
    const policy rules({});
    request_pipeline pipeline(rules, {}, invalid_pod_answer::error);
    body_segment segment(rules.config());
    const auto small = args(500);
    const auto large = args(5000);
    const auto count = [&](std::string const& body, verb v, bool in_segments) {
        const auto before = allocations;
        pipeline.start(v);
        for (std::string_view rest = body; in_segments && !rest.empty();) {
            const auto space = segment.prepare();
            const auto size = rest.copy(space.data(), space.size());
            segment.commit(size);
            rest.remove_prefix(size);
            segment.parse_ahead();
            pipeline.write(segment);
        }
        if (!in_segments) pipeline.write(body);
        BOOST_REQUIRE((pipeline.finish() == errc::success));
        pipeline.compose();
        return allocations - before;
    };
    for (const auto v : {verb::filter, verb::prioritize}) {
        for (const bool in_segments : {false, true}) {
            (void)count(large, v, in_segments);  // the buffers grow once
            BOOST_TEST(count(large, v, in_segments) == count(small, v, in_segments));
            BOOST_TEST(count(large, v, in_segments) < 20U);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_request_of_5000_names_allocates_as_often_as_one_of_500) {
    const policy rules({});
    node_index_builder builder;
    const auto name = [](std::size_t i) { return "ip-10-0-0-" + std::to_string(i) + ".internal"; };
    for (std::size_t i = 0; i < 5000; ++i) builder.set(name(i), static_cast<std::int32_t>(i % 11));
    const named_nodes known{named_nodes::readiness::ready, builder.snapshot(), {}};
    const auto body = [&](std::size_t nodes) {
        std::string result = R"({"Pod":{},"NodeNames":[)";
        for (std::size_t i = 0; i < nodes; ++i) result += (i > 0 ? ",\"" : "\"") + name(i) + '"';
        return result + "]}";
    };
    const auto small = body(500);
    const auto large = body(5000);
    request_pipeline pipeline(rules, {}, invalid_pod_answer::error);
    const auto count = [&](std::string const& text, verb v) {
        const auto before = allocations;
        pipeline.start(v, known);
        pipeline.write(text);
        BOOST_REQUIRE((pipeline.finish() == errc::success));
        pipeline.compose();
        return allocations - before;
    };
    for (const auto v : {verb::filter, verb::prioritize}) {
        (void)count(large, v);  // the buffers grow once
        BOOST_TEST(count(large, v) == count(small, v));
        BOOST_TEST(count(large, v) < 20U);
    }
}

BOOST_AUTO_TEST_SUITE_END()
