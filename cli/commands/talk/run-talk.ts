// What `avatar talk` does.
import "../../terminal/quiet-rtc.ts";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { dispose } from "@livekit/rtc-node";
import type { z } from "zod";
import { int16AtRate } from "../../../src/signal/audio/at-rate.ts";
import { readWav } from "../../../src/signal/audio/wav.ts";
import { decodeAudio } from "../../../src/signal/media/decode-audio.ts";
import { clientOf, requireCredentials } from "../../account/open-client.ts";
import { PERSON_RATE_HZ, ScriptedPerson } from "../../conversation/scripted-person.ts";
import { CliError } from "../../terminal/cli-error.ts";
import type { Environment } from "../../terminal/environment.ts";
import { interruptible } from "../../terminal/interrupt.ts";
import { plainText } from "../../terminal/plain-text.ts";
import { readStandardBytes } from "../../terminal/read-standard-input.ts";
import { writeJson } from "../../terminal/write-json.ts";
import { writeNote } from "../../terminal/write-note.ts";
import { CaptionView, YOU } from "./caption-view.ts";
import { InputLine } from "./input-line.ts";
import type { talkShape } from "./shapes.ts";
import { openMicrophone, openSpeaker } from "./sound-programs.ts";
import { visitAgent } from "./visit-agent.ts";

export interface TalkRequest {
  audio?: string[];
  microphone?: boolean;
  sound: boolean;
  json?: boolean;
}

const MOST_AUDIO_BYTES = 100_000_000;
const JOIN_TIMEOUT_MS = 60_000;
const ANSWER_TIMEOUT_MS = 60_000;
const END_TIMEOUT_MS = 180_000;
/** A pause in a sentence is shorter. */
const QUIET_MS = 1_200;
const POLL_MS = 50;

export async function runTalk(environment: Environment, agentCode: string, request: TalkRequest): Promise<void> {
  const { audio = [], microphone: usesMicrophone = false, sound, json } = request;
  if (usesMicrophone && audio.length > 0) throw new CliError("usage", "--audio and --microphone exclude each other.");
  if (usesMicrophone && !process.stdin.isTTY) {
    throw new CliError("usage", "--microphone needs a terminal, in which Ctrl-D ends the conversation.");
  }
  const recordings: Int16Array[] = [];
  for (const file of audio) recordings.push(await readRecording(file, environment));
  const credentials = await requireCredentials(environment);
  const microphone = usesMicrophone ? await openMicrophone() : undefined;
  const isInteractive = process.stdin.isTTY === true && audio.length === 0;
  const startedMs = performance.now();
  const speaker = sound && isInteractive ? await openSpeaker() : undefined;
  try {
    const visit = await visitAgent({
      client: clientOf(credentials),
      baseUrl: credentials.baseUrl,
      agentCode,
      isGreeted: isInteractive,
    });
    const view = new CaptionView({
      name: plainText(visit.agentName) || "Avatar",
      write: json ? undefined : (text) => process.stdout.write(text),
      columns: () => (process.stdout.isTTY ? process.stdout.columns : undefined),
    });
    const person: ScriptedPerson = new ScriptedPerson({
      livekitUrl: visit.livekitUrl,
      token: visit.token,
      isWatching: false,
      onCaption: (caption) => view.show(caption, caption.identity === person.room.localParticipant?.identity),
      onHeard: ({ samples }) => speaker?.play(samples),
      throughRoom: (own) => microphone?.take(own.length) ?? own,
    });
    try {
      await interruptible(async (signal) => {
        await person.join();
        await until(() => person.isAvatarReady, signal, { what: "the avatar to come", timeoutMs: JOIN_TIMEOUT_MS });
        if (isInteractive) writeNote(describe(visit.transcriptDays, usesMicrophone, speaker !== undefined || !sound));
        for (const samples of recordings) {
          await answered(person, signal, () => person.say(samples));
        }
        if (isInteractive) await converse(person, view, signal);
        else if (audio.length === 0) await typeLines(person, view, signal);
      }, "The conversation has ended.");
    } finally {
      await visit.end();
      await person.close();
      await dispose();
    }
    const result: z.output<typeof talkShape> = {
      agent_code: agentCode,
      session_id: visit.sessionId,
      seconds: Math.round((performance.now() - startedMs) / 100) / 10,
      messages: view.messages,
    };
    if (json) writeJson(result);
  } finally {
    microphone?.close();
    speaker?.close();
  }
}

