// Compiles Beast's bodies once (BOOST_BEAST_SEPARATE_COMPILATION).
#include <boost/beast/src.hpp>
