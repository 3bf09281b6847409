// Requests that name their nodes only: NodeNames, and the candidates of a preemption.
#include "bodies.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace nodesieve;
using namespace nodesieve::test;

namespace {

/// Nodes small (5 MiB), large (9 MiB), bare (no valid label).
named_nodes known() {
    node_index_builder builder;
    builder.set("small", 5);
    builder.set("large", 9);
    builder.set("bare", 0);
    return {named_nodes::readiness::ready, builder.snapshot(), {}};
}

setting with(named_nodes nodes) {
    setting s;
    s.known = std::move(nodes);
    s.config.score_ceiling_mib = 10;
    return s;
}

const setting ready = with(known());
const setting not_ready = with({named_nodes::readiness::not_ready, {}, "no list yet"});

std::string pod(std::string const& minimum) {
    return R"({"metadata":{"name":"p","annotations":{"training.example.com/min-gpu-memory-mib":")" +
           minimum +
           R"("}},"spec":{"containers":[{"resources":{"requests":{"nvidia.com/gpu":1}}}]}})";
}
const std::string plain_pod = R"({"metadata":{"name":"p"}})";

std::string names(std::string const& the_pod, std::string const& list) {
    return R"({"Pod":)" + the_pod + R"(,"Nodes":null,"NodeNames":[)" + list + "]}";
}

std::string preemption(std::string const& the_pod, std::string const& candidates) {
    return R"({"Pod":)" + the_pod + R"(,"NodeNameToVictims":{)" + candidates +
           R"(},"NodeNameToMetaVictims":null})";
}

std::string meta_preemption(std::string const& the_pod, std::string const& candidates) {
    return R"({"Pod":)" + the_pod + R"(,"NodeNameToVictims":null,"NodeNameToMetaVictims":{)" +
           candidates + "}}";
}

/// A candidate as it stands in the answer, and as meta victims in the request.
std::string meta(std::string const& node, std::string const& uid, int violations = 0) {
    return '"' + node + R"(":{"Pods":[{"UID":")" + uid + R"("}],"NumPDBViolations":)" +
           std::to_string(violations) + '}';
}

std::string victims(std::string const& node, std::string const& uid, int violations = 0) {
    return '"' + node + R"(":{"Pods":[{"metadata":{"name":"v","uid":")" + uid +
           R"(","labels":{"uid":"no"}},"spec":{"uid":"no"},"uid":"no"}],"NumPDBViolations":)" +
           std::to_string(violations) + '}';
}

std::string filtered(std::string const& passed, std::string const& failed) {
    return R"({"Nodes":null,"NodeNames":[)" + passed +
           R"(],"FailedNodes":null,"FailedAndUnresolvableNodes":{)" + failed + R"(},"Error":""})";
}

std::string evicted(std::string const& candidates) {
    return R"({"NodeNameToMetaVictims":{)" + candidates + "}}";
}

constexpr auto bare_failed = R"("bare":"missing or invalid administrator GPU-memory label")";
constexpr auto new_failed = R"("new":"node is not in the extender's cache yet")";

/// The same outcome whole, byte by byte, and with a block of the parser ending at each byte.
outcome run_every_way(verb v, std::string const& body, setting const& s) {
    const auto whole = run(v, body, s);
    BOOST_TEST(run(v, body, s, cut::bytewise) == whole);
    if (whole.code == errc::success)
        for (std::size_t at = 0; at <= body.size(); ++at)
            BOOST_REQUIRE_EQUAL(run_at_block_end(v, body, at, s), whole);
    return whole;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(named_nodes_test)

BOOST_AUTO_TEST_CASE(filter_answers_the_names_that_pass_in_their_order) {
    const auto list = R"("large","new","small","bare")";
    BOOST_TEST(run_every_way(verb::filter, names(pod("5"), list), ready).reply ==
               filtered(R"("large","small")", std::string(new_failed) + "," + bare_failed));
    BOOST_TEST(run_every_way(verb::filter, names(pod("7"), list), ready).reply ==
               filtered(R"("large")", std::string(new_failed) +
                                          R"(,"small":"GPU memory label is below the required )"
                                          R"(minimum",)" +
                                          bare_failed));
    BOOST_TEST(run_every_way(verb::filter, names(plain_pod, list), ready).reply ==
               filtered(R"("large","small","bare")", new_failed));
}

