// Adds a ready agent to the database, with its models' files in storage, as agent creation does.

import { markModelReady, putPendingModel } from "../../../api/agents/models/agent-model-store.ts";
import { insertAgent, updateAgent } from "../../../api/agents/record/agent-store.ts";
import type { Kernel } from "../../../api/kernel/kernel.ts";
import type { ModelFamily } from "../../../shared/models.ts";
import { writeImx } from "../../../src/face/imx/write-imx.ts";
import { RIG_GENERATOR_VERSION } from "../../../src/face/rig/bake-portrait.ts";
import { smallAvatar } from "../faces/small-avatar.ts";

export interface AddAgentOptions {
  userId: string;
  code?: string;
  /** Models that are ready. Default essence-2. */
  families?: readonly ModelFamily[];
  /** Default "Test agent". */
  name?: string;
  /** Whether its files hold a small avatar, with a picture that pages can show. Default: a few bytes, which cannot be
   *  rendered. */
  hasFace?: boolean;
}

/** Adds the agent and returns its code. */
export async function addAgent(services: Kernel, options: AddAgentOptions): Promise<string> {
  const { database, storage, now } = services;
  const families = options.families ?? (["essence-2"] as const);
  const at = new Date(now());
  const code = options.code ?? `T${crypto.randomUUID().slice(0, 8)}`;
  async function fileOf(family: ModelFamily): Promise<Uint8Array> {
    if (!options.hasFace) return Buffer.from(`${family} of ${code}`);
    const avatar = await smallAvatar();
    return writeImx({ ...avatar, manifest: { ...avatar.manifest, family } });
  }
  const portrait = await storage.put(`portraits/${code}.jpg`, Buffer.from(`portrait of ${code}`));
  const artifacts = await Promise.all(
    families.map(async (family) => storage.put(`models/${code}-${family}.imx`, await fileOf(family))),
  );
  // At once: the api fails a model that is being made and has no job.
  await database.transaction().execute(async (transaction) => {
    const agent = await insertAgent(transaction, {
      userId: options.userId,
      code,
      name: options.name ?? "Test agent",
      prompt: "You are a test.",
      systemPrompt: "You are a test.",
      model: families[0] ?? "essence-2",
      aspectRatio: "1:1",
      framing: "portrait",
      transparency: false,
      isAutoModel: false,
      imageUrl: null,
      imageKey: null,
      portraitKey: portrait.key,
      portraitSize: null,
      voiceSampleUrl: null,
      voiceSampleKey: null,
      voiceCharacter: null,
      createdAt: at,
    });
    if (!agent) throw new Error(`the code ${code} is taken`);
    for (const [index, family] of families.entries()) {
      await putPendingModel(transaction, agent.id, {
        family,
        isDraft: false,
        credits: 0,
        chargeReference: `test:${code}:${family}`,
        requestedAt: at,
      });
      const made = { ...artifacts[index], generatorVersion: RIG_GENERATOR_VERSION };
      await markModelReady(transaction, { agentId: agent.id, family, isDraft: false }, made, at);
    }
    await updateAgent(transaction, agent.id, { voiceId: "F2", status: "ready", progress: 1, currentStep: "done" }, at);
  });
  return code;
}
