// Opens an avatar before it is known which one the session has, the one that this worker showed last, and plays a few
// steps with it. Opening takes longer than joining the room. If the session has another avatar, the code has at least
// been executed once.
import type { Engine } from "../../src/face/engine/engine.ts";
import { readImx } from "../../src/face/imx/read-imx.ts";
import type { Avatar } from "../../src/face/rendering/avatar.ts";
import { openAvatar } from "../../src/face/rendering/open-avatar.ts";
import type { InferenceRuntime } from "../../src/signal/inference/inference-runtime.ts";
import type { AvatarFile } from "./session-messages.ts";

/** Steps that are played: more than the look-ahead of lip sync. */
const REHEARSED_STEPS = 4;

export interface AvatarAheadOptions {
  runtime: InferenceRuntime;
  /** Creates the engine for the avatar. */
  createEngine(avatar: Avatar): Promise<Engine>;
}

/** An opened avatar, from its start until `take`. */
export class AvatarAhead {
  readonly #sha256: string;
  readonly #opening: Promise<Avatar | null>;
  #isTaken = false;

  constructor({ sha256, imx }: AvatarFile, options: AvatarAheadOptions) {
    this.#sha256 = sha256;
    // The session reports a file that cannot be opened, if it has the same one.
    this.#opening = open(imx, options).catch(() => null);
  }

  /** The avatar, which is the caller's then, if its file has this hash; otherwise, and at the second call, null. Never
   *  rejects. */
  async take(sha256: string | null | undefined): Promise<Avatar | null> {
    if (this.#isTaken) return null;
    this.#isTaken = true;
    if (sha256 === this.#sha256) return this.#opening;
    void this.#opening.then((avatar) => avatar?.close());
    return null;
  }
}

async function open(imx: Uint8Array, { runtime, createEngine }: AvatarAheadOptions): Promise<Avatar> {
  const avatar = await openAvatar(await readImx(imx), runtime);
  const engine = await createEngine(avatar);
  for (let step = 0; step < REHEARSED_STEPS; step++) await engine.tick();
  await engine.close();
  return avatar;
}