BOOST_AUTO_TEST_CASE(filter_answers_an_empty_list_by_empty_lists) {
    BOOST_TEST(run(verb::filter, names(pod("5"), ""), ready).reply == filtered("", ""));
    BOOST_TEST(run(verb::prioritize, names(pod("5"), ""), ready).reply == "[]");
}

BOOST_AUTO_TEST_CASE(names_may_come_before_the_pod) {
    const auto body = R"({"nodenames":["large","small"],"POD":)" + pod("7") + "}";
    BOOST_TEST(
        run_every_way(verb::filter, body, ready).reply ==
        filtered(R"("large")", R"("small":"GPU memory label is below the required minimum")"));
}

BOOST_AUTO_TEST_CASE(names_are_matched_unescaped) {
    const auto body = names(pod("5"), R"("l\u0061rge","\/\"")");
    BOOST_TEST(run_every_way(verb::filter, body, ready).reply ==
               filtered(R"("large")", R"("/\"":"node is not in the extender's cache yet")"));
}

BOOST_AUTO_TEST_CASE(names_of_which_none_fits_can_be_judged_again) {
    const policy rules({});
    request_pipeline pipeline(rules, {}, invalid_pod_answer::error);
    const auto none_fits = [&](verb v, std::string const& body) {
        pipeline.start(v, ready.known);
        pipeline.write(body);
        BOOST_TEST((pipeline.finish() == errc::success));
        return pipeline.none_named_fits();
    };
    BOOST_TEST(!none_fits(verb::filter, names(pod("7"), R"("large","small")")));
    BOOST_TEST(!none_fits(verb::filter, names(pod("7"), "")));
    BOOST_TEST(!none_fits(verb::prioritize, names(pod("10"), R"("large")")));
    BOOST_TEST(none_fits(verb::filter, names(pod("10"), R"("large","new","small")")));

    node_index_builder builder;
    builder.set("large", 9);
    builder.set("new", 10);
    pipeline.judge_again({named_nodes::readiness::ready, builder.snapshot(), {}});
    pipeline.compose();
    BOOST_TEST(pipeline.counts()[verdict::fits] == 1U);
    BOOST_TEST(text(pipeline.reply()) ==
               filtered(R"("new")", R"("large":"GPU memory label is below the required minimum",)"
                                    R"("small":"node is not in the extender's cache yet")"));
}

BOOST_AUTO_TEST_CASE(prioritize_scores_names) {
    BOOST_TEST(
        run_every_way(verb::prioritize, names(pod("5"), R"("small","new","large","bare")"), ready)
            .reply == R"([{"Host":"small","Score":5},{"Host":"new","Score":0},)"
                      R"({"Host":"large","Score":9},{"Host":"bare","Score":0}])");
}

BOOST_AUTO_TEST_CASE(a_compact_filter_reply_gives_reasons_only_if_no_node_passes) {
    auto s = ready;
    s.named = names_reply::compact;
    const auto list = R"("large","new","small","bare")";
    BOOST_TEST(run(verb::filter, names(pod("7"), list), s).reply == filtered(R"("large")", ""));
    BOOST_TEST(run(verb::filter, names(pod("10"), list), s).reply ==
               run(verb::filter, names(pod("10"), list), ready).reply);
}

BOOST_AUTO_TEST_CASE(compact_scores_count_from_the_lowest_and_leave_it_out) {
    auto s = ready;
    s.named = names_reply::compact;
    const auto scores = [&](std::string const& list) {
        return run(verb::prioritize, names(pod("5"), list), s).reply;
    };
    BOOST_TEST(scores(R"("small","large")") == R"([{"Host":"large","Score":4}])");
    BOOST_TEST(scores(R"("small","bare","large")") ==
               R"([{"Host":"small","Score":5},{"Host":"large","Score":9}])");
    BOOST_TEST(scores(R"("large")") == "[]");
    BOOST_TEST(scores("") == "[]");
}

BOOST_AUTO_TEST_CASE(an_unknown_name_scores_0_also_where_less_is_better) {
    auto s = ready;
    s.config.prefer = score_preference::least;
    BOOST_TEST(run(verb::prioritize, names(pod("5"), R"("new","large")"), s).reply ==
               R"([{"Host":"new","Score":0},{"Host":"large","Score":1}])");
}

BOOST_AUTO_TEST_CASE(an_invalid_pod_fails_every_name_when_told_so) {
    auto s = ready;
    s.invalid_pod = invalid_pod_answer::unschedulable;
    const std::string why = R"(":"minimum GPU memory must be 1..1048576 MiB")";
    BOOST_TEST(run(verb::filter, names(pod("x"), R"("large","new")"), s).reply ==
               filtered("", R"("large)" + why + R"(,"new)" + why));
    BOOST_TEST(
        (run(verb::filter, names(pod("x"), R"("large")"), ready).code == errc::invalid_minimum));
}

BOOST_AUTO_TEST_CASE(empty_and_repeated_names_are_refused) {
    const std::pair<std::string, std::string> rows[] = {
        {R"("large","")", "NodeNames[1] has no name"},
        {R"("large",null)", "NodeNames[1] has no name"},
        {R"("small","large","bare","large")", "NodeNames[1] and NodeNames[3] have the same name"},
        {R"("new","large","new")", "NodeNames[0] and NodeNames[2] have the same name"},
    };
    for (auto const& [list, detail] : rows)
        for (const auto v : {verb::filter, verb::prioritize})
            BOOST_TEST(run_every_way(v, names(pod("5"), list), ready) ==
                       (outcome{errc::bad_node_name, detail, ""}));
}

BOOST_AUTO_TEST_CASE(nodes_and_names_both_or_neither_are_refused) {
    const auto p = pod("5");
    const std::string bodies[] = {
        R"({"Pod":)" + p + R"(,"Nodes":{"items":[]},"NodeNames":[]})",
        R"({"Pod":)" + p + R"(,"Nodes":null,"NodeNames":null})",
        R"({"Pod":)" + p + "}",
        R"({"Nodes":null,"NodeNames":["large"]})",
    };
    for (auto const& body : bodies) BOOST_TEST_CONTEXT(body)
    BOOST_TEST((run(verb::filter, body, ready).code == errc::pod_and_nodes_required));
    BOOST_TEST(
        (run(verb::filter, R"({"NodeNames":[],"NodeNames":[],"Pod":)" + p + "}", ready).code ==
         errc::malformed_request));
}

BOOST_AUTO_TEST_CASE(a_wrong_type_in_node_names_is_refused) {
    for (auto const* list : {"1", "{}", "[]", "true", "1.5", "18446744073709551615"})
        BOOST_TEST((run_every_way(verb::filter, names(pod("5"), list), ready).code ==
                    errc::malformed_request));
}

BOOST_AUTO_TEST_CASE(full_nodes_are_judged_by_what_they_carry) {
    const auto body = R"({"Pod":)" + pod("7") +
                      R"(,"Nodes":{"items":[{"metadata":{"name":"small","labels":)"
                      R"({"training.example.com/gpu-memory-mib":"9"}}}]}})";
    for (auto const& s : {ready, not_ready, with({})})
        BOOST_TEST(run(verb::filter, body, s)
                       .reply.starts_with(
                           R"({"Nodes":{"metadata":{},"items":[{"metadata":{"name":"small")"));
}

BOOST_AUTO_TEST_CASE(the_node_limit_counts_names_and_candidates) {
    auto s = ready;
    s.bounds.max_nodes = 1;
    const auto seen = run(verb::filter, names(pod("5"), R"("large","small")"), s);
    BOOST_TEST((seen.code == errc::too_many_nodes));
    BOOST_TEST(seen.detail == "2 nodes are more than 1: raise --max-nodes");
    const auto candidates = meta("large", "u") + "," + meta("small", "u");
    BOOST_TEST((run(verb::preempt, meta_preemption(pod("5"), candidates), s).code ==
                errc::too_many_nodes));
}

BOOST_AUTO_TEST_CASE(an_error_tells_why_names_cannot_be_judged_yet) {
    const auto body = names(pod("5"), R"("large")");
    for (const auto v : {verb::filter, verb::prioritize})
        BOOST_TEST(run(v, body, not_ready) ==
                   (outcome{errc::node_cache_not_ready, "no list yet", ""}));
    BOOST_TEST((run(verb::preempt, meta_preemption(pod("5"), meta("large", "u")), not_ready).code ==
                errc::node_cache_not_ready));

    const policy rules({});
    request_pipeline pipeline(rules, {}, invalid_pod_answer::error);
    pipeline.start(verb::filter, not_ready.known);
    pipeline.write(body);
    BOOST_TEST((pipeline.finish() == errc::node_cache_not_ready));
    pipeline.compose_error();
    BOOST_TEST(text(pipeline.reply()) ==
               R"({"Nodes":null,"NodeNames":[],"FailedNodes":null,"FailedAndUnresolvableNodes":{},)"
               R"("Error":"the extender's node cache is not ready: no list yet"})");
}

BOOST_AUTO_TEST_CASE(preempt_keeps_the_candidates_that_fit) {
    const auto expected = evicted(meta("large", "u1", 2) + "," + meta("small", "u2"));
    const auto all = [](auto candidate) {
        return candidate("large", "u1", 2) + "," + candidate("new", "u3", 0) + "," +
               candidate("bare", "u4", 0) + "," + candidate("small", "u2", 0);
    };
    BOOST_TEST(run_every_way(verb::preempt, preemption(pod("5"), all(victims)), ready).reply ==
               expected);
    BOOST_TEST(run_every_way(verb::preempt, meta_preemption(pod("5"), all(meta)), ready).reply ==
               expected);
    BOOST_TEST(run(verb::preempt, meta_preemption(pod("10"), all(meta)), ready).reply ==
               evicted(""));
}

BOOST_AUTO_TEST_CASE(preempt_reads_the_pod_wherever_it_stands) {
    const auto body = R"({"NodeNameToMetaVictims":{)" + meta("small", "u1") + "," +
                      meta("large", "u2") + "," + meta("bare", "u3") + R"(},"Pod":)" + pod("7") +
                      "}";
    BOOST_TEST(run_every_way(verb::preempt, body, ready).reply == evicted(meta("large", "u2")));
}

BOOST_AUTO_TEST_CASE(preempt_gives_all_back_for_a_pod_without_a_minimum) {
    const auto candidates = meta("new", "u1") + "," + meta("bare", "u2", 1);
    BOOST_TEST(run(verb::preempt, meta_preemption(plain_pod, candidates), ready).reply ==
               evicted(candidates));
}

BOOST_AUTO_TEST_CASE(preempt_evicts_nothing_for_an_invalid_pod) {
    for (const auto answer : {invalid_pod_answer::error, invalid_pod_answer::unschedulable}) {
        auto s = ready;
        s.invalid_pod = answer;
        BOOST_TEST(run(verb::preempt, meta_preemption(pod("x"), meta("large", "u")), s).reply ==
                   evicted(""));
        const auto nodes_first =
            R"({"NodeNameToMetaVictims":{)" + meta("large", "u") + R"(},"Pod":)" + pod("x") + "}";
        BOOST_TEST(run(verb::preempt, nodes_first, s).reply == evicted(""));
    }
}

BOOST_AUTO_TEST_CASE(preempt_reads_victims_as_go_does) {
    const std::pair<std::string, std::string> rows[] = {
        {R"("large":{"pods":[{"METADATA":{"UID":"a"}},{"metadata":{"uid":"\"b"}}]})",
         R"("large":{"Pods":[{"UID":"a"},{"UID":"\"b"}],"NumPDBViolations":0})"},
        {R"("large":{"Pods":[{"metadata":{"uid":"a"},"metadata":{"uid":null}}]})",
         R"("large":{"Pods":[{"UID":"a"}],"NumPDBViolations":0})"},
        {R"("large":{"NumPDBViolations":-3,"NumPDBViolations":null,"Pods":null,"Pods":[]})",
         R"("large":{"Pods":[],"NumPDBViolations":-3})"},
        {R"("large":{"Pods":[null,{}]})",
         R"("large":{"Pods":[{"UID":""},{"UID":""}],"NumPDBViolations":0})"},
        {R"("large":null,"small":{})",
         R"("large":{"Pods":[],"NumPDBViolations":0},"small":{"Pods":[],"NumPDBViolations":0})"},
        {"", ""},
    };
    for (auto const& [request, reply] : rows)
        BOOST_TEST(run_every_way(verb::preempt, preemption(pod("5"), request), ready).reply ==
                   evicted(reply));
}

