/*
 * The GPU-memory policy (policy.hpp) for programs that are not C++: what a Pod requires, whether a
 * node fits, and its score. Nothing else of nodesieve: whoever calls reads Pods and Nodes itself.
 *
 * Call order: nodesieve_policy_config_init(), change what differs, nodesieve_policy_create(); then
 * nodesieve_requirement_read() for each Pod, nodesieve_memory_read() for each node, and
 * nodesieve_policy_decide() for each pair of them.
 *
 * Threads: a policy does not change, so any number of threads may use one at a time. Ownership:
 * what is passed in is read during the call only; texts that come back are constants, end with a
 * NUL and need no freeing, unless said otherwise. No function throws or ends the process.
 *
 * Link libnodesieve_policy.a and the C++ standard library.
 */
#ifndef NODESIEVE_POLICY_H
#define NODESIEVE_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which of the nodes that fit is better. */
typedef enum nodesieve_preference {
    NODESIEVE_PREFER_MOST,  /* the one with the most memory */
    NODESIEVE_PREFER_LEAST, /* the one with the least, so that large GPUs stay free */
} nodesieve_preference;

/* The names that the policy goes by, and its scale. */
typedef struct nodesieve_policy_config {
    char const* min_memory_annotation;
    /* At least one; the first of them that a node carries decides. */
    char const* const* node_memory_labels;
    size_t node_memory_label_count;
    char const* gpu_resource;
    int32_t score_ceiling_mib; /* the memory that scores 100; 1 to 1048576 */
    int32_t prefer;            /* a nodesieve_preference */
} nodesieve_policy_config;

/* Fills in the defaults; their texts are constants. */
void nodesieve_policy_config_init(nodesieve_policy_config* config);

typedef struct nodesieve_policy nodesieve_policy;

/* Makes a policy, which nodesieve_policy_destroy() frees. For a config that cannot be used, or
 * without memory, it returns NULL and writes what was seen and what was expected to `message`, in
 * one line that ends with a NUL and is cut to message_size bytes; `message` may be NULL if
 * message_size is 0. */
nodesieve_policy* nodesieve_policy_create(nodesieve_policy_config const* config, char* message,
                                          size_t message_size);

/* NULL is ignored. */
void nodesieve_policy_destroy(nodesieve_policy* policy);

/* What a Pod asks of a node. Pods with equal members are treated alike on every node. */
typedef struct nodesieve_requirement {
    int32_t has_gpu;        /* 0 or 1: the effective request for the GPU resource is positive */
    int32_t min_memory_mib; /* 0: no minimum */
} nodesieve_requirement;

/* Why a Pod is refused, whatever the node. */
typedef enum nodesieve_pod_error {
    NODESIEVE_POD_OK,
    NODESIEVE_MISSING_POD,         /* for callers that were given no Pod; never returned here */
    NODESIEVE_INVALID_MINIMUM,     /* the annotation is not an integer in 1..1048576 */
    NODESIEVE_MINIMUM_WITHOUT_GPU, /* a minimum, but no positive GPU request */
} nodesieve_pod_error;

/* Reads a Pod. gpu_sign: below, equal to or above 0 as the Pod's effective request for the GPU
 * resource (PodRequests of k8s.io/component-helpers/resource) is; 0 where it has none. annotation:
 * the text of the minimum-memory annotation, which need not end with a NUL; NULL where the Pod has
 * none, which is not the same as an empty one. Writes to *requirement on success only. */
nodesieve_pod_error nodesieve_requirement_read(int gpu_sign, char const* annotation,
                                               size_t annotation_size,
                                               nodesieve_requirement* requirement);

/* The sentence for users of a nodesieve_pod_error; empty for NODESIEVE_POD_OK. */
char const* nodesieve_pod_error_text(int32_t error);

/* False: every node fits, so there is no need to ask. */
bool nodesieve_requirement_filters(nodesieve_requirement requirement);

/* False: every node scores 0. */
bool nodesieve_requirement_scores(nodesieve_requirement requirement);

/* The memory that a node's label states, in MiB, 1 to 1048576; 0 for a label that is no such
 * integer, and for none. label: the value of the first of the config's labels that the node
 * carries, which need not end with a NUL; NULL where it carries none of them. */
int32_t nodesieve_memory_read(char const* label, size_t label_size);

/* What the policy says of one node. */
typedef enum nodesieve_verdict {
    NODESIEVE_FITS,
    NODESIEVE_INVALID_LABEL, /* no memory label, or one that is no integer in 1..1048576 */
    NODESIEVE_BELOW_MINIMUM, /* a memory label below the Pod's minimum */
} nodesieve_verdict;

typedef struct nodesieve_decision {
    int32_t verdict; /* a nodesieve_verdict */
    int32_t score;   /* 0 to 100, whatever the verdict */
} nodesieve_decision;

/* Judges and scores a node for a Pod. memory_mib: as nodesieve_memory_read() gave it. */
nodesieve_decision nodesieve_policy_decide(nodesieve_policy const* policy,
                                           nodesieve_requirement requirement, int32_t memory_mib);

/* Why a node does not fit, for users, of a nodesieve_verdict; empty for NODESIEVE_FITS. */
char const* nodesieve_verdict_text(int32_t verdict);

#ifdef __cplusplus
}
#endif

#endif
