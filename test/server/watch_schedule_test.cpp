#include "watch_schedule.hpp"

#include <boost/test/unit_test.hpp>

#include <set>
#include <string>

namespace nodesieve::server {
namespace {

using namespace std::chrono_literals;
using kind = watch_step::kind;
using outcome = watch_outcome;

/// A schedule whose random number is always this one: 0.5 is neither more nor less.
watch_schedule schedule(double random = 0.5) {
    return watch_schedule({}, [random] { return random; });
}

bool is(watch_step const& step, kind what, std::chrono::milliseconds delay) {
    return step.what == what && step.delay == delay;
}

BOOST_AUTO_TEST_SUITE(watch_schedule_test)

BOOST_AUTO_TEST_CASE(watches_behind_a_list_and_behind_a_watch) {
    auto s = schedule();
    BOOST_TEST(is(s.after_list(outcome::done), kind::watch, 0ms));
    BOOST_TEST(is(s.after_watch(outcome::done, true), kind::watch, 0ms));
}

BOOST_AUTO_TEST_CASE(waits_longer_from_failure_to_failure) {
    auto s = schedule();
    for (const auto delay : {100ms, 200ms, 400ms, 800ms, 1600ms, 3000ms, 3000ms})
        BOOST_TEST(is(s.after_list(outcome::connect), kind::list, delay));
    for (int i = 0; i < 100; ++i) BOOST_TEST(is(s.after_list(outcome::tls), kind::list, 3000ms));
}

BOOST_AUTO_TEST_CASE(waits_a_quarter_more_or_less) {
    BOOST_TEST(is(schedule(0).after_list(outcome::broken), kind::list, 75ms));
    BOOST_TEST(is(schedule(0.999).after_list(outcome::broken), kind::list, 124ms));
}

BOOST_AUTO_TEST_CASE(only_a_watch_with_progress_makes_the_waiting_short_again) {
    auto s = schedule();
    (void)s.after_list(outcome::connect);
    (void)s.after_list(outcome::connect);
    (void)s.after_list(outcome::done);
    BOOST_TEST(is(s.after_watch(outcome::broken, false), kind::watch, 400ms));
    BOOST_TEST(is(s.after_watch(outcome::broken, true), kind::watch, 100ms));
}

BOOST_AUTO_TEST_CASE(goes_on_watching_and_lists_behind_the_third_failure) {
    for (const auto why :
         {outcome::connect, outcome::broken, outcome::timeout, outcome::tls, outcome::throttled,
          outcome::unauthorized, outcome::forbidden, outcome::server_error, outcome::credentials}) {
        auto s = schedule();
        BOOST_TEST_CONTEXT(slug(why)) {
            BOOST_TEST(is(s.after_watch(why, false), kind::watch, 100ms));
            BOOST_TEST(is(s.after_watch(why, false), kind::watch, 200ms));
            BOOST_TEST(is(s.after_watch(why, false), kind::list, 400ms));
            BOOST_TEST(is(s.after_list(outcome::done), kind::watch, 0ms));
            BOOST_TEST(is(s.after_watch(why, false), kind::watch, 800ms));
        }
    }
}

BOOST_AUTO_TEST_CASE(lists_at_once_when_the_version_is_gone_but_not_for_ever) {
    auto s = schedule();
    BOOST_TEST(is(s.after_watch(outcome::gone, true), kind::list, 0ms));
    (void)s.after_list(outcome::done);
    BOOST_TEST(is(s.after_watch(outcome::gone, false), kind::list, 200ms));
    BOOST_TEST(is(s.after_list(outcome::gone), kind::list, 400ms));
    auto fresh = schedule();
    BOOST_TEST(is(fresh.after_list(outcome::gone), kind::list, 0ms));
    BOOST_TEST(is(fresh.after_list(outcome::gone), kind::list, 200ms));
}

BOOST_AUTO_TEST_CASE(lists_again_behind_silence_and_nonsense) {
    BOOST_TEST(is(schedule().after_watch(outcome::silent, true), kind::list, 0ms));
    BOOST_TEST(is(schedule().after_watch(outcome::malformed, true), kind::list, 100ms));
}

BOOST_AUTO_TEST_CASE(a_watch_that_ends_at_once_is_opened_again_later) {
    auto s = schedule();
    BOOST_TEST(is(s.after_watch(outcome::done, false), kind::watch, 100ms));
    BOOST_TEST(is(s.after_watch(outcome::done, false), kind::watch, 200ms));
    BOOST_TEST(is(s.after_watch(outcome::done, true), kind::watch, 0ms));
}

BOOST_AUTO_TEST_CASE(honours_retry_after_within_bounds) {
    BOOST_TEST(is(schedule().after_list(outcome::throttled, 7s), kind::list, 7000ms));
    BOOST_TEST(is(schedule().after_watch(outcome::throttled, true, 7s), kind::watch, 7000ms));
    BOOST_TEST(is(schedule().after_list(outcome::throttled, 0s), kind::list, 100ms));
    BOOST_TEST(is(schedule().after_list(outcome::throttled, 31s), kind::list, 30'000ms));
    BOOST_TEST(is(schedule().after_list(outcome::throttled, std::chrono::seconds::max()),
                  kind::list, 30'000ms));
}

BOOST_AUTO_TEST_CASE(asks_for_full_objects_once_metadata_alone_is_refused) {
    auto s = schedule();
    BOOST_TEST(s.metadata_only());
    BOOST_TEST(is(s.after_list(outcome::not_acceptable), kind::list, 0ms));
    BOOST_TEST(!s.metadata_only());
    BOOST_TEST(is(s.after_list(outcome::not_acceptable), kind::list, 100ms));
    auto other = schedule();
    BOOST_TEST(is(other.after_watch(outcome::not_acceptable, false), kind::watch, 0ms));
    BOOST_TEST(!other.metadata_only());
}

BOOST_AUTO_TEST_CASE(watches_for_five_to_ten_minutes) {
    BOOST_TEST((schedule(0).watch_timeout() == 300s));
    BOOST_TEST((schedule(0.999).watch_timeout() == 599s));
}

BOOST_AUTO_TEST_CASE(tells_statuses_apart) {
    BOOST_TEST((outcome_of_status(401) == outcome::unauthorized));
    BOOST_TEST((outcome_of_status(403) == outcome::forbidden));
    BOOST_TEST((outcome_of_status(406) == outcome::not_acceptable));
    BOOST_TEST((outcome_of_status(410) == outcome::gone));
    BOOST_TEST((outcome_of_status(429) == outcome::throttled));
    BOOST_TEST((outcome_of_status(503) == outcome::throttled));
    for (const unsigned status : {0U, 302U, 404U, 500U, 504U})
        BOOST_TEST((outcome_of_status(status) == outcome::server_error));
}

BOOST_AUTO_TEST_CASE(each_outcome_has_a_word_of_its_own) {
    std::set<std::string> words;
    for (std::size_t i = 0; i < watch_outcome_count; ++i)
        words.emplace(slug(static_cast<outcome>(i)));
    BOOST_TEST(words.size() == watch_outcome_count);
    BOOST_TEST(!words.contains(""));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace nodesieve::server
