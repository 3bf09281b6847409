#include "odd_args.hpp"

#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>

#include <algorithm>
#include <array>
#include <random>
#include <string_view>

namespace nodesieve::test {
namespace {

constexpr std::string_view label = "training.example.com/gpu-memory-mib";
constexpr std::string_view annotation = "training.example.com/min-gpu-memory-mib";

class maker {
  public:
    explicit maker(std::uint64_t seed) : random_(seed) {}

    odd_args make();

  private:
    using members = std::vector<std::string>;

    std::size_t below(std::size_t bound) { return random_() % bound; }
    bool once_in(std::size_t n) { return below(n) == 0; }

    std::string space() {
        static constexpr std::string_view blanks = " \n\t\r";
        std::string text;
        while (once_in(3)) text.push_back(blanks[below(blanks.size())]);
        return text;
    }

    /// A JSON string, some of its characters as escapes.
    std::string quoted(std::string_view text) {
        std::string out = "\"";
        for (const char c : text) {
            static constexpr std::string_view hex = "0123456789abcdef";
            const auto code = static_cast<unsigned char>(c);
            if (code < 0x80 && once_in(12)) {
                out.append("\\u00").push_back(hex[code >> 4U]);
                out.push_back(hex[code & 15U]);
            } else {
                out.push_back(c);
            }
        }
        return out + '"';
    }

    /// The key of a struct's field: its letter case does not matter.
    std::string field(std::string_view name) {
        std::string text(name);
        if (once_in(4))
            std::ranges::transform(text, text.begin(), [](unsigned char c) {
                return static_cast<char>(c >= 'A' && c <= 'Z'   ? c + 32
                                         : c >= 'a' && c <= 'z' ? c - 32
                                                                : c);
            });
        return quoted(text);
    }

    std::string member(std::string const& key, std::string const& value) {
        return space() + key + space() + ':' + space() + value + space();
    }

    std::string object(members parts, bool shuffled = true) {
        if (shuffled) std::ranges::shuffle(parts, random_);
        std::string text = "{" + space();
        for (std::size_t i = 0; i < parts.size(); ++i) text += (i > 0 ? "," : "") + parts[i];
        return text + "}";
    }

    /// A value that nobody reads.
    std::string unread(int depth = 0) {
        switch (below(depth > 3 ? 6 : 9)) {
            case 0: return "null";
            case 1: return once_in(2) ? "true" : "false";
            case 2: return "-12.5e-3";
            case 3: return std::to_string(random_());
            case 4: return R"("\" } ] \\ { \u0000 \ud83d\ude00 \/ <&>")";
            case 5: return "\"\xEB\x85\xB8\xEB\x93\x9C\"";
            case 6: return "[" + unread(depth + 1) + "," + unread(depth + 1) + "]";
            case 7: return "{" + space() + "}";
            default:
                return object({member(quoted("name"), unread(depth + 1)),
                               member(quoted("metadata"), unread(depth + 1)),
                               member(quoted("items"), unread(depth + 1))});
        }
    }

    std::string pod(std::string_view minimum);
    std::string node(std::string_view name, std::string_view memory);

