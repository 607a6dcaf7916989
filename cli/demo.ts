// `npm run demo`: creates an agent, sends its avatar into a new room, lets it speak, and records what a LiveKit client
// receives into demo.mp4.
import "./terminal/quiet-rtc.ts";
import { Command } from "commander";
import { openAvatarRoom } from "./demo/avatar-room.ts";
import { FilmRecorder } from "./demo/film-recorder.ts";
import { runDemo } from "./demo/run-demo.ts";
import { SpeechMeter } from "./demo/speech-meter.ts";
import { waitUntil } from "./service/wait-until.ts";
import type { Progress } from "./start/progress.ts";
import { openService, type ServiceAccess } from "./start/service/service-access.ts";

interface DemoFlags {
  output: string;
  message: string;
  json: boolean;
}

const MESSAGE =
  "Hello! I am an avatar, drawn from a single portrait, twenty five times a second. " +
  "Everything that you hear moves my lips: please, papa, believe me, both my lips meet for every B, M and P. " +
  "Goodbye for now!";
const PROMPT = "A cheerful guide who shows what this avatar service can do.";
const LEAST_DURATION_MS = 9000;
const LONGEST_SPEECH_MS = 60_000;
const AGENT_TIMEOUT_MS = 120_000;
const FIRST_FRAME_TIMEOUT_MS = 30_000;

const program = new Command("npm run demo --")
  .description("Records an avatar that speaks in a LiveKit room. Starts the service if it is not running.")
  .option("-o, --output <file>", "the film to write", "demo.mp4")
  .option("-m, --message <text>", "what the avatar says", MESSAGE)
  .option("--json", "print one JSON object with the measurements", false)
  .parse();

const flags = program.opts<DemoFlags>();
await runDemo({
  isJson: flags.json,
  record: ({ progress, undo }) => record(flags, progress, undo),
  describe: describeMetrics,
  toJson: (metrics) => metrics,
});

async function record(flags: DemoFlags, progress: Progress, undo: (() => Promise<void>)[]) {
  const service = await openService({ environment: process.env, progress });
  undo.push(() => service.close());
  const agentCode = await progress.step(
    "agent",
    () => createAgent(service),
    (code) => `${code} is ready`,
  );
  undo.push(() => service.client.deleteAgent(agentCode));
  const film = new FilmRecorder(flags.output);
  undo.push(() => film.abort());
  const meter = new SpeechMeter();
  let firstFrameAtMs: number | null = null;
  const room = await openAvatarRoom({
    service,
    agentCode,
    events: {
      onFrame(frame) {
        firstFrameAtMs ??= frame.atMs;
        meter.addFrame(frame);
        film.addFrame(frame);
      },
      onAudio(audio) {
        meter.addAudio(audio);
        film.addAudio(audio);
      },
    },
  });
  undo.push(() => room.close());
  await waitUntil(() => firstFrameAtMs !== null, "the first frame arrives", FIRST_FRAME_TIMEOUT_MS);
  const beganAtMs = firstFrameAtMs ?? 0;
  progress.note(`first frame ${Math.round(beganAtMs - room.requestedAtMs)} ms after the request`);
  await room.waitUntilLive(FIRST_FRAME_TIMEOUT_MS);
  const spokeAtMs = performance.now();
  await service.client.speak(agentCode, flags.message, room.roomName);
  await progress.step(
    "recording",
    () => waitUntil(() => isOver(meter, beganAtMs), "the avatar has spoken", LONGEST_SPEECH_MS),
    () => "the avatar has spoken",
  );
  await room.close();
  const filmed = await film.finish();
  const sync = meter.measureLipSync();
  const round = (value: number, digits = 0) => Number(value.toFixed(digits));
  return {
    file: flags.output,
    duration_s: round(filmed.durationS, 2),
    fps: 25,
    received_fps: round(meter.receivedFps(), 2),
    received_frames: filmed.receivedFrames,
    repeated_frames: filmed.repeatedFrames,
    longest_frame_gap_ms: round(meter.longestFrameGapMs()),
    first_frame_ms: round(beganAtMs - room.requestedAtMs),
    first_audio_ms: round((meter.firstAudioAtMs ?? spokeAtMs) - spokeAtMs),
    lip_sync_skew_ms: sync.skewMs,
    lip_sync_strength: sync.strength,
  };
}

async function createAgent(service: ServiceAccess): Promise<string> {
  const code = await service.client.generateAgent({ prompt: PROMPT, model: "essence-2" });
  await service.client.waitForAgent(code, AGENT_TIMEOUT_MS);
  return code;
}

function isOver(meter: SpeechMeter, beganAtMs: number): boolean {
  return meter.hasSpoken && meter.silenceMs > 1000 && performance.now() - beganAtMs > LEAST_DURATION_MS;
}

function describeMetrics(metrics: Awaited<ReturnType<typeof record>>): string {
  const rows: [string, string][] = [
    ["film", `${metrics.file}, ${metrics.duration_s} s at a constant ${metrics.fps} fps`],
    ["received", `${metrics.received_fps} fps, longest frame gap ${metrics.longest_frame_gap_ms} ms`],
    ["repeated", `${metrics.repeated_frames} of ${metrics.received_frames} frames`],
    ["first frame", `${metrics.first_frame_ms} ms after the request`],
    ["first audio", `${metrics.first_audio_ms} ms after the request to speak`],
    ["lip sync", `A/V offset ${metrics.lip_sync_skew_ms} ms (correlation ${metrics.lip_sync_strength})`],
  ];
  return `\n${rows.map(([name, value]) => `  ${name.padEnd(14)} ${value}`).join("\n")}\n`;
}
