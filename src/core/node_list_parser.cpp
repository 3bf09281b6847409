#include <nodesieve/node_list_parser.hpp>

#include "json_document.hpp"
#include "json_router.hpp"
#include "node_object.hpp"
#include "object_fields.hpp"

#include <array>
#include <utility>
#include <vector>

namespace nodesieve {
namespace {

constexpr std::array list_fields{
    api_field_name{"kind", api_field::kind},
    api_field_name{"metadata", api_field::metadata},
    api_field_name{"items", api_field::items},
};

/// Gives an item's events to a node_object and all others to an object_fields.
class list_events : public json_router<list_events> {
  public:
    list_events(std::vector<std::string> const& labels, node_list_sink& sink)
        : node_(labels), sink_(sink) {}

    void start() {
        list_.start();
        fault_.clear();
        in_items_ = items_given_ = false;
        depth_ = nodes_ = 0;
    }
    [[nodiscard]] std::size_t nodes() const noexcept { return nodes_; }
    [[nodiscard]] object_fields const& list() const noexcept { return list_; }
    [[nodiscard]] std::string fault() const {
        if (!fault_.empty()) return fault_;
        return depth_ == 0 || node_.fault().empty() ? list_.fault() : item() + "." + node_.fault();
    }

    template <class Event>
    bool send(Event event, error_code& ec) {
        if (depth_ > 0) return event(node_);
        if (!in_items_) return event(list_);
        return fail(item() + ": expected an object, got another type", ec);
    }
    bool on_array_begin(error_code& ec) {
        if (in_items_ || list_.next() != api_field::items) {
            if (depth_ > 0) ++depth_;
            return json_router::on_array_begin(ec);
        }
        if (items_given_) return fail("items is given twice", ec);
        return in_items_ = items_given_ = true;
    }
    bool on_array_end(std::size_t n, error_code& ec) {
        if (in_items_ && depth_ == 0) {
            in_items_ = false;
            return true;
        }
        const bool done = json_router::on_array_end(n, ec);
        if (depth_ > 0) --depth_;
        return done;
    }
    bool on_object_begin(error_code& ec) {
        if (in_items_ && depth_ == 0) node_.start();
        if (in_items_) ++depth_;
        return json_router::on_object_begin(ec);
    }
    bool on_object_end(std::size_t n, error_code& ec) {
        if (!json_router::on_object_end(n, ec)) return false;
        if (!in_items_ || --depth_ > 0) return true;
        if (node_.name().empty()) return fail(item() + ".metadata.name: expected a name", ec);
        sink_.on_node(node_.name(), node_.memory_mib());
        ++nodes_;
        return true;
    }

  private:
    [[nodiscard]] std::string item() const { return "items[" + std::to_string(nodes_) + "]"; }
    bool fail(std::string text, error_code& ec) {
        fault_ = std::move(text);
        return refuse(ec);
    }

    object_fields list_{list_fields};
    node_object node_;
    node_list_sink& sink_;
    std::string fault_;
    bool in_items_ = false;
    bool items_given_ = false;
    std::size_t depth_ = 0;  // objects and arrays open within items
    std::size_t nodes_ = 0;
};

}  // namespace

class node_list_parser::reader {
  public:
    reader(policy_config const& config, node_list_sink& sink)
        : document_(0, config.node_memory_labels, sink) {}

    void start() {
        document_.start();
        events().start();
        failure_.clear();
        bytes_ = since_node_ = 0;
    }
    bool write(std::string_view bytes);
    bool finish();

    [[nodiscard]] list_events& events() noexcept { return document_.handler(); }
    [[nodiscard]] std::string const& failure() const noexcept { return failure_; }

  private:
    bool fail(std::string text) {
        failure_ = std::move(text);
        return false;
    }

    json_document<list_events> document_;
    std::string failure_;
    std::uint64_t bytes_ = 0;       // read so far
    std::uint64_t since_node_ = 0;  // since the block in which the last node ended
};

bool node_list_parser::reader::write(std::string_view bytes) {
    while (failure_.empty() && !bytes.empty()) {
        const auto piece = bytes.substr(0, json_block_bytes);
        const auto nodes = events().nodes();
        boost::json::error_code ec;
        const auto taken = document_.write(piece, ec);
        bytes_ += taken;
        if (ec) {
            const auto fault = events().fault();
            return fail("malformed JSON near byte " + std::to_string(bytes_) +
                        " of a list: " + (fault.empty() ? ec.message() : fault));
        }
        if (taken < piece.size() && piece.find_first_not_of(" \t\r\n", taken) != piece.npos)
            return fail("expected one list, which ended before byte " + std::to_string(bytes_) +
                        ", got more behind it");
        since_node_ = events().nodes() == nodes ? since_node_ + piece.size() : 0;
        if (since_node_ > max_node_bytes)
            return fail("expected at most " + std::to_string(max_node_bytes) +
                        " bytes between two nodes of a list, got more");
        bytes.remove_prefix(piece.size());
    }
    return failure_.empty();
}

bool node_list_parser::reader::finish() {
    if (!failure_.empty()) return false;
    if (!document_.done())
        return fail("a list ends at byte " + std::to_string(bytes_) + ", before its JSON does");
    auto const& list = events().list();
    // Also of a list that is none, such as a proxy's JSON.
    if (!list.text(api_field::kind).ends_with("List"))
        return fail("expected a NodeList or a PartialObjectMetadataList, got another kind");
    if (list.text(api_field::resource_version).empty())
        return fail("expected metadata.resourceVersion of a list, got none");
    return true;
}

node_list_parser::node_list_parser(policy_config const& config, node_list_sink& sink)
    : reader_(std::make_unique<reader>(config, sink)) {}
node_list_parser::~node_list_parser() = default;

void node_list_parser::start() { reader_->start(); }
bool node_list_parser::write(std::string_view bytes) { return reader_->write(bytes); }
bool node_list_parser::finish() { return reader_->finish(); }
std::size_t node_list_parser::nodes() const noexcept { return reader_->events().nodes(); }
std::string_view node_list_parser::resource_version() const noexcept {
    return reader_->events().list().text(api_field::resource_version);
}
std::string_view node_list_parser::continue_token() const noexcept {
    return reader_->events().list().text(api_field::continue_token);
}
std::string const& node_list_parser::failure() const noexcept { return reader_->failure(); }

}  // namespace nodesieve