BOOST_AUTO_TEST_CASE(preempt_refuses_wrong_types_of_what_it_reads) {
    const std::pair<std::string, std::string> rows[] = {
        {R"("a":[])", "NodeNameToVictims: a node's value: expected object or null, got array"},
        {R"("a":{"Pods":{}})", "NodeNameToVictims: Pods: expected array or null, got object"},
        {R"("a":{"Pods":["x"]})",
         "NodeNameToVictims: an element of Pods: expected object or null, got string"},
        {R"("a":{"Pods":[{"metadata":1}]})",
         "NodeNameToVictims: Pods[].metadata: expected object or null, got number"},
        {R"("a":{"Pods":[{"metadata":{"uid":true}}]})",
         "NodeNameToVictims: Pods[].metadata.uid: expected string or null, got bool"},
        {R"("a":{"NumPDBViolations":"1"})",
         "NodeNameToVictims: NumPDBViolations: expected integer or null, got string"},
        {R"("a":{"NumPDBViolations":1.5})",
         "NodeNameToVictims: NumPDBViolations: expected integer or null, got a fraction"},
        {R"("a":{"Pods":[{}],"Pods":[]})", "NodeNameToVictims: Pods is given twice for a node"},
    };
    for (auto const& [candidates, detail] : rows) {
        const auto seen = run_every_way(verb::preempt, preemption(pod("5"), candidates), ready);
        BOOST_TEST((seen.code == errc::malformed_request));
        BOOST_TEST_CONTEXT(seen.detail) BOOST_TEST(seen.detail.starts_with(detail));
    }
}

