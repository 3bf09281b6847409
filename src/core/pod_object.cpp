#include "pod_object.hpp"

#include <algorithm>
#include <functional>

namespace nodesieve {
namespace {

/// Longest name of a Kubernetes object, RFC 1123 subdomain.
constexpr std::size_t max_name_size = 253;
/// The restartPolicy that makes an init container a sidecar.
constexpr std::string_view always = "Always";

void append_name(std::string& name, std::string_view part) {
    name.append(part.substr(0, max_name_size - name.size()));
}

bool lies_in(std::string_view part, std::string_view whole) {
    const std::less_equal<const char*> not_after;
    return not_after(whole.data(), part.data()) &&
           not_after(part.data() + part.size(), whole.data() + whole.size());
}

}  // namespace

void pod_object::input(std::string_view piece) {
    constexpr std::size_t longest_start_of_a_character = 3;
    before_input_.swap(input_end_);
    input_end_ = piece.substr(piece.size() - std::min(piece.size(), longest_start_of_a_character));
    input_ = piece;
}

/// Whether a part is text as received: it lies in the piece, or starts with a character of which
/// the first bytes came with the piece before, which the parser puts together elsewhere.
bool pod_object::is_raw(std::string_view part) const {
    if (part.empty() || lies_in(part, input_)) return true;
    for (std::size_t size = 1; size <= before_input_.size() && size < part.size(); ++size)
        if (before_input_.ends_with(part.substr(0, size)) && input_.starts_with(part.substr(size)))
            return true;
    return false;
}

void pod_object::start() {
    input_ = {};
    input_end_.clear();
    before_input_.clear();
    name_.clear();
    namespace_.clear();
    minimum_.reset();
    requests_ = {};
    overhead_.reset();
    containers_given_ = init_containers_given_ = false;
    key_.clear();
    place_ = place::outside;
    field_ = field::unread;
    ignored_depth_ = 0;
    fault_.clear();
}

pod_facts pod_object::facts() const {
    auto requests = requests_;
    requests.set_overhead(overhead_);
    const auto total = requests.total();
    pod_facts facts{.has_gpu = total && total->sign() > 0, .minimum_mib = {}};
    if (minimum_) facts.minimum_mib = minimum_->value();
    return facts;
}

bool pod_object::on_object_begin(error_code& ec) {
    if (ignored_depth_ > 0) {
        ++ignored_depth_;
        return true;
    }
    if (place_ == place::outside) {
        place_ = place::pod;
        return true;
    }
    switch (field_) {
        case field::unread: ignored_depth_ = 1; return true;
        case field::metadata: place_ = place::metadata; return true;
        case field::annotations: place_ = place::annotations; return true;
        case field::spec: place_ = place::spec; return true;
        case field::container:
            place_ = place::container;
            request_.reset();
            is_sidecar_ = false;
            return true;
        case field::resources: place_ = place::resources; return true;
        case field::requests: place_ = place::requests; return true;
        case field::overhead: place_ = place::overhead; return true;
        case field::name:
        case field::namespace_name:
        case field::minimum:
        case field::containers:
        case field::init_containers:
        case field::restart_policy:
        case field::gpu: break;
    }
    return wrong_type("object", ec);
}

bool pod_object::on_object_end(std::size_t, error_code&) {
    field_ = field::unread;
    if (ignored_depth_ > 0) {
        --ignored_depth_;
        return true;
    }
    switch (place_) {
        case place::outside:
        case place::containers: break;  // an array: does not end here
        case place::pod: place_ = place::outside; break;
        case place::metadata:
        case place::spec: place_ = place::pod; break;
        case place::annotations: place_ = place::metadata; break;
        case place::overhead: place_ = place::spec; break;
        case place::resources: place_ = place::container; break;
        case place::requests: place_ = place::resources; break;
        case place::container:
            finish_container();
            place_ = place::containers;
            field_ = field::container;
            break;
    }
    return true;
}

bool pod_object::on_array_begin(error_code& ec) {
    if (ignored_depth_ > 0 || field_ == field::unread) {
        ++ignored_depth_;
        return true;
    }
    if (field_ != field::containers && field_ != field::init_containers)
        return wrong_type("array", ec);
    in_init_ = field_ == field::init_containers;
    auto& given = in_init_ ? init_containers_given_ : containers_given_;
    if (given) return given_twice(ec);
    given = true;
    place_ = place::containers;
    field_ = field::container;
    return true;
}

bool pod_object::on_array_end(std::size_t, error_code&) {
    field_ = field::unread;
    if (ignored_depth_ > 0)
        --ignored_depth_;
    else
        place_ = place::spec;
    return true;
}

bool pod_object::on_key_part(string_view part, std::size_t, error_code&) {
    if (ignored_depth_ == 0) key_.append(part);
    return true;
}

bool pod_object::on_key(string_view last, std::size_t, error_code&) {
    if (ignored_depth_ > 0) return true;
    field_ = field_of(key_.finish(last));
    text_.clear();
    is_escaped_ = false;
    if (field_ == field::name) name_.clear();
    if (field_ == field::namespace_name) namespace_.clear();
    if (field_ == field::minimum) minimum_.emplace();
    return true;
}

pod_object::field pod_object::field_of(std::string_view key) const {
    switch (place_) {
        case place::pod:
            if (names_field(key, "metadata")) return field::metadata;
            if (names_field(key, "spec")) return field::spec;
            break;
        case place::metadata:
            if (names_field(key, "annotations")) return field::annotations;
            if (names_field(key, "name")) return field::name;
            if (names_field(key, "namespace")) return field::namespace_name;
            break;
        case place::annotations:
            if (key == config_.min_memory_annotation) return field::minimum;
            break;
        case place::spec:
            if (names_field(key, "containers")) return field::containers;
            if (names_field(key, "initcontainers")) return field::init_containers;
            if (names_field(key, "overhead")) return field::overhead;
            break;
        case place::container:
            if (names_field(key, "resources")) return field::resources;
            if (names_field(key, "restartpolicy")) return field::restart_policy;
            break;
        case place::resources:
            if (names_field(key, "requests")) return field::requests;
            break;
        case place::requests:
        case place::overhead:
            if (key == config_.gpu_resource) return field::gpu;
            break;
        case place::outside:
        case place::containers: break;
    }
    return field::unread;
}

void pod_object::finish_container() {
    if (in_init_)
        requests_.add_init_container(request_, is_sidecar_);
    else
        requests_.add_container(request_);
}

bool pod_object::text(std::string_view part, error_code& ec) {
    switch (field_) {
        case field::unread: return true;
        case field::name: append_name(name_, part); return true;
        case field::namespace_name: append_name(namespace_, part); return true;
        case field::minimum: minimum_->append(part); return true;
        case field::restart_policy:
            if (text_.size() <= always.size()) text_.append(part.substr(0, always.size() + 1));
            return true;
        case field::gpu:
            if (!is_raw(part)) is_escaped_ = true;
            text_.append(part);
            return true;
        default: return wrong_type("string", ec);
    }
}

bool pod_object::on_string(string_view last, std::size_t, error_code& ec) {
    if (!text(last, ec)) return false;
    if (field_ == field::restart_policy) is_sidecar_ = text_ == always;
    return field_ != field::gpu || finish_quantity(ec);
}

bool pod_object::number(std::string_view part, bool last, error_code& ec) {
    if (field_ == field::unread) return true;
    if (field_ != field::gpu) return wrong_type("number", ec);
    text_.append(part);
    return !last || finish_quantity(ec);
}

bool pod_object::finish_quantity(error_code& ec) {
    auto amount = is_escaped_ ? std::nullopt : quantity::parse(text_);
    if (!amount) {
        fault_ = std::string(place_ == place::overhead ? "spec.overhead" : path(field::requests));
        fault_.append("[\"").append(config_.gpu_resource).append("\"] is no quantity");
        return refuse(ec);
    }
    (place_ == place::overhead ? overhead_ : request_) = std::move(amount);
    return true;
}

bool pod_object::on_bool(bool, error_code& ec) {
    return field_ == field::unread || wrong_type("bool", ec);
}

bool pod_object::on_null(error_code& ec) {
    // For Go null leaves a string or a struct as it is, empties a map or a pointer, and is the zero
    // value as a map's value.
    switch (field_) {
        case field::containers:
            if (containers_given_) return given_twice(ec);
            break;
        case field::init_containers:
            if (init_containers_given_) return given_twice(ec);
            break;
        case field::annotations: minimum_.reset(); break;
        case field::requests: request_.reset(); break;
        case field::overhead: overhead_.reset(); break;
        case field::restart_policy: is_sidecar_ = false; break;
        case field::gpu: (place_ == place::overhead ? overhead_ : request_).emplace(); break;
        case field::container:
            request_.reset();
            is_sidecar_ = false;
            finish_container();
            break;
        default: break;
    }
    return true;
}

/// Go would merge the second into the first.
bool pod_object::given_twice(error_code& ec) {
    fault_ = std::string(path(field_)) + " is given twice";
    return refuse(ec);
}

std::string_view pod_object::path(field f) {
    switch (f) {
        case field::unread: break;
        case field::metadata: return "metadata";
        case field::name: return "metadata.name";
        case field::namespace_name: return "metadata.namespace";
        case field::annotations: return "metadata.annotations";
        case field::minimum: return "metadata.annotations: the minimum-memory annotation";
        case field::spec: return "spec";
        case field::containers: return "spec.containers";
        case field::init_containers: return "spec.initContainers";
        case field::container: return "spec: an element of containers or initContainers";
        case field::resources: return "spec: a container's resources";
        case field::requests: return "spec: a container's resources.requests";
        case field::restart_policy: return "spec: a container's restartPolicy";
        case field::overhead: return "spec.overhead";
        case field::gpu: return "spec: a request or overhead for the GPU resource";
    }
    return {};
}

bool pod_object::wrong_type(std::string_view seen, error_code& ec) {
    std::string_view expected = "object or null";
    switch (field_) {
        case field::containers:
        case field::init_containers: expected = "array or null"; break;
        case field::name:
        case field::namespace_name:
        case field::minimum:
        case field::restart_policy: expected = "string or null"; break;
        case field::gpu: expected = "string, number or null"; break;
        default: break;
    }
    fault_.assign(path(field_)).append(": expected ").append(expected);
    fault_.append(", got ").append(seen);
    return refuse(ec);
}

}  // namespace nodesieve
