"""Exports a checkpoint to the ONNX graph that ships, and compares it with PyTorch.

usage: export.py CHECKPOINT ONNX
"""

import sys

import numpy as np
import onnx
import onnxruntime
import torch

from network import CONTEXT, DILATIONS, HOP, Exported, LipSyncNetwork, normalise

PASTS = [f"past{index}" for index in range(len(DILATIONS))]
INPUTS = ["pcm", *PASTS]
OUTPUTS = ["viseme", "closure", "labiodental", "openness", *(past + "_out" for past in PASTS)]


def export(checkpoint: str, path: str) -> float:
    """Writes the ONNX file (opset 17); returns the largest difference of its closures to PyTorch's over ten streamed hops."""
    network = LipSyncNetwork()
    network.load_state_dict(torch.load(checkpoint)["weights"])
    graph, states = Exported(network).eval(), network.silence(1)
    memory = [state[:, 0] for state in states]
    example = (torch.zeros(1, CONTEXT + HOP), *memory)
    torch.onnx.export(graph, example, path, input_names=INPUTS, output_names=OUTPUTS, opset_version=17, dynamo=False)
    onnx.save(_halved(onnx.load(path)), path)
    session = onnxruntime.InferenceSession(path)
    sound, worst, carried = torch.randn(1, CONTEXT + 10 * HOP) * 0.1, 0.0, memory
    with torch.no_grad():
        features = normalise(graph.front(sound))
        whole, _ = network(features, states)
        for hop in range(10):
            feeds = dict(zip(INPUTS, [sound[:, hop * HOP : hop * HOP + HOP + CONTEXT].numpy(), *(np.asarray(state) for state in carried)]))
            answers = session.run(OUTPUTS, feeds)
            carried = answers[4:]
            last = whole[:, 2 * hop + 1]
            expected = torch.sigmoid(torch.stack([graph.log_odds(last, lips) for lips in (0, 1)], -1))
            worst = max(worst, float(np.abs(np.stack(answers[1:3], -1) - expected.numpy()).max()))
    return worst


def _halved(model: onnx.ModelProto) -> onnx.ModelProto:
    """The same graph with the layers' matrices stored in 16 bits; the runtime converts them to 32 bits when it loads
    the file. The DFT stays exact, so that a loud tone does not leak into other bands."""
    graph, casts = model.graph, []
    for tensor in [tensor for tensor in graph.initializer if len(tensor.dims) == 2 and not tensor.name.startswith("front.")]:
        halves = onnx.numpy_helper.to_array(tensor).astype(np.float16)
        casts.append(onnx.helper.make_node("Cast", [tensor.name + "_half"], [tensor.name], to=onnx.TensorProto.FLOAT))
        graph.initializer.remove(tensor)
        graph.initializer.append(onnx.numpy_helper.from_array(halves, tensor.name + "_half"))
    nodes = [*casts, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)
    onnx.checker.check_model(model)
    return model


if __name__ == "__main__":
    print("largest difference to PyTorch:", export(sys.argv[1], sys.argv[2]))
