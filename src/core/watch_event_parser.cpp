#include <nodesieve/watch_event_parser.hpp>

#include "json_document.hpp"
#include "json_router.hpp"
#include "node_object.hpp"
#include "object_fields.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace nodesieve {
namespace {

constexpr std::array event_fields{
    api_field_name{"type", api_field::type},
    api_field_name{"object", api_field::object},
};
constexpr std::array object_field_names{
    api_field_name{"metadata", api_field::metadata},
    api_field_name{"code", api_field::code},
    api_field_name{"reason", api_field::reason},
    api_field_name{"message", api_field::message},
};

constexpr std::array<std::pair<std::string_view, watch_event_type>, watch_event_type_count> types{{
    {"ADDED", watch_event_type::added},
    {"MODIFIED", watch_event_type::modified},
    {"DELETED", watch_event_type::deleted},
    {"BOOKMARK", watch_event_type::bookmark},
    {"ERROR", watch_event_type::error},
}};

/// Gives the events of `object` to a node_object and, because it may be a Status, to an
/// object_fields; all others to another object_fields. The type may come behind the object.
class event_events : public json_router<event_events> {
  public:
    explicit event_events(std::vector<std::string> const& labels) : node_(labels) {}

    void start() {
        event_.start();
        object_.start();
        node_.start();
        depth_ = 0;
    }
    [[nodiscard]] std::string const& type() const noexcept { return event_.text(api_field::type); }
    [[nodiscard]] object_fields const& object() const noexcept { return object_; }
    [[nodiscard]] node_object const& node() const noexcept { return node_; }
    [[nodiscard]] std::string fault() const {
        if (!event_.fault().empty()) return event_.fault();
        auto const& fault = node_.fault().empty() ? object_.fault() : node_.fault();
        return fault.empty() ? fault : "object." + fault;
    }

    template <class Event>
    bool send(Event event, error_code& /*ec*/) {
        if (depth_ > 0) return event(node_) && event(object_);
        return event(event_);
    }
    bool on_array_begin(error_code& ec) {
        if (depth_ > 0) ++depth_;
        return json_router::on_array_begin(ec);
    }
    bool on_array_end(std::size_t n, error_code& ec) {
        const bool done = json_router::on_array_end(n, ec);
        if (depth_ > 0) --depth_;
        return done;
    }
    bool on_object_begin(error_code& ec) {
        if (depth_ == 0 && event_.next() == api_field::object) {
            object_.start();  // of two the last counts
            node_.start();
            depth_ = 1;
        } else if (depth_ > 0) {
            ++depth_;
        }
        return json_router::on_object_begin(ec);
    }
    bool on_object_end(std::size_t n, error_code& ec) {
        const bool done = json_router::on_object_end(n, ec);
        if (depth_ > 0) --depth_;
        return done;
    }

  private:
    object_fields event_{event_fields};
    object_fields object_{object_field_names};
    node_object node_;
    std::size_t depth_ = 0;  // objects and arrays open within `object`, itself included
};

}  // namespace

std::string_view slug(watch_event_type type) noexcept {
    switch (type) {
        case watch_event_type::added: return "added";
        case watch_event_type::modified: return "modified";
        case watch_event_type::deleted: return "deleted";
        case watch_event_type::bookmark: return "bookmark";
        case watch_event_type::error: return "error";
    }
    return {};
}

class watch_event_parser::reader {
  public:
    reader(policy_config const& config, watch_event_sink& sink)
        : document_(0, config.node_memory_labels), sink_(sink) {}

    void start() {
        failure_.clear();
        in_event_ = false;
        bytes_ = event_bytes_ = 0;
    }
    bool write(std::string_view bytes);

    [[nodiscard]] bool between_events() const noexcept { return !in_event_; }
    [[nodiscard]] std::string const& failure() const noexcept { return failure_; }

  private:
    bool finish_event();
    bool fail(std::string const& text) {
        failure_ = text + ", near byte " + std::to_string(bytes_) + " of a watch";
        return false;
    }

    json_document<event_events> document_;
    watch_event_sink& sink_;
    std::string failure_;
    bool in_event_ = false;
    std::uint64_t bytes_ = 0;        // read so far
    std::uint64_t event_bytes_ = 0;  // of them of the event being read
};

bool watch_event_parser::reader::write(std::string_view bytes) {
    while (failure_.empty()) {
        if (!in_event_) {
            const auto begin = bytes.find_first_not_of(" \t\r\n");
            if (begin == bytes.npos) break;
            bytes_ += begin;
            bytes.remove_prefix(begin);
            document_.start();
            document_.handler().start();
            event_bytes_ = 0;
            in_event_ = true;
            if (bytes.front() != '{') return fail("expected an event, got another JSON type");
        }
        const auto piece = bytes.substr(0, json_block_bytes);
        if (piece.empty()) break;
        boost::json::error_code ec;
        const auto taken = document_.write(piece, ec);
        bytes_ += taken;
        event_bytes_ += taken;
        bytes.remove_prefix(taken);
        if (ec) {
            const auto fault = document_.handler().fault();
            return fail("malformed event: " + (fault.empty() ? ec.message() : fault));
        }
        if (event_bytes_ > max_event_bytes)
            return fail("expected at most " + std::to_string(max_event_bytes) +
                        " bytes in an event, got more");
        if (document_.done() && !finish_event()) return false;
    }
    return failure_.empty();
}

bool watch_event_parser::reader::finish_event() {
    in_event_ = false;
    auto const& event = document_.handler();
    const auto type = std::ranges::find(types, event.type(), &decltype(types)::value_type::first);
    if (type == types.end())
        return fail("expected an event of type ADDED, MODIFIED, DELETED, BOOKMARK or ERROR, got " +
                    std::string(event.type().empty() ? "none" : "another one"));

    watch_event result{type->second, event.node().name(), event.node().memory_mib(),
                       event.object().text(api_field::resource_version), nullptr};
    if (result.type == watch_event_type::error) {
        auto const& object = event.object();
        const api_status status{object.code(), object.text(api_field::reason),
                                object.text(api_field::message)};
        result.status = &status;
        sink_.on_event(result);
        return true;
    }
    if (result.resource_version.empty())
        return fail("expected metadata.resourceVersion in an event, got none");
    if (result.type != watch_event_type::bookmark && result.name.empty())
        return fail("expected metadata.name in an event, got none");
    sink_.on_event(result);
    return true;
}

watch_event_parser::watch_event_parser(policy_config const& config, watch_event_sink& sink)
    : reader_(std::make_unique<reader>(config, sink)) {}
watch_event_parser::~watch_event_parser() = default;

void watch_event_parser::start() { reader_->start(); }
bool watch_event_parser::write(std::string_view bytes) { return reader_->write(bytes); }
bool watch_event_parser::between_events() const noexcept { return reader_->between_events(); }
std::string const& watch_event_parser::failure() const noexcept { return reader_->failure(); }

}  // namespace nodesieve