/** `isAsWanted`: whether the avatar is heard, or need not be. */
function describe(transcriptDays: number, usesMicrophone: boolean, isAsWanted: boolean): string {
  const how = usesMicrophone ? "Speak, or type a line." : "Type a line.";
  const sound = isAsWanted ? "" : " No program of this computer plays sound: you only read.";
  const kept = transcriptDays > 0 ? ` What is said is kept for ${transcriptDays} days.` : "";
  return `${how} Ctrl-D ends the conversation.${sound}${kept}`;
}

/** Each line is answered before the next one is typed. */
async function typeLines(person: ScriptedPerson, view: CaptionView, signal: AbortSignal): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    const text = line.trim();
    if (text === "") continue;
    view.typed(text, false);
    await answered(person, signal, () => person.type(text));
  }
}

/** Until Ctrl-D, or until the avatar leaves. A line may be typed while the avatar speaks. */
async function converse(person: ScriptedPerson, view: CaptionView, signal: AbortSignal): Promise<void> {
  const lines = new InputLine({
    input: process.stdin,
    output: process.stdout.isTTY ? process.stdout : undefined,
    prompt: `${YOU}: `,
    signal,
    onInterrupt: () => process.kill(process.pid, "SIGINT"),
    onKey: () => view.yield(),
  });
  view.attach(lines);
  const left = new Promise<void>((resolve) => person.room.once("disconnected", () => resolve()));
  const typed = (async () => {
    for await (const line of lines) {
      const text = line.trim();
      if (text === "") {
        view.skip();
        continue;
      }
      view.typed(text, true);
      await person.type(text);
      view.ready();
    }
  })();
  try {
    await Promise.race([typed, left]);
  } finally {
    lines.close();
  }
  signal.throwIfAborted();
}

/** Says something, then waits until the answer has been spoken. */
async function answered(person: ScriptedPerson, signal: AbortSignal, say: () => Promise<unknown>): Promise<void> {
  await say();
  const saidMs = performance.now();
  const hasAnswered = () => (person.lastSoundMs ?? 0) > saidMs;
  await until(hasAnswered, signal, { what: "an answer", timeoutMs: ANSWER_TIMEOUT_MS });
  const isQuiet = () => person.state === "listening" && performance.now() - (person.lastSoundMs ?? 0) > QUIET_MS;
  await until(isQuiet, signal, { what: "the end of the answer", timeoutMs: END_TIMEOUT_MS });
}

async function until(
  isReached: () => boolean,
  signal: AbortSignal,
  { what, timeoutMs }: { what: string; timeoutMs: number },
): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs;
  while (!isReached()) {
    if (performance.now() > deadlineMs) {
      throw new CliError("unavailable", `Waited ${timeoutMs / 1000} s for ${what}.`, { code: "NO_ANSWER" });
    }
    await delay(POLL_MS, undefined, { signal });
  }
}

/** A recording, mono at the rate of the microphone; - is WAV on standard input. */
async function readRecording(file: string, { FFMPEG_PATH }: Environment): Promise<Int16Array> {
  const { samples, sampleRateHz } =
    file === "-"
      ? readWav(await readStandardBytes(MOST_AUDIO_BYTES))
      : await decodeAudio(file, { ffmpegPath: FFMPEG_PATH });
  return int16AtRate(samples, sampleRateHz, PERSON_RATE_HZ);
}
