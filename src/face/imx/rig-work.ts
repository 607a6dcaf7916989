// Multiplications of the rig operators that need more than one per output element.
import type { NodeFacts, Shape } from "./rig-shape-rules.ts";

/** Multiplications of a node with the outputs `made`; 0 for operators with work in proportion to their output, NaN
 *  if unknown. */
export function multiplications(operator: string, { inputs, attributes }: NodeFacts, made: readonly Shape[]): number {
  const elements = product(made[0]);
  switch (operator) {
    case "MatMul":
      return elements * (inputs[0]?.at(-1) ?? Number.NaN);
    case "Conv":
      // Weights: output channels, input channels of a group, height, width.
      return elements * product(inputs[1]?.slice(1) ?? [Number.NaN]);
    case "AveragePool":
      return elements * product(attributes.get("kernel_shape") as Shape);
    default:
      return 0;
  }
}

function product(sizes: Shape): number {
  return sizes.reduce((total, size) => total * size, 1);
}
