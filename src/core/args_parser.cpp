// Longer than most: one state machine over three levels, which reads worse in parts.
#include <nodesieve/args_parser.hpp>

#include "json_events.hpp"
#include "node_document.hpp"
#include "parsed_ahead.hpp"
#include "plain_text.hpp"
#include "pod_object.hpp"
#include "victims_map.hpp"

#include <nodesieve/limits.hpp>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <string>
#include <vector>

namespace nodesieve {
namespace {

constexpr std::size_t buffer_bytes = 8 * args_parser::block_bytes;

/// A key of ExtenderArgs or of its NodeList.
struct key_value : json_events {
    key_text text;
    std::string_view key;

    bool on_string_part(string_view part, std::size_t, error_code&) {
        text.append(part);
        return true;
    }
    bool on_string(string_view last, std::size_t, error_code&) {
        key = text.finish(last);
        return true;
    }
};

/// An element of NodeNames that is not plain.
struct name_value : json_events {
    std::string text;

    bool on_string_part(string_view part, std::size_t, error_code&) {
        text.append(part);
        return true;
    }
    bool on_string(string_view last, std::size_t, error_code&) {
        text.append(last);
        return true;
    }
};

/// The type of the value that starts with `c`; empty where none can.
std::string_view type_of(char c) {
    switch (c) {
        case '{': return "object";
        case '[': return "array";
        case '"': return "string";
        case 't':
        case 'f': return "bool";
        case 'n': return "null";
        case '-': return "number";
        default: return c >= '0' && c <= '9' ? "number" : "";
    }
}

}  // namespace

/// The outer structure (ExtenderArgs, its NodeList, the items and the names) is read here; what
/// stands in it is read by one of the parsers.
class args_parser::reader {
  public:
    reader(policy_config const& config, args_sink& sink)
        : sink_(sink),
          buffer_(std::make_unique_for_overwrite<char[]>(buffer_bytes)),
          key_(0),
          pod_(1, config),
          name_(2),
          victims_(1, sink, victims_map::form::victims),
          meta_victims_(1, sink, victims_map::form::meta_victims),
          ignored_in_args_(1),
          ignored_in_nodes_(2),
          node_(std::make_unique<node_document>(config.node_memory_labels)) {}

    void start(body_form form);
    std::span<char> prepare() noexcept { return {buffer_.get() + end_, buffer_bytes - end_}; }
    errc commit(std::size_t size);
    errc write(std::string_view bytes);
    errc write(std::string_view text, body_segment::ahead& ahead);
    errc finish();
    diagnostics const& failure() const noexcept { return failure_; }

  private:
    enum class level : std::uint8_t { args, nodes, items, names };
    enum class expected : std::uint8_t {
        root,
        key_or_end,
        key,
        colon,
        value,
        comma_or_end,
        item_or_end,
        item,
        nothing,
    };
    enum class field : std::uint8_t {
        root,
        ignored,
        pod,
        nodes,
        node_names,
        victims,
        meta_victims,
        items,
        item,
        name,
    };
    enum class document : std::uint8_t {
        none,
        key,
        pod,
        name,
        victims,
        meta_victims,
        ignored,
        node,
    };

    void parse(std::string_view block, std::size_t stop = std::string_view::npos);
    void take_over(std::string_view text, body_segment::ahead& ahead);
    void step(char c);
    [[nodiscard]] bool in_array() const noexcept {
        return level_ == level::items || level_ == level::names;
    }
    void value(char c);
    void null_value();
    void begin(document d);
    void resume();
    template <class Parser>
    bool run(Parser& parser);
    void finish_document();
    void finish_node();
    bool take_plain_names();
    void take_name(std::string_view name);
    void take_key();
    void close(level l);
    [[nodiscard]] bool is_given(field f) const noexcept;
    void check_args();
    void check_preemption_args();
    [[nodiscard]] field args_field(std::string_view key) const;
    void fail(errc code, std::string detail);
    void fail_structure(std::string_view what);
    void fail_document(boost::json::error_code ec, std::string_view fault);
    [[nodiscard]] std::string where(field f) const;
    [[nodiscard]] std::string position() const;

    args_sink& sink_;
    diagnostics failure_;

    std::unique_ptr<char[]> buffer_;
    std::size_t begin_ = 0;  // a multiple of block_bytes
    std::size_t end_ = 0;

