// Where an agent and its avatar meet: the service, a clock of launches, the agent's process, and a room each time.
import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AccessToken, RoomServiceClient } from "livekit-server-sdk";
import { speakTexts } from "../../../../cli/conversation/person-voice.ts";
import { mintRoomToken } from "../../../../cli/service/room-token.ts";
import { SPEECH_SAMPLE_RATE_HZ } from "../../../../shared/units.ts";
import { AGENT_NAME } from "../../../../shared/wire-names.ts";
import { joinSamples } from "../../../../src/signal/audio/join-samples.ts";
import type { DrivenService } from "../../service/own-service.ts";
import type { SdkBench } from "../sdk-part.ts";
import { AgentProcess, type PluginLanguage, type SaidTurn } from "./agent-process.ts";
import { LaunchClock } from "./launch-clock.ts";
import { RoomWitness } from "./room-witness.ts";

const AGENT_IDENTITY = "voice-agent";
const WITNESS_IDENTITY = "listener";
const SENTENCES = [
  "The weather was fine this morning.",
  "So we walked along the river and talked about music.",
  "Above the hills a small white cloud was moving slowly to the west.",
  "In the evening we came home, and everybody was hungry.",
];
/** Between two sentences, ms. */
const PAUSE_MS = 300;

/** A speech of several sentences in a file. */
export interface PreparedSpeech {
  text: string;
  file: string;
  sentences: readonly { text: string; startMs: number }[];
}

export class PluginStage {
  readonly service: DrivenService;
  readonly agent: AgentProcess;
  readonly clock: LaunchClock;
  /** Rooms that were made. */
  readonly rooms: string[] = [];
  readonly #folder: string;

  private constructor(service: DrivenService, parts: { agent: AgentProcess; clock: LaunchClock; folder: string }) {
    this.service = service;
    this.agent = parts.agent;
    this.clock = parts.clock;
    this.#folder = parts.folder;
  }

  /** Throws Error if there is no Python for an agent in Python. */
  static async start(bench: SdkBench, language: PluginLanguage): Promise<PluginStage> {
    const service = await bench.service();
    const clock = await LaunchClock.start(service.client.baseUrl);
    const { url, apiKey, apiSecret } = service.livekit;
    const agent = await AgentProcess.start(language, {
      ...bench.environment,
      AVATAR_API_URL: clock.url,
      AVATAR_API_SECRET: service.apiSecret,
      LIVEKIT_URL: url,
      LIVEKIT_API_KEY: apiKey,
      LIVEKIT_API_SECRET: apiSecret,
    }).catch(async (error: unknown) => {
      await clock.close();
      throw error;
    });
    const folder = await mkdtemp(join(tmpdir(), "open-avatar-plugin-bench-"));
    return new PluginStage(service, { agent, clock, folder });
  }

  /** The first sentences. */
  async prepareSpeech(count = SENTENCES.length): Promise<PreparedSpeech> {
    const texts = SENTENCES.slice(0, count);
    const parts: Int16Array[] = [];
    const sentences: PreparedSpeech["sentences"][number][] = [];
    let samples = 0;
    for (const [index, spoken] of (await speakTexts(texts)).entries()) {
      sentences.push({ text: texts[index], startMs: (samples * 1000) / SPEECH_SAMPLE_RATE_HZ });
      parts.push(spoken, new Int16Array((SPEECH_SAMPLE_RATE_HZ * PAUSE_MS) / 1000));
      samples += spoken.length + (parts.at(-1)?.length ?? 0);
    }
    const file = join(this.#folder, `${randomUUID()}.pcm`);
    const { buffer, byteOffset, byteLength } = joinSamples(parts);
    await writeFile(file, new Uint8Array(buffer, byteOffset, byteLength));
    return { text: texts.join(" "), file, sentences };
  }

  /** Brings the agent into a new room, with an avatar unless told otherwise. What the launch and `start()` took. */
  async startAgent({ withAvatar = true } = {}): Promise<{ room: string; startMs: number; launchMs: number }> {
    const room = `sdk-${randomUUID()}`;
    this.rooms.push(room);
    const { apiKey, apiSecret } = this.service.livekit;
    const token = new AccessToken(apiKey, apiSecret, { identity: AGENT_IDENTITY, ttl: "1h" });
    token.addGrant({ room, roomJoin: true, agent: true, canUpdateOwnMetadata: true });
    token.kind = "agent";
    const avatar = withAvatar ? { agentId: this.service.agentCode, avatarIdentity: AGENT_NAME } : {};
    const { startMs } = await this.agent.call("start", {
      url: this.service.livekit.url,
      token: await token.toJwt(),
      ...avatar,
    });
    return { room, startMs, launchMs: withAvatar ? this.clock.takeLaunchMs() : 0 };
  }

  /** Lets the agent say it. Resolves when the turn has ended. */
  say({ text, file }: PreparedSpeech): Promise<SaidTurn> {
    return this.agent.call("say", { text, file });
  }

  /** Someone who sees and hears the avatar of a room. */
  async joinAsWitness(roomName: string): Promise<RoomWitness> {
    const { livekit } = this.service;
    const witness = new RoomWitness(AGENT_NAME);
    await witness.join(livekit.url, await mintRoomToken(livekit, { roomName, identity: WITNESS_IDENTITY }));
    return witness;
  }

  /** Participants of all rooms that were made. */
  async countParticipants(): Promise<number> {
    const { url, apiKey, apiSecret } = this.service.livekit;
    const rooms = new RoomServiceClient(url.replace(/^ws/, "http"), apiKey, apiSecret);
    const open = await rooms.listRooms(this.rooms);
    const present = await Promise.all(open.map(({ name }) => rooms.listParticipants(name)));
    return present.flat().length;
  }

  async close(): Promise<void> {
    await this.agent.close();
    await this.clock.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
