// Helper process: voice agents that speak to avatars in real time, or push speech ahead.
import "../../../cli/terminal/quiet-rtc.ts";
import { readFile } from "node:fs/promises";
import { SENT_SAMPLE_RATE_HZ } from "../speech.ts";
import { SpeechSender } from "../speech-sender.ts";
import type { SenderCommands, SpeakRequest } from "./client-messages.ts";
import { readSamples } from "./read-samples.ts";
import { runClient } from "./run-client.ts";
import { toSharedMs } from "./shared-clock.ts";

const senders = new Map<string, SpeechSender>();
let speech = new Int16Array(0);

function senderOf(id: string): SpeechSender {
  const sender = senders.get(id);
  if (!sender) throw new Error(`no participant ${id}`);
  return sender;
}

function partOf({ fromS, seconds }: SpeakRequest): Int16Array {
  return speech.subarray(fromS * SENT_SAMPLE_RATE_HZ, (fromS + seconds) * SENT_SAMPLE_RATE_HZ);
}

const commands: SenderCommands = {
  async load({ speechFile }) {
    speech = readSamples(await readFile(speechFile));
  },
  async join({ id, url, token, avatarIdentity }) {
    const sender = new SpeechSender(avatarIdentity);
    await sender.start(url, token);
    senders.set(id, sender);
  },
  async speak(request) {
    const pieces = await senderOf(request.id).sendInRealTime(partOf(request));
    return pieces.map(({ atMs }) => toSharedMs(atMs));
  },
  async sendAhead(request) {
    return toSharedMs(await senderOf(request.id).sendAhead(partOf(request)));
  },
  async interrupt({ id }) {
    await senderOf(id).interrupt();
  },
  finished({ id }) {
    return senderOf(id).reports.map(({ atMs, ...report }) => ({ ...report, atMs: toSharedMs(atMs) }));
  },
  async waitUntilFinished({ id, count, timeoutMs }) {
    await senderOf(id).waitUntilFinished(count, timeoutMs);
  },
  async leave({ id }) {
    await senders.get(id)?.close();
    senders.delete(id);
  },
};

runClient({ ...commands });
