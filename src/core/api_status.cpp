#include <nodesieve/api_status.hpp>

#include "json_document.hpp"
#include "object_fields.hpp"

namespace nodesieve {
namespace {

constexpr std::array status_fields{
    api_field_name{"kind", api_field::kind},
    api_field_name{"code", api_field::code},
    api_field_name{"reason", api_field::reason},
    api_field_name{"message", api_field::message},
};

}  // namespace

std::optional<api_status> parse_api_status(std::string_view body) {
    json_document<object_fields> document(0, status_fields);
    document.start();
    document.handler().start();
    boost::json::error_code ec;
    document.write(body, ec);
    auto const& fields = document.handler();
    if (ec || !document.done() || fields.text(api_field::kind) != "Status") return std::nullopt;
    return api_status{fields.code(), fields.text(api_field::reason),
                      fields.text(api_field::message)};
}

std::string to_line(api_status const& status) {
    return std::to_string(status.code) + ' ' + status.reason + ": " + status.message;
}

}  // namespace nodesieve
