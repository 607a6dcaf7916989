// Several engines render one avatar: one frame at a time, each into a frame of its own.
import type { Avatar } from "../../../src/face/rendering/avatar.ts";
import type { I420Frame } from "../../../src/signal/image/i420-frame.ts";

/** Renderers of one avatar. */
export class Turns {
  readonly #avatar: Avatar;
  #last: Promise<unknown> = Promise.resolve();

  constructor(avatar: Avatar) {
    this.#avatar = avatar;
  }

  /** The avatar for one engine. Its frame is valid until its next one, whatever others render meanwhile. */
  renderer(): Avatar {
    const { widthPx, heightPx, restPose, gestures, gestureFace, headMotion, renderedBy } = this.#avatar;
    let own: I420Frame | undefined;
    return {
      widthPx,
      heightPx,
      restPose,
      gestures,
      gestureFace,
      headMotion,
      renderedBy,
      render: (...pose) => {
        const rendering = this.#last.then(async () => {
          const frame = await this.#avatar.render(...pose);
          if (own) own.data.set(frame.data);
          else own = { ...frame, data: frame.data.slice() };
          return own;
        });
        this.#last = rendering.catch(() => undefined);
        return rendering;
      },
      close: async () => undefined,
    };
  }

  /** Releases the avatar after the frame that is being rendered. */
  async close(): Promise<void> {
    await this.#last;
    await this.#avatar.close();
  }
}
