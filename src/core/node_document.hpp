#pragma once

#include "json_document.hpp"
#include "node_object.hpp"

#include <string>
#include <vector>

namespace nodesieve {

/// A parser of one Node, an item of a NodeList in ExtenderArgs.
struct node_document : json_document<node_object> {
    explicit node_document(std::vector<std::string> const& labels) : json_document(3, labels) {}

    void start() {
        json_document::start();
        handler().start();
    }
};

}  // namespace nodesieve
