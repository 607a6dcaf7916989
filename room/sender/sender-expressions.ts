// What the sender's voice expresses, on the face: told with its transcriptions, as LiveKit's agents do.
import type { Room, TextStreamReader } from "@livekit/rtc-node";
import type { Expression } from "../../shared/expressions.ts";
import {
  ATTRIBUTE_TRANSCRIPTION_EXPRESSION,
  ATTRIBUTE_TRANSCRIPTION_SEGMENT_ID,
  TOPIC_TRANSCRIPTION,
} from "../../shared/wire-names.ts";
import type { Engine } from "../../src/face/engine/engine.ts";
import { LatestEachFrame } from "../latest-each-frame.ts";
import type { SenderBinding } from "../participants/sender-binding.ts";
import { readExpression } from "./read-expression.ts";

/** An expression ends with the audio that it came with, and at the latest after this time, ms. */
const LONGEST_MS = 30_000;
/** Ended segments that are known: the last text of one comes after its audio. */
const MOST_ENDED = 16;

export interface SenderExpressionsOptions {
  room: Room;
  binding: Pick<SenderBinding, "isBound">;
  engine: Pick<Engine, "express">;
}

/** Runs from `start()` to `close()`. Transcriptions are never read, and those of others are closed at once. */
export class SenderExpressions {
  readonly #options: SenderExpressionsOptions;
  readonly #face: LatestEachFrame<Expression | null>;
  /** Transcription that the face shows the expression of. */
  #segmentId: string | undefined;
  #ended: string[] = [];

  constructor(options: SenderExpressionsOptions) {
    this.#options = options;
    this.#face = new LatestEachFrame((expression) =>
      options.engine.express("transcription", expression, expression ? LONGEST_MS : undefined),
    );
  }

  /** Once. */
  start(): void {
    const { room, binding } = this.#options;
    room.registerTextStreamHandler(TOPIC_TRANSCRIPTION, (reader, { identity }) => {
      const attributes = reader.info.attributes ?? {};
      closeUnread(reader);
      if (binding.isBound(identity)) this.told(attributes);
    });
  }

  /** A transcription of the sender begins. */
  told(attributes: Readonly<Record<string, string>>): void {
    const attribute = attributes[ATTRIBUTE_TRANSCRIPTION_EXPRESSION];
    const segmentId = attributes[ATTRIBUTE_TRANSCRIPTION_SEGMENT_ID] ?? "";
    if (attribute === undefined || (segmentId !== "" && this.#ended.includes(segmentId))) return;
    const expression = readExpression(attribute);
    if (!expression) return;
    this.#segmentId = segmentId;
    this.#face.push(expression);
  }

  /** Audio of the sender has ended, or was cut off. */
  finished(): void {
    if (this.#segmentId === undefined) return;
    this.#ended = [...this.#ended, this.#segmentId].slice(-MOST_ENDED);
    this.#segmentId = undefined;
    this.#face.push(null);
  }

  /** Idempotent. */
  close(): void {
    this.#options.room.unregisterTextStreamHandler(TOPIC_TRANSCRIPTION);
    this.#face.close();
  }
}

function closeUnread(reader: TextStreamReader): void {
  void Promise.resolve(reader.close()).catch(() => undefined);
}
