#pragma once

#include "kube_client.hpp"
#include "kube_config.hpp"
#include "log.hpp"
#include "metrics.hpp"
#include "watch_schedule.hpp"

#include <nodesieve/node_index.hpp>
#include <nodesieve/policy.hpp>

#include <chrono>
#include <functional>
#include <memory>

namespace nodesieve::server {

struct node_watch_settings {
    kube_timeouts timeouts;
    /// Between two pieces of a list.
    std::chrono::milliseconds list_silence = std::chrono::seconds(15);
    /// Without an event or a bookmark, which the API server sends about once a minute, a watch is
    /// given up and the nodes are listed again.
    std::chrono::milliseconds watch_silence = std::chrono::seconds(150);
    watch_backoff backoff;
};

/// Where the nodes go, called on the watch's thread.
struct node_watch_output {
    std::function<void(node_index)> publish;  ///< a complete state
    std::function<void()> heard;              ///< nothing has changed, but the API server lives
};

/// Keeps up with the nodes of a cluster by list and watch, on a thread of its own, so that requests
/// never wait for it. A state goes out when its last page is in, then once for all events that came
/// in one read; whatever fails, the last state stays until there is a newer one.
///
/// Counts into the metrics of the node cache and logs each change between working and not.
class node_watch {
  public:
    /// The references must outlive this object.
    node_watch(kube_config config, policy_config const& policy, node_watch_settings settings,
               node_watch_output output, metrics& measured, log& logged);
    ~node_watch();
    node_watch(node_watch const&) = delete;
    node_watch& operator=(node_watch const&) = delete;

    void start();
    /// Ends it whatever it is doing, and returns when its thread has ended. Any number of times.
    void stop();

  private:
    class loop;
    std::unique_ptr<loop> loop_;
};

}  // namespace nodesieve::server
