// The portrait process: takes one task at a time from its parent and answers. Ends with its parent.
import { isServiceError } from "../../../shared/errors.ts";
import { FaceFinder } from "../../../src/face/face-finder.ts";
import { loadFaceModels } from "../../../src/face/face-models.ts";
import { createNodeRuntime } from "../../../src/inference/node-runtime.ts";
import { performBake } from "./bake-task.ts";
import { inspectPortrait } from "./inspect-portrait.ts";
import { locateFace } from "./locate-face.ts";
import { measureVoice } from "./measure-voice.ts";
import type { PortraitReply, PortraitRequest, PortraitResult } from "./portrait-messages.ts";

const runtime = createNodeRuntime();
let finder: Promise<FaceFinder> | null = null;

/** The networks, loaded when the first picture needs them and kept. */
function useFinder(): Promise<FaceFinder> {
  finder ??= loadFaceModels().then((models) => FaceFinder.load(runtime, models));
  return finder;
}

function reply(message: PortraitReply): void {
  // A parent that has just died takes no reply: "disconnect" then ends this process.
  process.send?.(message, undefined, undefined, () => undefined);
}

async function perform(request: PortraitRequest): Promise<PortraitResult> {
  switch (request.task) {
    case "inspect":
      return inspectPortrait(request, useFinder);
    case "locate":
      return locateFace(request.bytes, await useFinder());
    case "measure-voice":
      return measureVoice(request.bytes);
    case "bake":
      return performBake(request, runtime, (share) => reply({ id: request.id, type: "progress", share }));
  }
}

process.on("message", async (request: PortraitRequest) => {
  const { id } = request;
  reply({ id, type: "begun" });
  try {
    reply({ id, type: "done", result: await perform(request) });
  } catch (error) {
    if (isServiceError(error)) reply({ id, type: "refused", code: error.code, message: error.message });
    else
      reply({ id, type: "failed", message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});
process.on("disconnect", () => process.exit());
