#include "node_object.hpp"

#include <algorithm>

namespace nodesieve {

void node_object::start() {
    clear_labels();
    name_.clear();
    key_.clear();
    place_ = place::outside;
    field_ = field::unread;
    ignored_depth_ = 0;
    fault_.clear();
}

std::int32_t node_object::memory_mib() const noexcept {
    const auto first = std::ranges::find_if(labels_, &label::present);
    return first == labels_.end() ? 0 : first->value.value();
}

bool node_object::begin_object(error_code& ec) {
    if (place_ == place::outside) {
        place_ = place::node;
    } else if (field_ == field::metadata) {
        place_ = place::metadata;  // a repeated one merges
    } else if (field_ == field::labels) {
        place_ = place::labels;
    } else if (field_ == field::unread) {
        ignored_depth_ = 1;
    } else {
        return wrong_type("object", ec);
    }
    return true;
}

void node_object::end_object() {
    field_ = field::unread;
    place_ = static_cast<place>(static_cast<int>(place_) - 1);
}

void node_object::take_key(std::string_view last) {
    const auto key = key_.finish(last);
    field_ = field::unread;
    switch (place_) {
        case place::outside: break;
        case place::node:
            if (names_field(key, "metadata")) field_ = field::metadata;
            break;
        case place::metadata:
            if (names_field(key, "name")) {
                field_ = field::name;
                name_begun_ = false;
            } else if (names_field(key, "labels")) {
                field_ = field::labels;
            }
            break;
        case place::labels:
            for (std::size_t i = 0; i < label_names_.size(); ++i) {
                if (key != label_names_[i]) continue;
                field_ = field::label;
                label_ = i;
                labels_[i] = {.present = true, .value = {}};
                break;
            }
            break;
    }
}

bool node_object::text(std::string_view part, error_code& ec) {
    switch (field_) {
        case field::name:
            if (!name_begun_) name_.clear();
            name_begun_ = true;
            name_.append(part);
            return true;
        case field::label: labels_[label_].value.append(part); return true;
        case field::unread:
        case field::metadata:
        case field::labels: break;
    }
    return wrong_type("string", ec);
}

// For Go null leaves a string or a struct as it is, empties a map, and is "" as a map's value: only
// the map is something to do.
void node_object::clear_labels() { std::ranges::fill(labels_, label{}); }

bool node_object::wrong_type(std::string_view seen, error_code& ec) {
    const bool is_text = field_ == field::name || field_ == field::label;
    fault_ = field_ == field::metadata ? "metadata"
             : field_ == field::name   ? "metadata.name"
                                       : "metadata.labels";
    if (field_ == field::label) fault_.append("[\"").append(label_names_[label_]).append("\"]");
    fault_.append(": expected ").append(is_text ? "string" : "object");
    fault_.append(" or null, got ").append(seen);
    return refuse(ec);
}

}  // namespace nodesieve
