#include <nodesieve/request_pipeline.hpp>

#include <nodesieve/response_writer.hpp>

#include <algorithm>
#include <cassert>
#include <functional>

namespace nodesieve {

request_pipeline::request_pipeline(policy const& rules, limits const& bounds,
                                   invalid_pod_answer invalid_pod)
    : rules_(rules), bounds_(bounds), invalid_pod_(invalid_pod), parser_(rules.config(), *this) {}

void request_pipeline::start(verb v) {
    parser_.start();
    verb_ = v;
    body_bytes_ = 0;
    node_count_ = 0;
    pod_error_.reset();
    requirement_ = {};
    pod_namespace_.clear();
    pod_name_.clear();
    nodes_before_pod_ = false;
    nodes_.clear();
    names_.clear();
    reply_.clear();
    counts_ = {};
    failure_ = {};
    if (verb_ == verb::filter) filter_result_writer(reply_).begin();
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
    if (node_count_ > bounds_.max_nodes)
        return fail(errc::too_many_nodes, std::to_string(node_count_) + " nodes are more than " +
                                              std::to_string(bounds_.max_nodes) +
                                              ": raise --max-nodes");
    if (check_names() != errc::success || check_pod() != errc::success) return failure_.code;
    for (auto const& n : nodes_) ++counts_[judge(n)];
    return errc::success;
}

void request_pipeline::compose() {
    assert(failure_.code == errc::success);
    if (verb_ == verb::prioritize) {
        host_priority_writer writer(reply_);
        writer.begin();
        for (auto const& n : nodes_)
            writer.host(name_of(n), rules_.extender_score(requirement_, n.memory_mib));
        return writer.end();
    }
    if (nodes_before_pod_) drop_refused();
    filter_result_writer writer(reply_);
    writer.end_nodes();
    for (auto const& n : nodes_) {
        const auto v = judge(n);
        if (v == verdict::fits) continue;
        writer.failed(name_of(n), v == verdict::invalid_pod ? sentence(*pod_error_) : reason(v));
    }
    writer.end();
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
    node n{node_text_at_, 0, static_cast<std::uint32_t>(names_.size()),
           static_cast<std::uint32_t>(name.size()), memory_mib};
    names_.append(name);
    if (!pod_error_) nodes_before_pod_ = true;
    if (keeps_text()) {
        if (pod_error_ && judge(n) != verdict::fits) {
            reply_.truncate(node_text_at_);
        } else {
            reply_.append(text);
            n.text_size = reply_.size() - node_text_at_;
            reply_.append(',');
            node_text_at_ = reply_.size();
        }
    }
    nodes_.push_back(n);
}

bool request_pipeline::keeps_text() const noexcept {
    return verb_ == verb::filter && node_count_ <= bounds_.max_nodes &&
           (!pod_error_ || pod_error_ == errc::success);
}

std::string_view request_pipeline::name_of(node const& n) const noexcept {
    return std::string_view(names_).substr(n.name_at, n.name_size);
}

verdict request_pipeline::judge(node const& n) const noexcept {
    if (pod_error_ != errc::success) return verdict::invalid_pod;
    return policy::judge(requirement_, n.memory_mib);
}

errc request_pipeline::check_names() {
    order_.clear();
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
        const auto name = name_of(nodes_[i]);
        if (name.empty())
            return fail(errc::bad_node_name,
                        "Nodes.items[" + std::to_string(i) + "] has no metadata.name");
        order_.push_back({std::hash<std::string_view>{}(name), i});
    }
    // Sorted rather than hashed into buckets: names that collide on purpose cost nothing more.
    const auto key = [this](name_order const& o) {
        return std::pair(o.hash, name_of(nodes_[o.node]));
    };
    std::ranges::sort(order_, {}, key);
    const auto twin = std::ranges::adjacent_find(order_, {}, key);
    if (twin == order_.end()) return errc::success;
    const auto [first, second] = std::minmax(twin->node, std::next(twin)->node);
    return fail(errc::bad_node_name, "Nodes.items[" + std::to_string(first) + "] and [" +
                                         std::to_string(second) + "] have the same metadata.name");
}

errc request_pipeline::check_pod() {
    if (*pod_error_ == errc::success) return errc::success;
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
