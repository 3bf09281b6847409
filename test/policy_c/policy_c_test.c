/* The policy's C header from C, linked with nothing but libnodesieve_policy.a: what the scheduler
 * plugin relies on. The rules themselves are tested in test/unit and test/vectors. */
#include <nodesieve/policy.h>

#include <stdio.h>
#include <string.h>

static int failures = 0;

#define CHECK(condition)                                                                          \
    do {                                                                                          \
        if (!(condition)) {                                                                       \
            ++failures;                                                                           \
            fprintf(stderr, "%s:%d: %s: failed: %s\n", __FILE__, __LINE__, __func__, #condition); \
        }                                                                                         \
    } while (0)

static nodesieve_policy* default_policy(void) {
    nodesieve_policy_config config;
    nodesieve_policy_config_init(&config);
    return nodesieve_policy_create(&config, NULL, 0);
}

static nodesieve_decision decide(nodesieve_policy const* policy, nodesieve_requirement requirement,
                                 char const* label) {
    int32_t const memory = nodesieve_memory_read(label, label == NULL ? 0 : strlen(label));
    return nodesieve_policy_decide(policy, requirement, memory);
}

static void tells_the_defaults(void) {
    nodesieve_policy_config config;
    nodesieve_policy_config_init(&config);
    CHECK(strcmp(config.min_memory_annotation, "training.example.com/min-gpu-memory-mib") == 0);
    CHECK(config.node_memory_label_count == 1);
    CHECK(strcmp(config.node_memory_labels[0], "training.example.com/gpu-memory-mib") == 0);
    CHECK(strcmp(config.gpu_resource, "nvidia.com/gpu") == 0);
    CHECK(config.score_ceiling_mib == 81920);
    CHECK(config.prefer == NODESIEVE_PREFER_MOST);
}

static void expect_refusal(nodesieve_policy_config const* config, char const* expected) {
    char message[128] = "";
    nodesieve_policy* const policy = nodesieve_policy_create(config, message, sizeof message);
    CHECK(policy == NULL);
    if (strcmp(message, expected) != 0) {
        ++failures;
        fprintf(stderr, "expected \"%s\", got \"%s\"\n", expected, message);
    }
    nodesieve_policy_destroy(policy);
}

static void refuses_a_config_and_says_why(void) {
    nodesieve_policy_config defaults, config;
    nodesieve_policy_config_init(&defaults);

    config = defaults;
    config.score_ceiling_mib = 0;
    expect_refusal(&config, "score ceiling: expected 1 to 1048576 MiB, got 0");
    config.score_ceiling_mib = 1048577;
    expect_refusal(&config, "score ceiling: expected 1 to 1048576 MiB, got 1048577");
    config = defaults;
    config.node_memory_label_count = 0;
    expect_refusal(&config, "node memory labels: expected at least one, got none");
    config = defaults;
    config.min_memory_annotation = "";
    expect_refusal(&config, "minimum-memory annotation: expected a name, got none");
    config = defaults;
    config.gpu_resource = NULL;
    expect_refusal(&config, "GPU resource: expected a name, got none");
    config = defaults;
    config.prefer = 2;
    expect_refusal(&config, "score preference: expected most (0) or least (1), got 2");
}

static void cuts_the_message_to_its_room(void) {
    nodesieve_policy_config config;
    char message[6] = "??????";
    nodesieve_policy_config_init(&config);
    config.score_ceiling_mib = 0;
    CHECK(nodesieve_policy_create(&config, message, 5) == NULL);
    CHECK(strcmp(message, "scor") == 0);
    CHECK(message[5] == '?');
    CHECK(nodesieve_policy_create(&config, NULL, 0) == NULL);
}

static void keeps_its_own_copy_of_the_config(void) {
    nodesieve_policy_config config;
    char label[] = "example.com/memory";
    char const* labels[] = {label};
    nodesieve_requirement const gpu = {1, 0};
    nodesieve_policy* policy;
    nodesieve_policy_config_init(&config);
    config.node_memory_labels = labels;
    config.score_ceiling_mib = 1000;
    config.prefer = NODESIEVE_PREFER_LEAST;
    policy = nodesieve_policy_create(&config, NULL, 0);
    label[0] = '\0';
    labels[0] = NULL;
    config.score_ceiling_mib = 1;
    CHECK(decide(policy, gpu, "300").score == 70);
    nodesieve_policy_destroy(policy);
}

static void reads_a_requirement(void) {
    nodesieve_requirement seen = {7, 7};
    CHECK(nodesieve_requirement_read(1, "16384zzz", 5, &seen) == NODESIEVE_POD_OK);
    CHECK(seen.has_gpu == 1 && seen.min_memory_mib == 16384);
    CHECK(nodesieve_requirement_read(1, NULL, 0, &seen) == NODESIEVE_POD_OK);
    CHECK(seen.has_gpu == 1 && seen.min_memory_mib == 0);
    CHECK(nodesieve_requirement_read(0, NULL, 0, &seen) == NODESIEVE_POD_OK);
    CHECK(seen.has_gpu == 0 && seen.min_memory_mib == 0);
    CHECK(nodesieve_requirement_read(-1, NULL, 0, &seen) == NODESIEVE_POD_OK);
    CHECK(seen.has_gpu == 0 && seen.min_memory_mib == 0);
}

static void names_a_pods_fault_and_leaves_the_requirement_alone(void) {
    nodesieve_requirement seen = {7, 7};
    CHECK(nodesieve_requirement_read(1, "", 0, &seen) == NODESIEVE_INVALID_MINIMUM);
    CHECK(nodesieve_requirement_read(0, "8Gi", 3, &seen) == NODESIEVE_INVALID_MINIMUM);
    CHECK(nodesieve_requirement_read(0, "8", 1, &seen) == NODESIEVE_MINIMUM_WITHOUT_GPU);
    CHECK(nodesieve_requirement_read(-1, "8", 1, &seen) == NODESIEVE_MINIMUM_WITHOUT_GPU);
    CHECK(seen.has_gpu == 7 && seen.min_memory_mib == 7);
}

static void has_a_text_for_every_code(void) {
    CHECK(strcmp(nodesieve_pod_error_text(NODESIEVE_POD_OK), "") == 0);
    CHECK(strcmp(nodesieve_pod_error_text(NODESIEVE_MISSING_POD), "missing pod") == 0);
    CHECK(strcmp(nodesieve_pod_error_text(NODESIEVE_INVALID_MINIMUM),
                 "minimum GPU memory must be 1..1048576 MiB") == 0);
    CHECK(strcmp(nodesieve_pod_error_text(NODESIEVE_MINIMUM_WITHOUT_GPU),
                 "minimum GPU memory requires a positive GPU request") == 0);
    CHECK(strcmp(nodesieve_pod_error_text(99), "") == 0);
    CHECK(strcmp(nodesieve_verdict_text(NODESIEVE_FITS), "") == 0);
    CHECK(strcmp(nodesieve_verdict_text(NODESIEVE_INVALID_LABEL),
                 "missing or invalid administrator GPU-memory label") == 0);
    CHECK(strcmp(nodesieve_verdict_text(NODESIEVE_BELOW_MINIMUM),
                 "GPU memory label is below the required minimum") == 0);
    CHECK(strcmp(nodesieve_verdict_text(-1), "") == 0);
}

static void reads_a_nodes_memory(void) {
    CHECK(nodesieve_memory_read(NULL, 0) == 0);
    CHECK(nodesieve_memory_read("", 0) == 0);
    CHECK(nodesieve_memory_read("80Gi", 4) == 0);
    CHECK(nodesieve_memory_read("+0081920zzz", 8) == 81920);
    CHECK(nodesieve_memory_read("1048576", 7) == 1048576);
    CHECK(nodesieve_memory_read("1048577", 7) == 0);
}

static void judges_and_scores_a_node(void) {
    nodesieve_policy* const policy = default_policy();
    nodesieve_requirement const pod = {1, 40960};
    nodesieve_decision seen = decide(policy, pod, NULL);
    CHECK(seen.verdict == NODESIEVE_INVALID_LABEL && seen.score == 0);
    seen = decide(policy, pod, "");
    CHECK(seen.verdict == NODESIEVE_INVALID_LABEL && seen.score == 0);
    seen = decide(policy, pod, "80Gi");
    CHECK(seen.verdict == NODESIEVE_INVALID_LABEL && seen.score == 0);
    seen = decide(policy, pod, "20480");
    CHECK(seen.verdict == NODESIEVE_BELOW_MINIMUM && seen.score == 25);
    seen = decide(policy, pod, "40960");
    CHECK(seen.verdict == NODESIEVE_FITS && seen.score == 50);
    nodesieve_policy_destroy(policy);
}

/* Over every pair of a requirement and a label that can differ: the two predicates tell the truth.
 */
static void tells_when_there_is_nothing_to_ask(void) {
    static nodesieve_requirement const pods[] = {{0, 0}, {1, 0}, {1, 1}, {1, 1048576}};
    static char const* const labels[] = {NULL, "", "1", "40960", "1048575", "1048576"};
    nodesieve_policy* const policy = default_policy();
    size_t i, j;
    for (i = 0; i < sizeof pods / sizeof *pods; ++i) {
        bool filters = false, scores = false;
        for (j = 0; j < sizeof labels / sizeof *labels; ++j) {
            nodesieve_decision const seen = decide(policy, pods[i], labels[j]);
            filters = filters || seen.verdict != NODESIEVE_FITS;
            scores = scores || seen.score != 0;
        }
        CHECK(nodesieve_requirement_filters(pods[i]) == filters);
        CHECK(nodesieve_requirement_scores(pods[i]) == scores);
    }
    nodesieve_policy_destroy(policy);
}

int main(void) {
    tells_the_defaults();
    refuses_a_config_and_says_why();
    cuts_the_message_to_its_room();
    keeps_its_own_copy_of_the_config();
    reads_a_requirement();
    names_a_pods_fault_and_leaves_the_requirement_alone();
    has_a_text_for_every_code();
    reads_a_nodes_memory();
    judges_and_scores_a_node();
    tells_when_there_is_nothing_to_ask();
    nodesieve_policy_destroy(NULL);
    return failures == 0 ? 0 : 1;
}