BOOST_AUTO_TEST_CASE(preempt_refuses_requests_that_it_cannot_answer) {
    const auto p = pod("5");
    const std::string bodies[] = {
        R"({"Pod":)" + p + "}",
        R"({"Pod":)" + p + R"(,"NodeNameToVictims":{},"NodeNameToMetaVictims":{}})",
        R"({"NodeNameToVictims":{}})",
    };
    for (auto const& body : bodies)
        BOOST_TEST((run(verb::preempt, body, ready).code == errc::pod_and_victims_required));
    BOOST_TEST(run(verb::preempt, preemption(p, meta("", "u")), ready) ==
               (outcome{errc::bad_node_name, "entry 0 of the victims has no name", ""}));
    BOOST_TEST(
        (run(verb::preempt, preemption(p, meta("large", "u") + "," + meta("large", "u")), ready)
             .code == errc::bad_node_name));
}

BOOST_AUTO_TEST_CASE(without_a_node_cache_the_flag_to_set_is_named) {
    const auto off = with({});
    const auto filter = run(verb::filter, names(pod("5"), R"("large")"), off);
    BOOST_TEST((filter.code == errc::pod_and_nodes_required));
    BOOST_TEST(filter.detail.find("--node-cache=watch") != std::string::npos);
    BOOST_TEST(filter.detail.find("nodeCacheCapable: false") != std::string::npos);
    const auto preempt = run(verb::preempt, preemption(pod("5"), victims("large", "u")), off);
    BOOST_TEST((preempt.code == errc::node_cache_off));
    BOOST_TEST(preempt.detail.find("--node-cache=watch") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
