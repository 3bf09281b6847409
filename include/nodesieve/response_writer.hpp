#pragma once

#include <nodesieve/byte_chunks.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace nodesieve {

/// Writes an ExtenderFilterResult (k8s.io/kube-scheduler/extender/v1) for full nodes into `out`:
///
///     {"Nodes":{"metadata":{},"items":[NODE,NODE]},"NodeNames":null,"FailedNodes":null,
///      "FailedAndUnresolvableNodes":{NAME:REASON,NAME:REASON},"Error":""}
///
/// Call order: begin(); the passing nodes' own text, each followed by a comma, straight into `out`;
/// end_nodes(); failed() for each node that does not fit; end().
/// `out` must outlive the writer.
class filter_result_writer {
  public:
    explicit filter_result_writer(byte_chunks& out) noexcept : out_(out) {}

    void begin();
    void end_nodes();
    void failed(std::string_view name, std::string_view reason);
    void end();

  private:
    byte_chunks& out_;
};

/// Writes an ExtenderFilterResult for nodes that were only named:
///
///     {"Nodes":null,"NodeNames":[NAME,NAME],"FailedNodes":null,
///      "FailedAndUnresolvableNodes":{NAME:REASON,NAME:REASON},"Error":ERROR}
///
/// Call order: begin(); passed() for each node that fits; end_passed(); failed() for each that does
/// not; end(). `out` must outlive the writer.
class filter_names_writer {
  public:
    explicit filter_names_writer(byte_chunks& out) noexcept : out_(out) {}

    void begin();
    void passed(std::string_view name);
    void end_passed();
    void failed(std::string_view name, std::string_view reason);
    void end(std::string_view error = {});

  private:
    byte_chunks& out_;
};

/// Writes an ExtenderPreemptionResult:
///
///     {"NodeNameToMetaVictims":{NAME:{"Pods":[{"UID":UID},…],"NumPDBViolations":N},…}}
///
/// Call order: begin(); candidate() for each node, and a comma into `out`; end(). `out` must
/// outlive the writer.
class preemption_result_writer {
  public:
    explicit preemption_result_writer(byte_chunks& out) noexcept : out_(out) {}

    void begin();
    void candidate(std::string_view node, std::span<std::string const> uids,
                   std::int64_t violations);
    void end();

  private:
    byte_chunks& out_;
};

/// Writes a HostPriorityList, a bare array [{"Host":NAME,"Score":N},…], into `out`.
/// Call order: begin(); host() for each node; end().
class host_priority_writer {
  public:
    explicit host_priority_writer(byte_chunks& out) noexcept : out_(out) {}

    void begin();
    void host(std::string_view name, std::int32_t score);
    void end();

  private:
    byte_chunks& out_;
};

/// Appends `text` (valid UTF-8) as a JSON string with its quotes.
void append_json_string(byte_chunks& out, std::string_view text);

}  // namespace nodesieve
