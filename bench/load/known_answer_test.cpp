#include "known_answer.hpp"

#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "wire_request.hpp"

namespace {

using namespace nodesieve::bench;

// Right is what ends in "!", in whatever words.
class counted_check {
  public:
    std::string operator()(std::string_view body) {
        ++calls_;
        return body.ends_with('!') ? "" : "no exclamation mark in " + std::string(body);
    }
    [[nodiscard]] int calls() const { return calls_; }

  private:
    int calls_ = 0;
};

std::string judge(answer_reader& reader, std::string_view body, std::size_t cut) {
    reader.start();
    reader.put(body.substr(0, cut));
    reader.put(body.substr(cut));
    std::string complaint = reader.finish();
    BOOST_TEST(reader.size() == body.size());
    return complaint;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(known_answer_)

BOOST_AUTO_TEST_CASE(judges_the_first_completely_and_equal_ones_by_their_bytes) {
    counted_check check;
    known_answer known(std::ref(check));
    answer_reader reader(known);
    BOOST_TEST(judge(reader, "yes!", 2).empty());
    BOOST_TEST(check.calls() == 1);
    BOOST_TEST(*known.right_one() == "yes!");
    for (std::size_t cut = 0; cut <= 4; ++cut) BOOST_TEST(judge(reader, "yes!", cut).empty());
    BOOST_TEST(check.calls() == 1);
}

// At every cut, so that the difference is met in the first piece, in the second, and at its border.
BOOST_AUTO_TEST_CASE(judges_another_answer_completely) {
    counted_check check;
    known_answer known(std::ref(check));
    answer_reader reader(known);
    BOOST_TEST(judge(reader, "yes!", 0).empty());
    for (std::string_view const other : {"yea!", "yes!!", "ye!", "!", "no!"})
        for (std::size_t cut = 0; cut <= other.size(); ++cut)
            BOOST_TEST(judge(reader, other, cut).empty());
    for (std::string_view const wrong : {"yes?", "yes!?", "yes", "ye", "", "no"})
        for (std::size_t cut = 0; cut <= wrong.size(); ++cut)
            BOOST_TEST(judge(reader, wrong, cut) == "no exclamation mark in " + std::string(wrong));
    BOOST_TEST(*known.right_one() == "yes!");
}

BOOST_AUTO_TEST_CASE(a_wrong_first_answer_is_not_kept) {
    counted_check check;
    known_answer known(std::ref(check));
    answer_reader reader(known);
    BOOST_TEST(!judge(reader, "no", 1).empty());
    BOOST_TEST(known.right_one() == nullptr);
    BOOST_TEST(!judge(reader, "no", 1).empty());
    BOOST_TEST(judge(reader, "yes!", 1).empty());
}

BOOST_AUTO_TEST_CASE(holds_answers_to_the_first_when_nothing_is_known) {
    known_answer known;
    answer_reader reader(known);
    BOOST_TEST(judge(reader, "anything", 3).empty());
    BOOST_TEST(judge(reader, "anything", 5).empty());
    BOOST_TEST(judge(reader, "anyway", 1) ==
               "differs from the first answer at byte 3 (6 bytes, the first had 8)");
    BOOST_TEST(judge(reader, "anything else", 9) ==
               "differs from the first answer at byte 8 (13 bytes, the first had 8)");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(wire_request_)

BOOST_AUTO_TEST_CASE(is_head_and_body_whatever_the_size) {
    http_url const url = http_url::parse("http://[::1]:80/filter");
    for (std::size_t const size : {0, 1, 10'000, 16'384, 100'000}) {
        std::string const body(size, 'x');
        wire_request const request(url, body, true);
        std::string const all = std::string(request.opening()) + std::string(request.rest());
        BOOST_TEST((all == "POST /filter HTTP/1.1\r\nHost: [::1]:80\r\nUser-Agent: nodesieve-bench"
                           "\r\nContent-Type: application/json\r\nContent-Length: " +
                               std::to_string(size) + "\r\n\r\n" + body));
        BOOST_TEST(request.size() == all.size());
        BOOST_TEST(request.opening().size() <= 16'384U);
        BOOST_TEST(request.rest().empty() == (size <= 10'000));
    }
}

BOOST_AUTO_TEST_CASE(asks_to_close_without_keep_alive) {
    wire_request const request(http_url::parse("http://h/"), "", false);
    BOOST_TEST((request.opening().find("\r\nConnection: close\r\n") != std::string_view::npos));
}

BOOST_AUTO_TEST_SUITE_END()
