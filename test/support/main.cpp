#define BOOST_TEST_MODULE nodesieve
#include <boost/test/unit_test.hpp>
