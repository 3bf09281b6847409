#include "serve.hpp"

#include "options.hpp"

#include <cstdlib>
#include <exception>
#include <iostream>

int main(int argc, char** argv) {
    namespace server = nodesieve::server;
    try {
        const auto settings = server::parse_options(
            argc, argv, [](char const* name) -> char const* { return std::getenv(name); });
        switch (settings.command) {
            case server::command::help: std::cout << server::help_text(); return 0;
            case server::command::version:
                std::cout << "nodesieve " NODESIEVE_VERSION "\n";
                return 0;
            case server::command::serve: return nodesieve::cli::serve(settings);
        }
        return 0;
    } catch (std::exception const& e) {
        std::cerr << "nodesieve: " << e.what() << '\n';
        return 2;
    }
}
