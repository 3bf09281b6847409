#define BOOST_TEST_MODULE nodesieve_bench
#include <boost/test/unit_test.hpp>
#include <csignal>

namespace {

// As the programme does: OpenSSL writes to sockets without MSG_NOSIGNAL.
struct ignored_sigpipe {
    ignored_sigpipe() { std::signal(SIGPIPE, SIG_IGN); }
};

}  // namespace

BOOST_TEST_GLOBAL_FIXTURE(ignored_sigpipe);