    std::mt19937_64 random_;
};

std::string maker::pod(std::string_view minimum) {
    members annotations{member(quoted("other"), quoted("x"))};
    if (!minimum.empty()) annotations.push_back(member(quoted(annotation), quoted(minimum)));
    const auto requests = object({member(quoted("cpu"), quoted("100m")),
                                  member(quoted("nvidia.com/gpu"), once_in(2) ? "\"1\"" : "1")});
    const auto container = object(
        {member(field("name"), quoted("main")),
         member(field("resources"),
                object({member(field("requests"), requests), member(field("limits"), unread())}))});
    return object(
        {member(field("metadata"), object({member(field("name"), quoted("p")),
                                           member(field("annotations"), object(annotations))})),
         member(field("spec"), object({member(field("containers"), "[" + container + "]"),
                                       member(quoted("nodeSelector"), unread())})),
         member(quoted("status"), unread())});
}

std::string maker::node(std::string_view name, std::string_view memory) {
    members labels{member(quoted("kubernetes.io/os"), quoted("linux")),
                   member(quoted("TRAINING.EXAMPLE.COM/GPU-MEMORY-MIB"), quoted("1"))};
    if (memory != "none") labels.push_back(member(quoted(label), quoted(memory)));
    std::string labels_text = object(labels);
    if (memory != "none" && once_in(3))  // the last of a repeated entry counts
        labels_text = object(
            {member(quoted(label), quoted("x")), labels_text.substr(1, labels_text.size() - 2)},
            false);
    members metadata{member(field("name"), quoted(name)), member(field("labels"), labels_text),
                     member(quoted("annotations"), unread())};
    if (once_in(4)) metadata.insert(metadata.begin(), member(field("name"), quoted("before")));
    members parts{member(quoted("spec"), unread()), member(quoted("status"), unread()),
                  member(quoted("unknown"), unread())};
    if (once_in(4)) {  // a repeated struct merges
        parts.push_back(member(field("metadata"), object(metadata, false)));
        parts.push_back(member(field("metadata"), "{}"));
        parts.push_back(member(field("metadata"), "null"));
        return object(parts, false);
    }
    parts.push_back(member(field("metadata"), object(metadata, false)));
    return object(parts);
}

odd_args maker::make() {
    static constexpr std::array<int, 4> minimums{0, 1, 40960, 1048576};
    static constexpr std::array<std::pair<std::string_view, int>, 8> memories{
        {{"none", 0},
         {"", 0},
         {"12x", 0},
         {"1048577", 0},
         {"16384", 16384},
         {"+40960", 40960},
         {"081920", 81920},
         {"1048576", 1048576}}};
    static constexpr std::array<std::string_view, 4> shapes{"node-", "\"q\" \\ ", "\xEB\x85\xB8 ",
                                                            "N{}[]:,"};

    odd_args args;
    const int minimum = minimums[below(minimums.size())];
    std::string items = "[" + space();
    const auto count = below(12);
    for (std::size_t i = 0; i < count; ++i) {
        const auto [text, memory] = memories[below(memories.size())];
        const auto name = std::string(shapes[below(shapes.size())]) + std::to_string(i);
        std::string escaped_name;  // quoted() escapes neither quote nor backslash
        for (const char c : name) {
            if (c == '"' || c == '\\') escaped_name.push_back('\\');
            escaped_name.push_back(c);
        }
        // An escape of an escape would be another text: such names keep theirs as they are.
        const bool plain = escaped_name == name;
        auto json = node(plain ? name : "PLACEHOLDER", text);
        if (!plain) {
            const auto find_placeholder = [&] { return json.find("PLACEHOLDER"); };
            if (find_placeholder() == std::string::npos) {  // quoted() escaped a letter of it
                json = "{\"metadata\":{\"name\":\"PLACEHOLDER\",\"labels\":{";
                if (text != "none")
                    json.append("\"").append(label).append("\":\"").append(text).append("\"");
                json += "}}}";
            }
            json.replace(find_placeholder(), 11, escaped_name);
        }
        items += (i > 0 ? space() + "," + space() : "") + json + space();

        const bool fits = minimum == 0 || (memory != 0 && memory >= minimum);
        if (fits)
            args.passing.push_back(json);
        else
            args.failed.emplace_back(name, memory == 0
                                               ? "missing or invalid administrator GPU-memory label"
                                               : "GPU memory label is below the required minimum");
        args.scores.emplace_back(name, std::min(memory, 81920) * 100 / 81920 / 10);
    }
    items += "]";
    members parts{member(field("Pod"), pod(minimum == 0 ? "" : std::to_string(minimum))),
                  member(field("Nodes"), object({member(field("items"), items),
                                                 member(quoted("kind"), quoted("NodeList")),
                                                 member(quoted("more"), unread())})),
                  member(quoted("unknown"), unread())};
    if (once_in(2)) parts.push_back(member(field("NodeNames"), "null"));
    args.body = space() + object(parts) + space();
    return args;
}

std::string as_json(std::string_view text) {
    return boost::json::serialize(boost::json::string(text));
}

}  // namespace

std::string odd_args::filter_reply() const {
    std::string text = R"({"Nodes":{"metadata":{},"items":[)";
    for (std::size_t i = 0; i < passing.size(); ++i) text += (i > 0 ? "," : "") + passing[i];
    text += R"(]},"NodeNames":null,"FailedNodes":null,"FailedAndUnresolvableNodes":{)";
    for (std::size_t i = 0; i < failed.size(); ++i)
        text += (i > 0 ? "," : "") + as_json(failed[i].first) + ":" + as_json(failed[i].second);
    return text + R"(},"Error":""})";
}

std::string odd_args::prioritize_reply() const {
    std::string text = "[";
    for (std::size_t i = 0; i < scores.size(); ++i)
        text += (i > 0 ? "," : "") + std::string(R"({"Host":)") + as_json(scores[i].first) +
                R"(,"Score":)" + std::to_string(scores[i].second) + "}";
    return text + "]";
}

odd_args make_odd_args(std::uint64_t seed) { return maker(seed).make(); }

}  // namespace nodesieve::test
