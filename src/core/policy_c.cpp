#include <nodesieve/policy.h>
#include <nodesieve/policy.hpp>

#include <algorithm>
#include <cstring>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

struct nodesieve_policy {
    nodesieve::policy rules;
};

namespace {

using nodesieve::errc;
using nodesieve::pod_requirement;
using nodesieve::verdict;

/// The first label of `defaults` lives as an array for as long as the program, as the texts do.
struct default_config {
    nodesieve::policy_config config;
    char const* label = config.node_memory_labels.front().c_str();
};

default_config const& defaults() {
    static default_config const result;
    return result;
}

std::string name(char const* text, std::string_view what) {
    if (text == nullptr || *text == '\0')
        throw std::invalid_argument(std::string(what) + ": expected a name, got none");
    return text;
}

nodesieve::policy_config config_of(nodesieve_policy_config const& from) {
    nodesieve::policy_config config;
    config.min_memory_annotation = name(from.min_memory_annotation, "minimum-memory annotation");
    if (from.node_memory_labels == nullptr || from.node_memory_label_count == 0)
        throw std::invalid_argument("node memory labels: expected at least one, got none");
    config.node_memory_labels.clear();
    for (std::size_t i = 0; i < from.node_memory_label_count; ++i)
        config.node_memory_labels.push_back(name(from.node_memory_labels[i], "node memory label"));
    config.gpu_resource = name(from.gpu_resource, "GPU resource");
    config.score_ceiling_mib = from.score_ceiling_mib;
    if (config.score_ceiling_mib < 1 || config.score_ceiling_mib > nodesieve::max_memory_mib)
        throw std::invalid_argument("score ceiling: expected 1 to " +
                                    std::to_string(nodesieve::max_memory_mib) + " MiB, got " +
                                    std::to_string(config.score_ceiling_mib));
    switch (from.prefer) {
        case NODESIEVE_PREFER_MOST: config.prefer = nodesieve::score_preference::most; break;
        case NODESIEVE_PREFER_LEAST: config.prefer = nodesieve::score_preference::least; break;
        default:
            throw std::invalid_argument("score preference: expected most (0) or least (1), got " +
                                        std::to_string(from.prefer));
    }
    return config;
}

void copy_message(char const* text, char* message, std::size_t size) noexcept {
    if (size == 0) return;
    const auto length = std::min(std::strlen(text), size - 1);
    std::memcpy(message, text, length);
    message[length] = '\0';
}

pod_requirement requirement_of(nodesieve_requirement const& r) noexcept {
    return {r.has_gpu != 0, r.min_memory_mib};
}

}  // namespace

extern "C" {

void nodesieve_policy_config_init(nodesieve_policy_config* config) try {
    auto const& from = defaults();
    config->min_memory_annotation = from.config.min_memory_annotation.c_str();
    config->node_memory_labels = &from.label;
    config->node_memory_label_count = 1;
    config->gpu_resource = from.config.gpu_resource.c_str();
    config->score_ceiling_mib = from.config.score_ceiling_mib;
    config->prefer = from.config.prefer == nodesieve::score_preference::most
                         ? NODESIEVE_PREFER_MOST
                         : NODESIEVE_PREFER_LEAST;
} catch (std::exception const&) {
    *config = {};  // out of memory: nodesieve_policy_create() refuses it
}

nodesieve_policy* nodesieve_policy_create(nodesieve_policy_config const* config, char* message,
                                          size_t message_size) try {
    return new nodesieve_policy{nodesieve::policy(config_of(*config))};
} catch (std::exception const& error) {
    copy_message(error.what(), message, message_size);
    return nullptr;
}

void nodesieve_policy_destroy(nodesieve_policy* policy) { delete policy; }

nodesieve_pod_error nodesieve_requirement_read(int gpu_sign, char const* annotation,
                                               size_t annotation_size,
                                               nodesieve_requirement* requirement) {
    nodesieve::pod_facts pod{.has_gpu = gpu_sign > 0, .minimum_mib = std::nullopt};
    if (annotation != nullptr)
        pod.minimum_mib = nodesieve::parse_mib({annotation, annotation_size});
    pod_requirement result;
    switch (nodesieve::policy::requirement_of(&pod, result)) {
        case errc::invalid_minimum: return NODESIEVE_INVALID_MINIMUM;
        case errc::minimum_without_gpu: return NODESIEVE_MINIMUM_WITHOUT_GPU;
        default: break;  // the other errors are not a Pod's, and a Pod is there
    }
    *requirement = {.has_gpu = result.has_gpu ? 1 : 0, .min_memory_mib = result.min_memory_mib};
    return NODESIEVE_POD_OK;
}

char const* nodesieve_pod_error_text(int32_t error) {
    switch (error) {
        case NODESIEVE_MISSING_POD: return sentence(errc::missing_pod).data();
        case NODESIEVE_INVALID_MINIMUM: return sentence(errc::invalid_minimum).data();
        case NODESIEVE_MINIMUM_WITHOUT_GPU: return sentence(errc::minimum_without_gpu).data();
    }
    return "";
}

bool nodesieve_requirement_filters(nodesieve_requirement requirement) {
    return nodesieve::policy::filters(requirement_of(requirement));
}

bool nodesieve_requirement_scores(nodesieve_requirement requirement) {
    return nodesieve::policy::scores(requirement_of(requirement));
}

int32_t nodesieve_memory_read(char const* label, size_t label_size) {
    return label == nullptr ? 0 : nodesieve::parse_mib({label, label_size});
}

nodesieve_decision nodesieve_policy_decide(nodesieve_policy const* policy,
                                           nodesieve_requirement requirement, int32_t memory_mib) {
    const auto pod = requirement_of(requirement);
    nodesieve_decision decision{.verdict = NODESIEVE_FITS,
                                .score = policy->rules.score(pod, memory_mib)};
    switch (nodesieve::policy::judge(pod, memory_mib)) {
        case verdict::invalid_label: decision.verdict = NODESIEVE_INVALID_LABEL; break;
        case verdict::below_minimum: decision.verdict = NODESIEVE_BELOW_MINIMUM; break;
        default: break;  // judge() knows no other
    }
    return decision;
}

char const* nodesieve_verdict_text(int32_t verdict) {
    switch (verdict) {
        case NODESIEVE_INVALID_LABEL: return reason(verdict::invalid_label).data();
        case NODESIEVE_BELOW_MINIMUM: return reason(verdict::below_minimum).data();
    }
    return "";
}

}  // extern "C"
