// Several engines render one avatar: one frame at a time, each with a frame of its own.
import type { Avatar } from "../../../src/face/rendering/avatar.ts";

/** The avatar, for several callers at once. Its frames are not used again. */
export function takeTurns(avatar: Avatar): Avatar {
  let last: Promise<unknown> = Promise.resolve();
  return {
    ...propertiesOf(avatar),
    render(...pose) {
      const rendering = last.then(async () => {
        const frame = await avatar.render(...pose);
        return { ...frame, data: frame.data.slice() };
      });
      last = rendering.catch(() => undefined);
      return rendering;
    },
    async close() {
      await last;
      await avatar.close();
    },
  };
}

function propertiesOf({ widthPx, heightPx, restPose, gestures, gestureFace, headMotion, renderedBy }: Avatar) {
  return { widthPx, heightPx, restPose, gestures, gestureFace, headMotion, renderedBy };
}
