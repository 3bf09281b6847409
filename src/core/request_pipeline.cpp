#include <nodesieve/request_pipeline.hpp>

#include <nodesieve/response_writer.hpp>

#include <algorithm>
#include <array>
#include <cassert>
#include <functional>
#include <ranges>

namespace nodesieve {

std::string_view name_of(verb v) noexcept {
    switch (v) {
        case verb::filter: return "filter";
        case verb::prioritize: return "prioritize";
        case verb::preempt: return "preempt";
    }
    return {};
}

request_pipeline::request_pipeline(policy const& rules, limits const& bounds,
                                   invalid_pod_answer invalid_pod, names_reply named)
    : rules_(rules),
      bounds_(bounds),
      invalid_pod_(invalid_pod),
      names_reply_(named),
      parser_(rules.config(), *this) {}

void request_pipeline::start(verb v, named_nodes known) {
    verb_ = v;
    known_ = std::move(known);
    parser_.start(v == verb::preempt                            ? body_form::preemption
                  : known_.state == named_nodes::readiness::off ? body_form::nodes
                                                                : body_form::nodes_or_names);
    body_bytes_ = 0;
    node_count_ = 0;
    pod_error_.reset();
    requirement_ = {};
    pod_namespace_.clear();
    pod_name_.clear();
    nodes_before_pod_ = false;
    by_name_ = false;
    named_.assign(known_.index ? known_.index->places() : 0, false);
    named_twice_.reset();
    nodes_.clear();
    names_.clear();
    reply_.clear();
    counts_ = {};
    failure_ = {};
    if (verb_ == verb::filter) filter_result_writer(reply_).begin();
    if (verb_ == verb::preempt) preemption_result_writer(reply_).begin();
    node_text_at_ = reply_.size();
}

errc request_pipeline::commit(std::size_t size) {
    return receive(size, [&] { return parser_.commit(size); });
}

errc request_pipeline::write(std::string_view bytes) {
    return receive(bytes.size(), [&] { return parser_.write(bytes); });
}

errc request_pipeline::write(body_segment& segment) {
    const auto code = receive(segment.text().size(), [&] { return parser_.write(segment); });
    segment.clear();
    return code;
}

template <class Parse>
errc request_pipeline::receive(std::size_t size, Parse parse) {
    body_bytes_ += size;
    if (body_bytes_ > bounds_.max_body_bytes && failure_.code != errc::body_too_large)
        return fail(errc::body_too_large, "the body is larger than " +
                                              std::to_string(bounds_.max_body_bytes) +
                                              " bytes: raise --max-body-bytes");
    if (failure_.code == errc::success && parse() != errc::success) failure_ = parser_.failure();
    return failure_.code;
}

errc request_pipeline::finish() {
    if (failure_.code != errc::success) return failure_.code;
    if (parser_.finish() != errc::success) {
        failure_ = parser_.failure();
        return failure_.code;
    }
    if (verb_ == verb::preempt && known_.state == named_nodes::readiness::off)
        return fail(errc::node_cache_off,
                    "its bodies carry no nodes: run the extender with --node-cache=watch, or take "
                    "preemptVerb out of the KubeSchedulerConfiguration");
    if (node_count_ > bounds_.max_nodes)
        return fail(errc::too_many_nodes, std::to_string(node_count_) + " nodes are more than " +
                                              std::to_string(bounds_.max_nodes) +
                                              ": raise --max-nodes");
    if (check_names() != errc::success || check_pod() != errc::success) return failure_.code;
    if ((by_name_ || verb_ == verb::preempt) && known_.state == named_nodes::readiness::not_ready)
        return fail(errc::node_cache_not_ready, known_.why_not_ready);
    count_verdicts();
    return errc::success;
}

void request_pipeline::count_verdicts() {
    counts_ = {};
    for (auto const& n : nodes_) ++counts_[judge(n)];
}

bool request_pipeline::none_named_fits() const noexcept {
    return verb_ == verb::filter && by_name_ && failure_.code == errc::success &&
           pod_error_ == errc::success && !nodes_.empty() && counts_[verdict::fits] == 0;
}

void request_pipeline::judge_again(named_nodes known) {
    assert(none_named_fits() && known.index);
    known_ = std::move(known);
    named_.assign(known_.index->places(), false);
    look_up_names();
    count_verdicts();
}

void request_pipeline::compose() {
    assert(failure_.code == errc::success);
    switch (verb_) {
        case verb::filter: return by_name_ ? compose_names() : compose_nodes();
        case verb::prioritize: return compose_scores();
        case verb::preempt:
            if (nodes_before_pod_) drop_refused();
            return preemption_result_writer(reply_).end();
    }
}

void request_pipeline::compose_nodes() {
    if (nodes_before_pod_) drop_refused();
    filter_result_writer writer(reply_);
    writer.end_nodes();
    for (auto const& n : nodes_)
        if (const auto v = judge(n); v != verdict::fits) writer.failed(name_of(n), reason_of(v));
    writer.end();
}

void request_pipeline::compose_names() {
    reply_.clear();
    filter_names_writer writer(reply_);
    writer.begin();
    for (auto const& n : nodes_)
        if (judge(n) == verdict::fits) writer.passed(name_of(n));
    writer.end_passed();
    const bool tells_why = names_reply_ == names_reply::full || counts_[verdict::fits] == 0;
    for (auto const& n : tells_why ? std::span<node const>(nodes_) : std::span<node const>())
        if (const auto v = judge(n); v != verdict::fits) writer.failed(name_of(n), reason_of(v));
    writer.end();
}

void request_pipeline::compose_scores() {
    const auto score = [this](node const& n) {
        return rules_.extender_score(requirement_, std::max(0, n.memory_mib));
    };
    const bool compact = by_name_ && names_reply_ == names_reply::compact && !nodes_.empty();
    const auto lowest = compact ? std::ranges::min(nodes_ | std::views::transform(score)) : 0;
    host_priority_writer writer(reply_);
    writer.begin();
    for (auto const& n : nodes_)
        if (const auto s = score(n) - lowest; s > 0 || !compact) writer.host(name_of(n), s);
    writer.end();
}

void request_pipeline::compose_error() {
    assert(verb_ == verb::filter && failure_.code == errc::node_cache_not_ready);
    reply_.clear();
    filter_names_writer writer(reply_);
    writer.begin();
    writer.end_passed();
    writer.end(std::string(sentence(failure_.code)) + ": " + failure_.detail);
}

void request_pipeline::on_pod(pod_facts const& pod, std::string_view namespace_name,
                              std::string_view name) {
    pod_error_ = policy::requirement_of(&pod, requirement_);
    pod_namespace_ = namespace_name;
    pod_name_ = name;
}

void request_pipeline::on_node_part(std::string_view text) {
    if (keeps_text()) reply_.append(text);
}

void request_pipeline::on_node(std::string_view text, std::string_view name,
                               std::int32_t memory_mib) {
    if (++node_count_ > bounds_.max_nodes) return;
    auto n = add(name, memory_mib);
    if (keeps_text()) {
        reply_.append(text);
        keep_or_drop(n);
    }
    nodes_.push_back(n);
}

void request_pipeline::on_node_name(std::string_view name) {
    if (known_.state == named_nodes::readiness::off || ++node_count_ > bounds_.max_nodes) return;
    nodes_.push_back(add(name, unknown_node));
}

void request_pipeline::on_node_names_end() {
    by_name_ = known_.state != named_nodes::readiness::off;
    look_up_names();
}

/// The memory of all nodes, of which only names are there so far; notes a name that comes twice.
void request_pipeline::look_up_names() {
    if (!known_.index) return;
    std::array<std::string_view, node_index::batch> names;
    std::array<std::optional<node_index::node>, node_index::batch> found;
    for (std::size_t at = 0; at < nodes_.size(); at += names.size()) {
        const auto count = std::min(names.size(), nodes_.size() - at);
        for (std::size_t i = 0; i < count; ++i) names[i] = name_of(nodes_[at + i]);
        known_.index->find(std::span(names).first(count), std::span(found).first(count));
        for (std::size_t i = 0; i < count; ++i) nodes_[at + i].memory_mib = note(found[i], at + i);
    }
}

/// The memory of node `position`; notes a name that comes twice.
std::int32_t request_pipeline::note(std::optional<node_index::node> const& found,
                                    std::size_t position) {
    if (!found) return unknown_node;
    if (named_[found->place] && !named_twice_) named_twice_ = static_cast<std::uint32_t>(position);
    named_[found->place] = true;
    return found->memory_mib;
}

void request_pipeline::on_candidate(std::string_view name, std::span<std::string const> uids,
                                    std::int64_t violations) {
    if (++node_count_ > bounds_.max_nodes) return;
    auto n = add(name, known_.index ? note(known_.index->find(name), nodes_.size()) : unknown_node);
    if (keeps_text()) {
        preemption_result_writer(reply_).candidate(name, uids, violations);
        keep_or_drop(n);
    }
    nodes_.push_back(n);
}

request_pipeline::node request_pipeline::add(std::string_view name, std::int32_t memory_mib) {
    if (!pod_error_) nodes_before_pod_ = true;
    const node n{node_text_at_, 0, static_cast<std::uint32_t>(names_.size()),
                 static_cast<std::uint32_t>(name.size()), memory_mib};
    names_.append(name);
    return n;
}

/// The text of `n` ends reply_: cuts it off if the node is known not to fit.
void request_pipeline::keep_or_drop(node& n) {
    if (pod_error_ && judge(n) != verdict::fits) {
        reply_.truncate(node_text_at_);
        return;
    }
    n.text_size = reply_.size() - node_text_at_;
    reply_.append(',');
    node_text_at_ = reply_.size();
}

bool request_pipeline::keeps_text() const noexcept {
    return verb_ != verb::prioritize && node_count_ <= bounds_.max_nodes &&
           (!pod_error_ || pod_error_ == errc::success);
}

std::string_view request_pipeline::name_of(node const& n) const noexcept {
    return std::string_view(names_).substr(n.name_at, n.name_size);
}

std::string_view request_pipeline::reason_of(verdict v) const noexcept {
    return v == verdict::invalid_pod ? sentence(*pod_error_) : reason(v);
}

verdict request_pipeline::judge(node const& n) const noexcept {
    if (pod_error_ != errc::success) return verdict::invalid_pod;
    // A Pod without a minimum may evict wherever kube-scheduler says.
    const bool any_node = verb_ == verb::preempt && requirement_.min_memory_mib == 0;
    if (n.memory_mib == unknown_node && !any_node) return verdict::unknown_node;
    return policy::judge(requirement_, n.memory_mib);
}

/// Where a node stands in the request, for people.
std::string request_pipeline::place_of(std::uint32_t position) const {
    if (verb_ == verb::preempt) return "entry " + std::to_string(position) + " of the victims";
    return (by_name_ ? "NodeNames[" : "Nodes.items[") + std::to_string(position) + "]";
}

errc request_pipeline::check_names() {
    const bool named = by_name_ || verb_ == verb::preempt;
    const std::string field = named ? "name" : "metadata.name";
    order_.clear();
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
        const auto name = name_of(nodes_[i]);
        if (name.empty()) return fail(errc::bad_node_name, place_of(i) + " has no " + field);
        const bool checked = named && nodes_[i].memory_mib != unknown_node;  // by named_twice_
        if (!checked) order_.push_back({std::hash<std::string_view>{}(name), i});
    }
    const auto same_name = [&](std::uint32_t first, std::uint32_t second) {
        return fail(errc::bad_node_name,
                    place_of(first) + " and " + place_of(second) + " have the same " + field);
    };
    if (named_twice_) {
        const auto name = name_of(nodes_[*named_twice_]);
        const auto first = std::ranges::find(nodes_, name, [this](auto& n) { return name_of(n); });
        return same_name(static_cast<std::uint32_t>(first - nodes_.begin()), *named_twice_);
    }
    // Sorted rather than hashed into buckets: names that collide on purpose cost nothing more.
    const auto key = [this](name_order const& o) {
        return std::pair(o.hash, name_of(nodes_[o.node]));
    };
    std::ranges::sort(order_, {}, key);
    const auto twin = std::ranges::adjacent_find(order_, {}, key);
    if (twin == order_.end()) return errc::success;
    const auto [first, second] = std::minmax(twin->node, std::next(twin)->node);
    return same_name(first, second);
}

