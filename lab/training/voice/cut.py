"""Cuts the rearranged graph in two, so that the audio of a sentence can be made piece by piece.

front: tokens [1, n], style [1, 256], speed [1]
       → durations [1, n] (frames of 25 ms), frames [1, 512, t], source [1, 300 t, 1], timbre [1, 128]; t is twice the frames
back:  frames [1, 512, t], source [1, 300 t, 1], timbre [1, 128] → audio [300 t] (24 kHz)

The front does a tenth of the work.
"""

import onnx
from onnx import TensorProto, helper

from graph_index import GraphIndex, needed_nodes

DURATIONS = "/encoder/Clip_output_0"
# The hum of the vocal folds, before its Fourier transform, which costs a fifth of the front for a whole sentence.
SOURCE = "/decoder/decoder/generator/m_source/l_tanh/Tanh_output_0"
TIMBRE = "/decoder/Slice_output_0"
AUDIO = "audio"


def cut(model: onnx.ModelProto) -> tuple[onnx.ModelProto, onnx.ModelProto]:
    """Front and back."""
    index = GraphIndex(model.graph)
    first_upsampling = next(node for node in model.graph.node if node.op_type == "ConvTranspose" and "ups.0" in node.name)
    frames = index.maker[first_upsampling.input[0]].input[0]
    names = {DURATIONS: "durations", frames: "frames", SOURCE: "source", TIMBRE: "timbre"}
    between = {
        "frames": helper.make_tensor_value_info("frames", TensorProto.FLOAT, [1, 512, "steps"]),
        "source": helper.make_tensor_value_info("source", TensorProto.FLOAT, [1, "source_samples", 1]),
        "timbre": helper.make_tensor_value_info("timbre", TensorProto.FLOAT, [1, 128]),
    }
    durations = helper.make_tensor_value_info("durations", TensorProto.FLOAT, [1, "tokens"])
    audio = helper.make_tensor_value_info(AUDIO, TensorProto.FLOAT, ["samples"])
    renamed = [rename(node, names) for node in model.graph.node]
    front = part(model, renamed, list(model.graph.input), [durations, *between.values()])
    back = part(model, renamed, list(between.values()), [audio])
    return front, back


def rename(node: onnx.NodeProto, names: dict[str, str]) -> onnx.NodeProto:
    renamed = onnx.NodeProto()
    renamed.CopyFrom(node)
    for values in (renamed.input, renamed.output):
        for at, name in enumerate(values):
            values[at] = names.get(name, name)
    return renamed


def part(model: onnx.ModelProto, nodes, inputs, outputs) -> onnx.ModelProto:
    """The nodes that make `outputs` of `inputs`, with their constants."""
    kept = needed_nodes(nodes, {each.name for each in outputs}, {each.name for each in inputs})
    used = {name for node in kept for name in node.input}
    constants = [tensor for tensor in model.graph.initializer if tensor.name in used]
    graph = helper.make_graph(kept, "voice", inputs, outputs, constants)
    return helper.make_model(graph, opset_imports=model.opset_import, ir_version=model.ir_version)
