#include "object_fields.hpp"

#include <algorithm>

namespace nodesieve {
namespace {

constexpr std::array metadata_fields{
    api_field_name{"resourceVersion", api_field::resource_version},
    api_field_name{"continue", api_field::continue_token},
};

std::string_view path_of(api_field f) {
    switch (f) {
        case api_field::unread: break;
        case api_field::metadata: return "metadata";
        case api_field::items: return "items";
        case api_field::object: return "object";
        case api_field::code: return "code";
        case api_field::type: return "type";
        case api_field::kind: return "kind";
        case api_field::resource_version: return "metadata.resourceVersion";
        case api_field::continue_token: return "metadata.continue";
        case api_field::reason: return "reason";
        case api_field::message: return "message";
    }
    return "a field that is not read";
}

std::string_view type_of(api_field f) {
    switch (f) {
        case api_field::metadata:
        case api_field::object: return "object";
        case api_field::items: return "array";
        case api_field::code: return "number";
        default: return "string";
    }
}

constexpr bool is_text(api_field f) noexcept { return f >= api_field::type; }

}  // namespace

void object_fields::start() {
    for (auto& text : texts_) text.clear();
    code_ = 0;
    key_.clear();
    place_ = place::outside;
    field_ = api_field::unread;
    ignored_depth_ = 0;
    fault_.clear();
}

bool object_fields::on_object_begin(error_code& ec) {
    if (ignored_depth_ > 0 || (place_ != place::outside && field_ == api_field::unread)) {
        ++ignored_depth_;
    } else if (place_ == place::outside) {
        place_ = place::object;
    } else if (field_ == api_field::metadata) {
        place_ = place::metadata;
        field_ = api_field::unread;
    } else {
        return wrong_type("object", ec);
    }
    return true;
}

bool object_fields::on_object_end(std::size_t, error_code&) {
    field_ = api_field::unread;
    if (ignored_depth_ > 0)
        --ignored_depth_;
    else
        place_ = place_ == place::metadata ? place::object : place::outside;
    return true;
}

bool object_fields::on_array_begin(error_code& ec) {
    if (field_ != api_field::unread) return wrong_type("array", ec);
    ++ignored_depth_;
    return true;
}

bool object_fields::on_key_part(string_view part, std::size_t, error_code&) {
    if (ignored_depth_ == 0) key_.append(part);
    return true;
}

bool object_fields::on_key(string_view last, std::size_t, error_code&) {
    if (ignored_depth_ > 0) return true;
    const std::string_view key = key_.finish(last);
    const auto fields = place_ == place::metadata ? std::span(metadata_fields) : read_;
    const auto found = std::ranges::find(fields, key, &api_field_name::key);
    field_ = found == fields.end() ? api_field::unread : found->field;
    texts_[static_cast<std::size_t>(field_)].clear();  // of two the last counts
    return true;
}

bool object_fields::on_int64(std::int64_t value, string_view, error_code& ec) {
    if (field_ != api_field::code) return number(ec);
    code_ = value >= 0 && value <= 999 ? static_cast<int>(value) : 0;
    return true;
}

bool object_fields::append(std::string_view part, error_code& ec) {
    if (field_ == api_field::unread) return true;
    if (!is_text(field_)) return wrong_type("string", ec);
    auto& text = texts_[static_cast<std::size_t>(field_)];
    if (field_ == api_field::message || field_ == api_field::reason) {
        text.append(part.substr(0, max_message_bytes - text.size()));
        return true;
    }
    if (part.size() > max_text_bytes - text.size()) {
        fault_ = std::string(path_of(field_)) + ": expected at most " +
                 std::to_string(max_text_bytes) + " bytes, got more";
        return refuse(ec);
    }
    text.append(part);
    return true;
}

bool object_fields::wrong_type(std::string_view seen, error_code& ec) {
    fault_ = std::string(path_of(field_)) + ": expected " + std::string(type_of(field_)) +
             ", got " + std::string(seen);
    return refuse(ec);
}

}  // namespace nodesieve
