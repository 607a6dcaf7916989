"""From a checkpoint to the graph that ships, checked against PyTorch. usage: export.py CHECKPOINT ONNX"""

import sys

import numpy as np
import onnxruntime
import torch

from network import CONTEXT, DILATIONS, HOP, Exported, HearingNetwork, normalise

PASTS = [f"past{index}" for index in range(len(DILATIONS))]
INPUTS = ["pcm", *PASTS]
OUTPUTS = ["viseme", "closure", "labiodental", "openness", *(past + "_out" for past in PASTS)]


def export(checkpoint: str, path: str) -> float:
    """Writes the ONNX file (opset 17); returns the largest difference to PyTorch over ten streamed hops."""
    network = HearingNetwork()
    network.load_state_dict(torch.load(checkpoint)["weights"])
    graph, states = Exported(network).eval(), network.silence(1)
    example = (torch.zeros(1, CONTEXT + HOP), *states)
    torch.onnx.export(graph, example, path, input_names=INPUTS, output_names=OUTPUTS, opset_version=17, dynamo=False)
    session = onnxruntime.InferenceSession(path)
    sound = torch.randn(1, CONTEXT + 10 * HOP) * 0.1
    with torch.no_grad():
        answers, _ = graph.network(normalise(graph.front(sound)), states)
        whole = torch.softmax(answers[:, 1::2, :, : 15], -1).reshape(1, -1, 15).numpy()
    streamed, carried = [], [state.numpy() for state in states]
    for hop in range(10):
        pcm = sound[:, hop * HOP : hop * HOP + HOP + CONTEXT].numpy()
        viseme, _, _, _, *carried = session.run(OUTPUTS, dict(zip(INPUTS, [pcm, *carried])))
        streamed.append(viseme)
    return float(np.abs(np.concatenate(streamed, 1) - whole).max())


if __name__ == "__main__":
    print("largest difference to PyTorch:", export(sys.argv[1], sys.argv[2]))
