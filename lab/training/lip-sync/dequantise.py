"""Converts an ONNX graph with integer products to floats, which an ordinary processor runs several times faster and
with more precision."""

import numpy as np
import onnx
from onnx import helper, numpy_helper

_INTEGER = {"ConvInteger": "Conv", "MatMulInteger": "MatMul"}
_ONE = "dequantise.one"


def dequantise(model: bytes) -> bytes:
    """`model` with its dynamically quantised convolutions and matrix products in floats; scales and zero points of the
    weights are kept."""
    graph_of = onnx.load_from_string(model)
    graph = graph_of.graph
    stored = {value.name: value for value in graph.initializer}
    nodes, weights = [], {_ONE: numpy_helper.from_array(np.float32(1), _ONE)}
    for node in graph.node:
        if node.op_type == "DynamicQuantizeLinear":
            # The audio input is unchanged: its scale is one.
            nodes.append(helper.make_node("Identity", [node.input[0]], [node.output[0]]))
            nodes.append(helper.make_node("Identity", [_ONE], [node.output[1]]))
        elif node.op_type in _INTEGER:
            name = node.input[1] + ".float"
            weights[name] = numpy_helper.from_array(_centred(node, stored), name)
            product = helper.make_node(_INTEGER[node.op_type], [node.input[0], name], list(node.output), name=node.name)
            product.attribute.extend(node.attribute)
            nodes.append(product)
        else:
            nodes.append(_unrounded(node))
    del graph.node[:]
    graph.node.extend(nodes)
    used = {name for node in nodes for name in node.input}
    kept = [value for value in [*graph.initializer, *weights.values()] if value.name in used]
    del graph.initializer[:], graph.value_info[:]
    graph.initializer.extend(kept)
    return graph_of.SerializeToString()


def _centred(node, stored) -> np.ndarray:
    """A node's weights in floats, minus their zero points."""
    weight = numpy_helper.to_array(stored[node.input[1]]).astype(np.float32)
    if len(node.input) < 4 or not node.input[3]:
        return weight
    zero = numpy_helper.to_array(stored[node.input[3]]).astype(np.float32)
    if zero.size > 1 and node.op_type == "ConvInteger":
        zero = zero.reshape(-1, *[1] * (weight.ndim - 1))
    return weight - zero


def _unrounded(node):
    """A bias that was rounded to whole steps of the scale stays exact."""
    if node.op_type == "Cast" and "bias_quantized" in node.output[0]:
        next(attribute for attribute in node.attribute if attribute.name == "to").i = onnx.TensorProto.FLOAT
    if node.op_type == "Floor" and "bias" in node.output[0]:
        node.op_type = "Identity"
    return node
