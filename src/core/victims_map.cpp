#include "victims_map.hpp"

#include <span>

namespace nodesieve {

void victims_map::start() {
    place_ = place::outside;
    field_ = field::unread;
    ignored_depth_ = 0;
    key_.clear();
    node_.clear();
    uid_begun_ = false;
    fault_.clear();
}

bool victims_map::begin_object(error_code& ec) {
    if (place_ == place::outside) {
        place_ = place::map;
        return true;
    }
    switch (field_) {
        case field::unread: ignored_depth_ = 1; return true;
        case field::candidate: place_ = place::candidate; break;
        case field::pod:
            place_ = place::pod;
            begin_victim();
            break;
        case field::metadata: place_ = place::metadata; break;  // a repeated one merges
        case field::pods:
        case field::violations:
        case field::uid: return wrong_type("object", ec);
    }
    field_ = field::unread;
    return true;
}

void victims_map::end_object() {
    field_ = field::unread;
    switch (place_) {
        case place::metadata: place_ = place::pod; return;
        case place::pod:
            place_ = place::pods;
            field_ = field::pod;
            return;
        case place::candidate: return end_candidate();
        case place::map: place_ = place::outside; return;
        case place::pods:
        case place::outside: return;
    }
}

bool victims_map::begin_array(error_code& ec) {
    if (field_ == field::unread) {
        ignored_depth_ = 1;
        return true;
    }
    if (field_ != field::pods) return wrong_type("array", ec);
    if (pods_given_) {
        fault_ = "Pods is given twice for a node";
        return refuse(ec);
    }
    pods_given_ = true;
    place_ = place::pods;
    field_ = field::pod;
    uid_count_ = 0;
    return true;
}

void victims_map::take_key(std::string_view last) {
    if (place_ == place::map) {
        node_.append(last);
        field_ = field::candidate;
        violations_ = 0;
        uid_count_ = 0;
        pods_given_ = false;
        return;
    }
    const auto key = key_.finish(last);
    field_ = field::unread;
    if (place_ == place::candidate) {
        if (names_field(key, "pods")) field_ = field::pods;
        if (names_field(key, "numpdbviolations")) field_ = field::violations;
    } else if (place_ == place::pod && form_ == form::victims) {
        if (names_field(key, "metadata")) field_ = field::metadata;
    } else if (names_field(key, "uid")) {
        field_ = field::uid;
    }
}

void victims_map::begin_victim() {
    if (uid_count_ == uids_.size()) uids_.emplace_back();
    uids_[uid_count_++].clear();
}

void victims_map::end_candidate() {
    place_ = place::map;
    field_ = field::unread;
    sink_.on_candidate(node_, std::span(uids_.data(), uid_count_), violations_);
    node_.clear();
}

bool victims_map::text(std::string_view part, error_code& ec) {
    if (ignored_depth_ > 0 || field_ == field::unread) return true;
    if (field_ != field::uid) return wrong_type("string", ec);
    auto& uid = uids_[uid_count_ - 1];
    if (!uid_begun_) uid.clear();
    uid_begun_ = true;
    uid.append(part);
    return true;
}

/// For Go null is a pointer to nothing or an empty slice, and leaves a number, a string or a struct
/// as it is.
void victims_map::null() {
    if (field_ == field::candidate) end_candidate();
    if (field_ == field::pods) uid_count_ = 0;
    if (field_ == field::pod) begin_victim();
}

bool victims_map::wrong_type(std::string_view seen, error_code& ec) {
    std::string_view expected = "object or null";
    switch (field_) {
        case field::unread: break;
        case field::candidate: fault_ = "a node's value"; break;
        case field::pods:
            fault_ = "Pods";
            expected = "array or null";
            break;
        case field::violations:
            fault_ = "NumPDBViolations";
            expected = "integer or null";
            break;
        case field::pod: fault_ = "an element of Pods"; break;
        case field::metadata: fault_ = "Pods[].metadata"; break;
        case field::uid:
            fault_ = form_ == form::victims ? "Pods[].metadata.uid" : "Pods[].UID";
            expected = "string or null";
            break;
    }
    fault_.append(": expected ").append(expected).append(", got ").append(seen);
    return refuse(ec);
}

}  // namespace nodesieve
