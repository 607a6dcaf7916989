// A visitor opens text streams on the chat's topic and never ends them.

import { setTimeout as delay } from "node:timers/promises";
import type { TextStreamWriter } from "@livekit/rtc-node";
import { TOPIC_CHAT } from "../../../../shared/wire-names.ts";
import type { Flood } from "../flood.ts";
import { visit } from "./visit.ts";

/** The avatar reads 30 messages a minute; all others are turned away. */
const STREAMS = 60;
const CHUNK = "never ends ".repeat(1_300);
const REFUSED_WAIT_MS = 1_000;

export const floodChat: Flood = async (context) => {
  const { over, sent, random } = context;
  while (!over.aborted) {
    const visited = await visit(context);
    if (!visited) {
      await delay(REFUSED_WAIT_MS, undefined, { signal: over }).catch(() => undefined);
      continue;
    }
    try {
      const writers: TextStreamWriter[] = [];
      while (!over.aborted && visited.room.isConnected) {
        if (writers.length < STREAMS) {
          const writer = await visited.room.localParticipant?.streamText({ topic: TOPIC_CHAT });
          if (writer) writers.push(writer);
          sent("streams", 0);
        }
        await random.pick(writers).write(CHUNK);
        sent("chunks", CHUNK.length);
      }
    } finally {
      await visited.leave();
    }
  }
};
