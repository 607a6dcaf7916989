// The object that `render` returns.
import { EngineError } from "../../../shared/engine-error.ts";
import type { FilmOptions, FrameFormat, RenderedStep, Rendering } from "../avatar.ts";

export interface RenderingParts<Format extends FrameFormat> {
  steps(): AsyncGenerator<RenderedStep<Format>>;
  toFile(path: string | URL, options: FilmOptions): Promise<number>;
}

/** Throws EngineError(invalid-input) where it is read a second time: what has streamed through is gone. */
export function createRendering<Format extends FrameFormat>(parts: RenderingParts<Format>): Rendering<Format> {
  let isRead = false;
  const begin = (): void => {
    if (isRead) throw new EngineError("invalid-input", "This rendering was read already. Call render() again.");
    isRead = true;
  };
  return {
    [Symbol.asyncIterator]() {
      begin();
      return parts.steps();
    },
    async toFile(path, options = {}) {
      begin();
      return parts.toFile(path, options);
    },
  };
}