errc request_pipeline::check_pod() {
    if (*pod_error_ == errc::success) return errc::success;
    if (verb_ == verb::preempt) return errc::success;  // evicts nothing
    if (verb_ == verb::filter && invalid_pod_ == invalid_pod_answer::unschedulable)
        return errc::success;
    auto const& config = rules_.config();
    if (*pod_error_ == errc::invalid_minimum)
        return fail(*pod_error_, "the Pod's annotation " + config.min_memory_annotation +
                                     " is no integer in that range: write plain digits");
    return fail(*pod_error_, "the Pod has the annotation " + config.min_memory_annotation +
                                 " but its effective request for " + config.gpu_resource +
                                 " is not positive");
}

errc request_pipeline::fail(errc code, std::string detail) {
    failure_ = {code, std::move(detail)};
    return code;
}

/// Closes the gaps that nodes leave which were kept before the Pod was known.
void request_pipeline::drop_refused() {
    std::uint64_t end = 0;
    bool first = true;
    for (auto& n : nodes_) {
        if (first) end = n.text_at;
        first = false;
        if (judge(n) != verdict::fits) continue;
        const auto with_comma = n.text_size + 1;
        reply_.move_down(n.text_at, end, with_comma);
        n.text_at = end;
        end += with_comma;
    }
    if (!first) reply_.truncate(end);
}

}  // namespace nodesieve
