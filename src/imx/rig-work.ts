// How many multiplications an operator of a rig needs where that is more than the elements that it makes.
import type { NodeFacts, Shape } from "./rig-shape-rules.ts";

/** Multiplications of a node that makes `made`; 0 for operators whose work is in proportion to what they make. NaN if
 *  they cannot be told. */
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
