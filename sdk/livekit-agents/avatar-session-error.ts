/** Thrown if an avatar session lacks something that its caller should have given it. */
export class AvatarSessionError extends Error {
  override readonly name = "AvatarSessionError";
}
