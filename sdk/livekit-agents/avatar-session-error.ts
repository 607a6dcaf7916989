import { AvatarError } from "../client/index.ts";

/** Thrown if an avatar session lacks something that its caller should have given it. */
export class AvatarSessionError extends AvatarError {
  override name = "AvatarSessionError";
}
