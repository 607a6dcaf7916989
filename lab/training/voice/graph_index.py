"""Finds the nodes around a value of an ONNX graph."""

import numpy as np
import onnx
from onnx import numpy_helper


class GraphIndex:
    """Who makes and who uses each value. It shows the graph as it was when the index was made."""

    def __init__(self, graph: onnx.GraphProto):
        self.stored = {tensor.name: tensor for tensor in graph.initializer}
        self.maker = {name: node for node in graph.node for name in node.output}
        self.users: dict[str, list[onnx.NodeProto]] = {}
        for node in graph.node:
            for name in node.input:
                self.users.setdefault(name, []).append(node)

    def array(self, name: str) -> np.ndarray:
        return numpy_helper.to_array(self.stored[name])

    def only_user(self, name: str, operator: str) -> onnx.NodeProto | None:
        """The single user of a value, if it is of this operator."""
        users = self.users.get(name, [])
        return users[0] if len(users) == 1 and users[0].op_type == operator else None

    def other_input(self, node: onnx.NodeProto, name: str) -> str:
        """The operand of a node with two operands that is not `name`."""
        return next(each for each in node.input if each != name)


def needed_nodes(nodes, outputs: set[str], given: set[str]) -> list[onnx.NodeProto]:
    """The nodes that `outputs` need, in their order, where the values of `given` are there already."""
    needed, kept = set(outputs), []
    for node in reversed(list(nodes)):
        if any(name in needed and name not in given for name in node.output):
            kept.append(node)
            needed.update(node.input)
    return kept[::-1]
