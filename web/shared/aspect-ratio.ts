/** Width by height of a shape as the service names it, for example 16:9; 1 for any other text. */
export function aspectRatio(shape: unknown): number {
  const [width, height] = String(shape).split(":").map(Number);
  return width && height ? width / height : 1;
}
