"""Rounds the matrices of a network to 8 bits so that its answers change least: what one weight loses, the weights after it
make up for, as far as the inputs of real speech let them (E. Frantar et al., "GPTQ", 2022).

usage: round_weights.py ONNX RECORDINGS.jsonl OUT.onnx

The recordings, of which only `wav` is read, should be of many training speakers, and of none of the tests. The result is an ordinary ONNX file, in which each row of a matrix is
a multiple of its largest weight / 127; write-eight-bit.ts packs it.
"""

import json
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from scipy.io import wavfile

from network import CONTEXT, HOP

LARGEST = 127
# Added to the second moments of the inputs, as a share of their mean: keeps the inverse stable.
DAMPING = 0.01
# Enough frames for 768 inputs.
MOST_SECONDS = 700


def moments(model: onnx.ModelProto, gemms: list, references: str) -> dict:
    """Mean and second moments of the inputs of each matrix, over speech."""
    extended = onnx.ModelProto()
    extended.CopyFrom(model)
    extended.graph.output.extend(helper.make_tensor_value_info(gemm.input[0], TensorProto.FLOAT, None) for gemm in gemms)
    session = onnxruntime.InferenceSession(extended.SerializeToString())
    states = [each for each in session.get_inputs() if each.name != "pcm"]
    names = [gemm.input[0] for gemm in gemms]
    kept = {name: [] for name in names}
    seconds = 0.0
    for row in map(json.loads, open(references)):
        samples = wavfile.read(row["wav"])[1].astype(np.float32) / 32768
        hops = len(samples) // HOP
        sound = np.pad(samples, (CONTEXT, 0))
        state = {each.name: np.zeros(each.shape, np.float32) for each in states}
        for hop in range(hops):
            pcm = sound[None, hop * HOP : hop * HOP + HOP + CONTEXT]
            found = session.run([*names, *(each.name + "_out" for each in states)], {"pcm": pcm, **state})
            for name, inputs in zip(names, found):
                kept[name].append(inputs.reshape(-1, inputs.shape[-1]))
            state = {each.name: value for each, value in zip(states, found[len(names) :])}
        seconds += len(samples) / 16_000
        if seconds > MOST_SECONDS:
            break
    result = {}
    for name in names:
        inputs = np.concatenate(kept[name]).astype(np.float64)
        result[name] = inputs.mean(0), inputs.T @ inputs / len(inputs)
    return result


def rounded(weights: np.ndarray, second: np.ndarray) -> np.ndarray:
    """float64 [rows, columns], each a multiple of its row's step."""
    step = np.abs(weights).max(1) / LARGEST
    step[step == 0] = 1
    columns = weights.shape[1]
    damped = second + np.eye(columns) * DAMPING * np.diag(second).mean()
    # Columns with the strongest inputs first: the others make up for what they lose.
    order = np.argsort(-np.diag(damped))
    inverse = np.linalg.cholesky(np.linalg.inv(damped[np.ix_(order, order)])).T
    left = weights[:, order].astype(np.float64)
    for k in range(columns):
        whole = np.clip(np.round(left[:, k] / step), -LARGEST, LARGEST) * step
        left[:, k + 1 :] -= np.outer((left[:, k] - whole) / inverse[k, k], inverse[k, k + 1 :])
        left[:, k] = whole
    result = np.empty_like(left)
    result[:, order] = left
    return result


def main(path: str, references: str, out: str) -> None:
    model = onnx.load(path)
    tensors = {tensor.name: tensor for tensor in model.graph.initializer}
    gemms = [node for node in model.graph.node if node.op_type == "Gemm"]
    seen = moments(model, gemms, references)
    for gemm in gemms:
        half, bias = tensors[gemm.input[1] + "_half"], tensors[gemm.input[2]]
        mean, second = seen[gemm.input[0]]
        weights = numpy_helper.to_array(half).astype(np.float64)
        near = rounded(weights, second).astype(np.float16)
        lost = weights - near.astype(np.float64)
        # What is lost on average can be made up for exactly.
        shifted = numpy_helper.to_array(bias) + (lost @ mean).astype(np.float32)
        half.CopyFrom(numpy_helper.from_array(near, half.name))
        bias.CopyFrom(numpy_helper.from_array(shifted.astype(np.float32), bias.name))
        power = np.einsum("rc,cd,rd->r", lost, second, lost).mean() / np.einsum("rc,cd,rd->r", weights, second, weights).mean()
        print(f"{gemm.input[1]}: error {10 * np.log10(power):.1f} dB")
    onnx.save(model, out)


if __name__ == "__main__":
    main(*sys.argv[1:])
