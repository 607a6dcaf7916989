// What is left behind by many starts: participants, slots, memory.
import { setTimeout as delay } from "node:timers/promises";
import { round } from "../../round.ts";
import { findServiceProcesses } from "../../service/find-service-processes.ts";
import { readRssMb } from "../../service/memory.ts";
import type { DrivenService } from "../../service/own-service.ts";
import type { Figure } from "../figure.ts";
import type { SdkBench } from "../sdk-part.ts";
import type { PluginLanguage } from "./agent-process.ts";
import { PluginStage } from "./plugin-stage.ts";

const ROUNDS = 100;
const FIRST_ROUNDS = 10;
const GOALS = { growth: 1.1, agentMb: 10 } as const;
/** Until ended sessions are gone and the worker has made its next process. */
const SETTLE_MS = 8_000;
const FREE_SLOTS = /^avatar_service_room(?:\{[^}]*\})? (\d+)/m;

export async function measureRounds(bench: SdkBench, language: PluginLanguage, label: string): Promise<Figure[]> {
  const stage = await PluginStage.start(bench, language);
  const { service } = stage;
  try {
    const slotsBefore = await freeSlots(service);
    await runRounds(stage, FIRST_ROUNDS);
    const early = await serviceMemory(stage);
    await runRounds(stage, ROUNDS - FIRST_ROUNDS);
    const late = await serviceMemory(stage);
    const participants = await stage.countParticipants();
    const slots = slotsBefore - (await freeSlots(service));
    const agentMb = (await agentMemory(stage)) - (await memoryWithoutPlugin(bench, language));
    const growth = (part: keyof typeof early): Figure => ({
      name: `${label}: memory of the ${part} after round ${ROUNDS} by round ${FIRST_ROUNDS}`,
      value: round(late[part] / early[part]),
      unit: "×",
      goal: GOALS.growth,
      better: "lower",
    });
    return [
      { name: `${label}: participants left behind`, value: participants, unit: "", goal: 0, better: "lower" },
      { name: `${label}: slots left behind`, value: slots, unit: "", goal: 0, better: "lower" },
      growth("worker"),
      growth("api"),
      {
        name: `${label}: agent's memory above joins without the plugin`,
        value: round(agentMb),
        unit: "MB",
        goal: GOALS.agentMb,
        better: "lower",
      },
    ];
  } finally {
    await stage.close();
  }
}

async function runRounds(stage: PluginStage, rounds: number): Promise<void> {
  for (let index = 0; index < rounds; index++) {
    await stage.startAgent();
    await stage.agent.call("join", {});
    await stage.agent.call("close", {});
  }
}

/** Of the processes that stay: those of sessions come and go. */
async function serviceMemory({ service, agent }: PluginStage): Promise<{ worker: number; api: number }> {
  await delay(SETTLE_MS);
  const addresses = { apiUrl: service.client.baseUrl, livekitUrl: service.livekit.url };
  const { workers, api } = await findServiceProcesses(addresses, [process.pid, agent.pid]);
  return { worker: await readRssMb(workers), api: await readRssMb([api]) };
}

/** Joins as often, with a session and without an avatar. */
async function memoryWithoutPlugin(bench: SdkBench, language: PluginLanguage): Promise<number> {
  const stage = await PluginStage.start(bench, language);
  try {
    for (let index = 0; index < ROUNDS; index++) {
      await stage.startAgent({ withAvatar: false });
      await stage.agent.call("close", {});
    }
    return await agentMemory(stage);
  } finally {
    await stage.close();
  }
}

async function agentMemory({ agent }: PluginStage): Promise<number> {
  await agent.call("collect", {});
  return readRssMb([agent.pid]);
}

/** As many further sessions as the service would run now. */
async function freeSlots({ client }: DrivenService): Promise<number> {
  const text = await (await fetch(`${client.baseUrl}/metrics`)).text();
  const slots = FREE_SLOTS.exec(text)?.[1];
  if (slots === undefined) throw new Error("the service tells no free slots");
  return Number(slots);
}