    // The block being parsed.
    std::string_view block_;
    std::size_t at_ = 0;             // the next byte of it
    std::size_t node_at_ = 0;        // where the node being read starts in it, or goes on
    std::uint64_t block_start_ = 0;  // its offset in the body

    level level_ = level::args;
    expected expected_ = expected::root;
    field field_ = field::root;  // what the next value is
    document document_ = document::none;
    body_form form_ = body_form::nodes;
    bool pod_given_ = false;
    bool nodes_given_ = false;
    bool items_given_ = false;
    bool node_names_given_ = false;
    bool victims_given_ = false;
    bool meta_victims_given_ = false;
    std::uint64_t items_ = 0;
    std::uint64_t names_ = 0;

    json_document<key_value> key_;
    json_document<pod_object> pod_;
    json_document<name_value> name_;
    json_document<victims_map> victims_;
    json_document<victims_map> meta_victims_;
    json_document<json_events> ignored_in_args_;
    json_document<json_events> ignored_in_nodes_;
    std::unique_ptr<node_document> node_;
};

void args_parser::reader::start(body_form form) {
    form_ = form;
    failure_ = {};
    begin_ = end_ = 0;
    block_ = {};
    at_ = node_at_ = 0;
    block_start_ = 0;
    level_ = level::args;
    expected_ = expected::root;
    field_ = field::root;
    document_ = document::none;
    pod_given_ = nodes_given_ = items_given_ = node_names_given_ = false;
    victims_given_ = meta_victims_given_ = false;
    items_ = names_ = 0;
}

errc args_parser::reader::commit(std::size_t size) {
    assert(size <= buffer_bytes - end_);
    end_ += size;
    for (; end_ - begin_ >= block_bytes; begin_ += block_bytes)
        parse({buffer_.get() + begin_, block_bytes});
    if (begin_ == buffer_bytes) begin_ = end_ = 0;
    return failure_.code;
}

errc args_parser::reader::write(std::string_view bytes) {
    while (!bytes.empty() && failure_.code == errc::success) {
        if (begin_ == end_ && bytes.size() >= block_bytes) {  // no need to gather
            parse(bytes.substr(0, block_bytes));
            bytes.remove_prefix(block_bytes);
            continue;
        }
        const auto space = prepare();
        const auto count = std::min({space.size(), bytes.size(), block_bytes - (end_ - begin_)});
        std::memcpy(space.data(), bytes.data(), count);
        bytes.remove_prefix(count);
        if (commit(count) != errc::success) break;
    }
    return failure_.code;
}

/// A segment, whose start is the start of a block: nothing waits in buffer_.
errc args_parser::reader::write(std::string_view text, body_segment::ahead& ahead) {
    assert(begin_ == end_);
    auto stop = ahead.guess.value_or(std::string_view::npos);
    for (std::size_t at = 0; at < text.size() && failure_.code == errc::success;) {
        const auto block = text.substr(at, block_bytes - block_start_ % block_bytes);
        if (stop >= at && stop < at + block.size()) {
            parse(block, stop - at);
            at += at_;
            if (at != stop || failure_.code != errc::success) continue;
            if (document_ == document::none && level_ == level::items) {
                take_over(text, ahead);
                at = ahead.suspended ? text.size() : ahead.end;
            }
            stop = std::string_view::npos;
        } else if (block.size() == block_bytes - block_start_ % block_bytes) {
            parse(block);
            at += block.size();
        } else {
            return write(block);  // the last block of the body, to be gathered
        }
    }
    return failure_.code;
}

/// The nodes that were parsed ahead, now that this is known to be where they start.
void args_parser::reader::take_over(std::string_view text, body_segment::ahead& ahead) {
    if (ahead.nodes.empty() && !ahead.suspended) return;
    for (auto const& n : ahead.nodes)
        sink_.on_node(text.substr(n.text_at, n.text_size), ahead.name_of(n), n.memory_mib);
    items_ += ahead.nodes.size();
    expected_ = expected::comma_or_end;
    block_start_ += ahead.end - *ahead.guess;
    if (!ahead.suspended) return;
    block_start_ += text.size() - ahead.end;
    std::swap(node_, ahead.document);
    document_ = document::node;
    sink_.on_node_part(text.substr(*ahead.suspended));
}

errc args_parser::reader::finish() {
    parse({buffer_.get() + begin_, end_ - begin_});
    begin_ = end_ = 0;
    if (failure_.code != errc::success) return failure_.code;
    if (expected_ != expected::nothing || document_ != document::none) {
        fail(errc::malformed_request, "the body ends at byte " + std::to_string(block_start_) +
                                          ", before the JSON object does");
    } else if (form_ == body_form::preemption) {
        check_preemption_args();
    } else {
        check_args();
    }
    return failure_.code;
}

void args_parser::reader::check_args() {
    const bool either = form_ == body_form::nodes_or_names;
    const bool right =
        either ? nodes_given_ != node_names_given_ : nodes_given_ && !node_names_given_;
    if (pod_given_ && right) return;
    std::string seen = pod_given_ ? "Pod is given" : "Pod is absent or null";
    seen += nodes_given_ ? ", Nodes is given" : ", Nodes is absent or null";
    if (!node_names_given_) {
        seen += ", NodeNames is absent or null";
    } else {
        seen += ", NodeNames is given (" + std::to_string(names_) + " names)";
        if (!either)
            seen +=
                ": run the extender with --node-cache=watch, or set nodeCacheCapable: false for it "
                "in the KubeSchedulerConfiguration";
    }
    if (either && pod_given_) seen += ": expected either Nodes or NodeNames";
    fail(errc::pod_and_nodes_required, std::move(seen));
}

void args_parser::reader::check_preemption_args() {
    if (pod_given_ && victims_given_ != meta_victims_given_) return;
    const auto state = [](bool given) { return given ? " is given" : " is absent or null"; };
    std::string seen = "Pod";
    seen += state(pod_given_);
    seen.append(", NodeNameToVictims").append(state(victims_given_));
    seen.append(", NodeNameToMetaVictims").append(state(meta_victims_given_));
    fail(errc::pod_and_victims_required, std::move(seen));
}

/// Parses a block, or as far as `stop`, if a Node is expected there.
void args_parser::reader::parse(std::string_view block, std::size_t stop) {
    if (failure_.code != errc::success) return;
    block_ = block;
    at_ = node_at_ = 0;
    while (failure_.code == errc::success) {
        if (document_ != document::none) {
            resume();
            if (document_ != document::none) break;  // it goes on in the next block
            continue;
        }
        while (at_ < block_.size() && is_json_space(block_[at_])) ++at_;
        if (at_ == block_.size()) break;
        if (at_ == stop && (expected_ == expected::item || expected_ == expected::item_or_end))
            break;
        step(block_[at_]);
    }
    if (failure_.code == errc::success && document_ == document::node)
        sink_.on_node_part(block_.substr(node_at_));
    block_start_ += at_;
}

void args_parser::reader::step(char c) {
    switch (expected_) {
        case expected::root:
        case expected::value:
        case expected::item: return value(c);
        case expected::key_or_end:
            if (c == '}') return close(level_);
            [[fallthrough]];
        case expected::key:
            if (c != '"') return fail_structure("a key");
            return begin(document::key);
        case expected::colon:
            if (c != ':') return fail_structure("a colon");
            ++at_;
            expected_ = expected::value;
            return;
        case expected::item_or_end:
            if (c == ']') return close(level_);
            return value(c);
        case expected::comma_or_end:
            if (c == (in_array() ? ']' : '}')) return close(level_);
            if (c != ',') return fail_structure("a comma or the end");
            ++at_;
            expected_ = in_array() ? expected::item : expected::key;
            return;
        case expected::nothing:
            return fail(errc::trailing_data, "the JSON object ends before " + position());
    }
}

void args_parser::reader::value(char c) {
    const auto type = type_of(c);
    if (type.empty()) return fail_structure("a value");
    if (field_ == field::ignored) return begin(document::ignored);
    if (type == "null") return begin(document::ignored);

    const std::string_view right = field_ == field::items || field_ == field::node_names ? "array"
                                   : field_ == field::name                               ? "string"
                                                                                         : "object";
    if (type != right)
        return fail(errc::malformed_request, where(field_) + ": expected " + std::string(right) +
                                                 " or null, got " + std::string(type) + " at " +
                                                 position());
    const bool may_repeat = field_ == field::node_names && form_ == body_form::nodes;
    if (is_given(field_) && !may_repeat)
        return fail(errc::malformed_request, where(field_) + " is given twice, at " + position());

    switch (field_) {
        case field::root:
            ++at_;
            expected_ = expected::key_or_end;
            return;
        case field::nodes:
            ++at_;
            nodes_given_ = true;
            level_ = level::nodes;
            expected_ = expected::key_or_end;
            return;
        case field::items:
            ++at_;
            items_given_ = true;
            level_ = level::items;
            expected_ = expected::item_or_end;
            field_ = field::item;
            return;
        case field::pod: return begin(document::pod);
        case field::node_names:
            ++at_;
            node_names_given_ = true;
            names_ = 0;
            level_ = level::names;
            expected_ = expected::item_or_end;
            field_ = field::name;
            return;
        case field::name:
            if (!take_plain_names()) begin(document::name);
            return;
        case field::victims: return begin(document::victims);
        case field::meta_victims: return begin(document::meta_victims);
        case field::item: return begin(document::node);
        case field::ignored: return;
    }
}

bool args_parser::reader::is_given(field f) const noexcept {
    switch (f) {
        case field::pod: return pod_given_;
        case field::nodes: return nodes_given_;
        case field::items: return items_given_;
        case field::node_names: return node_names_given_;
        case field::victims: return victims_given_;
        case field::meta_victims: return meta_victims_given_;
        case field::root:
        case field::ignored:
        case field::item:
        case field::name: return false;
    }
    return false;
}

/// For Go null leaves nothing of a pointer or slice that was given before, and is a zero Node.
void args_parser::reader::null_value() {
    if (field_ == field::item) {
        sink_.on_node("null", {}, 0);
        ++items_;
    } else if (field_ == field::name) {
        take_name({});
    } else if (field_ == field::node_names && form_ == body_form::nodes) {
        node_names_given_ = false;
    } else if (is_given(field_)) {
        fail(errc::malformed_request, where(field_) + " is given twice, before " + position());
    }
}

void args_parser::reader::begin(document d) {
    document_ = d;
    switch (d) {
        case document::none: return;
        case document::key:
            key_.start();
            key_.handler().text.clear();
            return;
        case document::pod:
            pod_.start();
            pod_.handler().start();
            return;
        case document::name:
            name_.start();
            name_.handler().text.clear();
            return;
        case document::victims:
            victims_.start();
            victims_.handler().start();
            return;
        case document::meta_victims:
            meta_victims_.start();
            meta_victims_.handler().start();
            return;
        case document::ignored:
            (level_ == level::args ? ignored_in_args_ : ignored_in_nodes_).start();
            return;
        case document::node:
            node_->start();
            node_at_ = at_;
            return;
    }
}

/// Goes on with the document; document_ is none when it ends in this block.
void args_parser::reader::resume() {
    bool done = false;
    switch (document_) {
        case document::none: return;
        case document::key: done = run(key_); break;
        case document::pod:
            pod_.handler().input(block_.substr(at_));
            done = run(pod_);
            break;
        case document::name: done = run(name_); break;
        case document::victims: done = run(victims_); break;
        case document::meta_victims: done = run(meta_victims_); break;
        case document::ignored:
            done = run(level_ == level::args ? ignored_in_args_ : ignored_in_nodes_);
            break;
        case document::node: done = run(*node_); break;
    }
    if (done) finish_document();
}

template <class Parser>
bool args_parser::reader::run(Parser& parser) {
    boost::json::error_code ec;
    at_ += parser.write(block_.substr(at_), ec);
    if (ec) {
        std::string_view fault;
        if constexpr (requires { parser.handler().fault(); }) fault = parser.handler().fault();
        fail_document(ec, fault);
        return false;
    }
    return parser.done();
}

void args_parser::reader::finish_document() {
    const auto finished = document_;
    document_ = document::none;
    if (finished == document::key) return take_key();

    expected_ = level_ == level::items  ? expected::comma_or_end
                : field_ == field::root ? expected::nothing
                                        : expected::comma_or_end;
    switch (finished) {
        case document::pod: {
            pod_given_ = true;
            auto const& pod = pod_.handler();
            return sink_.on_pod(pod.facts(), pod.namespace_name(), pod.name());
        }
        case document::name: return take_name(name_.handler().text);
        case document::victims: victims_given_ = true; return;
        case document::meta_victims: meta_victims_given_ = true; return;
        case document::ignored: return null_value();
        case document::node: return finish_node();
        case document::none:
        case document::key: return;
    }
}

void args_parser::reader::finish_node() {
    const auto end = document_end(block_, at_);
    auto const& node = node_->handler();
    sink_.on_node(block_.substr(node_at_, end - node_at_), node.name(), node.memory_mib());
    ++items_;
}

/// The names from here on that are whole in this block and need no parser; false for none.
bool args_parser::reader::take_plain_names() {
    for (bool any = false;; any = true) {
        const auto rest = block_.substr(at_ + 1);
        const auto name = rest.substr(0, rest.find('"'));
        if (name.size() == rest.size() || !is_plain(name)) return any;
        take_name(name);
        at_ += name.size() + 2;
        expected_ = expected::comma_or_end;
        if (!block_.substr(at_).starts_with(",\"")) return true;
        ++at_;
        expected_ = expected::item;
    }
}

void args_parser::reader::take_name(std::string_view name) {
    ++names_;
    sink_.on_node_name(name);
}

void args_parser::reader::take_key() {
    const auto key = key_.handler().key;
    expected_ = expected::colon;
    if (level_ == level::nodes)
        field_ = names_field(key, "items") ? field::items : field::ignored;
    else
        field_ = args_field(key);
}

args_parser::reader::field args_parser::reader::args_field(std::string_view key) const {
    if (names_field(key, "pod")) return field::pod;
    if (form_ == body_form::preemption) {
        if (names_field(key, "nodenametovictims")) return field::victims;
        if (names_field(key, "nodenametometavictims")) return field::meta_victims;
    } else {
        if (names_field(key, "nodes")) return field::nodes;
        if (names_field(key, "nodenames")) return field::node_names;
    }
    return field::ignored;
}

void args_parser::reader::close(level l) {
    ++at_;
    expected_ = expected::comma_or_end;
    switch (l) {
        case level::items: level_ = level::nodes; return;
        case level::nodes: level_ = level::args; return;
        case level::names: level_ = level::args; return sink_.on_node_names_end();
        case level::args: expected_ = expected::nothing; return;
    }
}

void args_parser::reader::fail(errc code, std::string detail) {
    failure_ = {code, std::move(detail)};
}

void args_parser::reader::fail_structure(std::string_view what) {
    fail(errc::malformed_request, "malformed JSON at " + position() + ": expected " +
                                      std::string(what) + " of " +
                                      where(level_ == level::items   ? field::items
                                            : level_ == level::names ? field::node_names
                                            : level_ == level::nodes ? field::nodes
                                                                     : field::root));
}

void args_parser::reader::fail_document(boost::json::error_code ec, std::string_view fault) {
    const auto in = document_ == document::key ? std::string("a key") : where(field_);
    if (!fault.empty())
        fail(errc::malformed_request, in + ": " + std::string(fault) + ", near " + position());
    else
        fail(errc::malformed_request,
             "malformed JSON near " + position() + ", in " + in + ": " + ec.message());
}

std::string args_parser::reader::where(field f) const {
    switch (f) {
        case field::root:
            return form_ == body_form::preemption ? "ExtenderPreemptionArgs" : "ExtenderArgs";
        case field::ignored:
            return "a field of " + (level_ == level::args ? where(field::root) : "Nodes") +
                   " that is not read";
        case field::pod: return "Pod";
        case field::nodes: return "Nodes";
        case field::node_names: return "NodeNames";
        case field::victims: return "NodeNameToVictims";
        case field::meta_victims: return "NodeNameToMetaVictims";
        case field::items: return "Nodes.items";
        case field::item: return "Nodes.items[" + std::to_string(items_) + "]";
        case field::name: return "NodeNames[" + std::to_string(names_) + "]";
    }
    return {};
}

std::string args_parser::reader::position() const {
    return "byte " + std::to_string(block_start_ + at_);
}

args_parser::args_parser(policy_config const& config, args_sink& sink)
    : reader_(std::make_unique<reader>(config, sink)) {}
args_parser::~args_parser() = default;

void args_parser::start(body_form form) { reader_->start(form); }
std::span<char> args_parser::prepare() noexcept { return reader_->prepare(); }
errc args_parser::commit(std::size_t size) { return reader_->commit(size); }
errc args_parser::write(std::string_view bytes) { return reader_->write(bytes); }
errc args_parser::write(body_segment& segment) {
    const auto code = reader_->write(segment.text(), *segment.ahead_);
    segment.clear();
    return code;
}
errc args_parser::finish() { return reader_->finish(); }
diagnostics const& args_parser::failure() const noexcept { return reader_->failure(); }

}  // namespace nodesieve
