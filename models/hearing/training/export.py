"""From a checkpoint to the graph that ships, checked against PyTorch."""

import sys

import numpy as np
import onnxruntime
import torch

from network import CONTEXT, HOP, Exported, HearingNetwork

INPUTS = ["pcm", "past", "h1", "h2"]
OUTPUTS = ["viseme", "closure", "labial", "past_out", "h1_out", "h2_out"]


def export(checkpoint: str, path: str) -> float:
    """Writes the ONNX file (opset 17); returns the largest difference to PyTorch over ten streamed hops."""
    network = HearingNetwork()
    network.load_state_dict(torch.load(checkpoint)["weights"])
    graph = Exported(network).eval()
    states = network.silence(1)
    torch.onnx.export(
        graph, (torch.zeros(1, CONTEXT + HOP), *states), path, input_names=INPUTS, output_names=OUTPUTS, opset_version=17, dynamo=False
    )
    session = onnxruntime.InferenceSession(path)
    sound = torch.randn(1, CONTEXT + 10 * HOP) * 0.1
    with torch.no_grad():
        whole = graph(sound, *states)[0].numpy()
    streamed, carried = [], [state.numpy() for state in states]
    for hop in range(10):
        pcm = sound[:, hop * HOP : hop * HOP + HOP + CONTEXT].numpy()
        viseme, _, _, *carried = session.run(OUTPUTS, dict(zip(INPUTS, [pcm, *carried])))
        streamed.append(viseme)
    return float(np.abs(np.concatenate(streamed, 1) - whole).max())


if __name__ == "__main__":
    print("largest difference to PyTorch:", export(sys.argv[1], sys.argv[2]))
