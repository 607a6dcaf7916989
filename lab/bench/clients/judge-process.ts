// Helper process: listeners who decode what they receive and judge it.
import "../../../cli/terminal/quiet-rtc.ts";
import { readFile } from "node:fs/promises";
import { RoomEvent, TrackKind } from "@livekit/rtc-node";
import { AvatarListener, type HeardAudio } from "../../../cli/demo/avatar-listener.ts";
import { SpeechMeter } from "../../../cli/demo/speech-meter.ts";
import { waitUntil } from "../../../cli/service/wait-until.ts";
import { SENT_SAMPLE_RATE_HZ } from "../speech.ts";
import { PIECE_SAMPLES } from "../speech-sender.ts";
import type { JudgeCommands } from "./client-messages.ts";
import { listenerMetrics } from "./listener-metrics.ts";
import { MotionFollower } from "./motion-follower.ts";
import { readSamples } from "./read-samples.ts";
import { runClient } from "./run-client.ts";
import { sharedNowMs, toSharedMs } from "./shared-clock.ts";

/** Root of the mean square above which received audio is speech. */
const ONSET_LEVEL = 300;

interface Listener {
  room: AvatarListener;
  motion: MotionFollower;
  meter: SpeechMeter;
  heard: HeardAudio[];
  frameTimesMs: number[];
  /** Onsets of speech: arrival times of loud audio. */
  loudAtMs: number[];
  hasGivenUp: boolean;
  /** When video tracks of the avatar were subscribed to. */
  subscribedAtMs: number[];
}

const listeners = new Map<string, Listener>();

function listenerOf(id: string): Listener {
  const listener = listeners.get(id);
  if (!listener) throw new Error(`no participant ${id}`);
  return listener;
}

const commands: JudgeCommands = {
  async join({ id, url, token, avatarIdentity, needs }) {
    const room = new AvatarListener(avatarIdentity, {
      onFrame(frame) {
        const atMs = toSharedMs(frame.atMs);
        listener.meter.addFrame({ ...frame, atMs });
        listener.frameTimesMs.push(atMs);
      },
      onAudio({ samples, atMs }) {
        const audio = { samples: samples.slice(), atMs: toSharedMs(atMs) };
        listener.meter.addAudio(audio);
        listener.heard.push(audio);
        if (level(samples) > ONSET_LEVEL) listener.loudAtMs.push(audio.atMs);
      },
    });
    const listener: Listener = {
      room,
      motion: new MotionFollower(room.room, avatarIdentity),
      meter: new SpeechMeter(),
      heard: [],
      frameTimesMs: [],
      loudAtMs: [],
      subscribedAtMs: [],
      hasGivenUp: false,
    };
    room.room.on(RoomEvent.TrackSubscribed, (track, _, { identity }) => {
      const isVideo = identity === avatarIdentity && track.kind === TrackKind.KIND_VIDEO;
      if (isVideo) listener.subscribedAtMs.push(sharedNowMs());
    });
    room.room.on(RoomEvent.Disconnected, () => {
      listener.hasGivenUp = true;
    });
    listeners.set(id, listener);
    await room.start(url, token, { takesVideo: !needs });
    if (needs) void listener.motion.tell(needs);
  },
  firstFrameAtMs({ id }) {
    return listenerOf(id).frameTimesMs[0] ?? null;
  },
  isInRoom({ id }) {
    return !listenerOf(id).hasGivenUp;
  },
  renders({ id }) {
    return listenerOf(id).motion.renders ?? null;
  },
  motion({ id }) {
    return listenerOf(id).motion.metrics();
  },
  poses({ id }) {
    return listenerOf(id).motion.poses();
  },
  begin({ id }) {
    listenerOf(id).motion.begin();
    Object.assign(listenerOf(id), { meter: new SpeechMeter(), heard: [], frameTimesMs: [], loudAtMs: [] });
  },
  async judge({ id, sentAtMs, speechFile, fromS }) {
    const { meter, heard } = listenerOf(id);
    const speech = readSamples(await readFile(speechFile)).subarray(fromS * SENT_SAMPLE_RATE_HZ);
    const sent = sentAtMs.map((atMs, index) => ({
      atMs,
      samples: speech.subarray(index * PIECE_SAMPLES, (index + 1) * PIECE_SAMPLES),
    }));
    return listenerMetrics(meter, sent, heard);
  },
  async firstSoundAtMs({ id, sinceMs, timeoutMs }) {
    const find = () => listenerOf(id).loudAtMs.find((atMs) => atMs > sinceMs);
    await waitUntil(() => find() !== undefined, "speech is heard", timeoutMs);
    return find() ?? 0;
  },
  waitForSilence({ id, silenceMs, timeoutMs }) {
    return waitUntil(() => listenerOf(id).meter.silenceMs > silenceMs, "the listener hears silence", timeoutMs);
  },
  frameTimes({ id, sinceMs }) {
    return listenerOf(id).frameTimesMs.filter((atMs) => atMs > sinceMs);
  },
  backAtMs({ id, sinceMs }) {
    const { subscribedAtMs, frameTimesMs } = listenerOf(id);
    const subscribed = subscribedAtMs.find((atMs) => atMs > sinceMs);
    return subscribed === undefined ? null : (frameTimesMs.find((atMs) => atMs > subscribed) ?? null);
  },
  async leave({ id }) {
    listeners.get(id)?.motion.close();
    await listeners.get(id)?.room.close();
    listeners.delete(id);
  },
};

function level(samples: Int16Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return Math.sqrt(sum / Math.max(1, samples.length));
}

runClient({ ...commands });
