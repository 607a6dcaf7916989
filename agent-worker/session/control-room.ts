// The control room, in which the api reaches this session's process by RPC. It is always on our own LiveKit server.
import { setTimeout as delay } from "node:timers/promises";
import { DisconnectReason, Room, RoomEvent } from "@livekit/rtc-node";
import { z } from "zod";
import type { Logger } from "../../program/log.ts";
import { connectInTime } from "../../room/participants/connect-in-time.ts";
import { isEngineError } from "../../shared/engine-error.ts";
import { isServiceError } from "../../shared/errors.ts";
import { parseExpression } from "../../shared/expressions.ts";
import {
  addContextPayloadSchema,
  END_REASONS,
  type EndReason,
  rpcReplySchema,
  speakPayloadSchema,
  type TurnRecord,
  type TypingMode,
  turnsPayloadSchema,
  typeTextPayloadSchema,
} from "../../shared/runtime-api.ts";
import { RPC_ADD_CONTEXT, RPC_END, RPC_SPEAK, RPC_STILL, RPC_TURNS, RPC_TYPE_TEXT } from "../../shared/wire-names.ts";
import { expressionTag } from "../../src/speech/text/expression-tags.ts";

const JOIN_TIMEOUT_MS = 5_000;
/** Pauses before each attempt to join, ms. The server may be restarting. */
const JOIN_DELAYS_MS = [0, 250, 500, 1_000, 2_000, 4_000, 4_000];

const endPayloadSchema = z.object({ reason: z.enum(END_REASONS).optional() });

export interface ControlHandlers {
  /** Speaks a message, which may have tags of expressions. Throws ServiceError if the session cannot, EngineError if
   *  the voice cannot. */
  speak(message: string): Promise<void>;
  /** Passes context to the conversation. Throws ServiceError if there is none. */
  addContext(context: string): Promise<void>;
  /** Answers what the person has typed, or says it; without a conversation, says it. Throws like `speak`. */
  type(text: string, mode: TypingMode): Promise<void>;
  /** A JPEG of the face as it is now, of at most `STILL_MAX_BYTES`. Throws ServiceError if the session has none. */
  still(): Promise<Uint8Array>;
  /** The turns of the conversation after that number, as many as fit into a reply. Throws ServiceError without a
   *  conversation. */
  turns(after: number): readonly TurnRecord[];
  end(reason: EndReason): void;
}

export interface ControlRoomOptions extends ControlHandlers {
  /** Our own LiveKit server. */
  url: string;
  /** Token to join the room. */
  token: string;
  logger: Logger;
  /** Limit of each attempt to join, ms. Default 5,000. */
  joinTimeoutMs?: number;
}

type RpcReply = z.infer<typeof rpcReplySchema>;

/** Joined from `join()` to `close()`. A lost connection is restored, and a closed room joined again. If that fails, the
 *  session ends with `worker_lost`, because the api cannot reach it, and the api dispatches it again. */
export class ControlRoom {
  readonly #options: ControlRoomOptions;
  #room: Room | null = null;
  #joining: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: ControlRoomOptions) {
    this.#options = options;
  }

  /** Joins in the background. Once. */
  join(): void {
    this.#joining = this.#join();
  }

  /** Leaves the room. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#joining;
    await this.#room?.disconnect();
  }

  async #join(): Promise<void> {
    const { url, token, logger, end, joinTimeoutMs = JOIN_TIMEOUT_MS } = this.#options;
    for (const delayMs of JOIN_DELAYS_MS) {
      await delay(delayMs);
      if (this.#isClosed) return;
      const room = new Room();
      try {
        await connectInTime(room, url, token, joinTimeoutMs);
        room.on(RoomEvent.Disconnected, (reason) => this.#onDisconnected(reason));
        registerControlRpc(room, this.#options);
        this.#room = room;
        return;
      } catch (error) {
        logger.warn({ err: error }, "control room not joined");
      }
    }
    end("worker_lost");
  }

  #onDisconnected(reason: DisconnectReason): void {
    this.#room = null;
    if (this.#isClosed) return;
    switch (reason) {
      // The api deletes the room when it has ended the session, or given it to another worker.
      case DisconnectReason.ROOM_DELETED:
      case DisconnectReason.PARTICIPANT_REMOVED:
      case DisconnectReason.DUPLICATE_IDENTITY:
        this.#options.end("worker_draining");
        return;
      // Also a room that LiveKit closed because only an agent was in it, such as one that a join has made after a
      // restart.
      default:
        this.join();
    }
  }
}

/** Registers the methods that the api calls. Each always answers `{ok, error?}`, also for a malformed payload and for a
 *  failure. */
export function registerControlRpc(
  room: Room,
  { logger, speak, addContext, type, still, turns, end }: ControlHandlers & { logger: Logger },
) {
  const answer = (method: string, handle: (payload: unknown, reply: RpcReply) => Promise<void> | void): void => {
    room.localParticipant?.registerRpcMethod(method, async ({ payload }) => {
      let reply: RpcReply = { ok: true };
      try {
        await handle(payload === "" ? {} : JSON.parse(payload), reply);
      } catch (error) {
        logger.warn({ method, err: error }, "control call failed");
        reply = { ok: false, error: describe(error) };
      }
      return JSON.stringify(rpcReplySchema.parse(reply));
    });
  };
  answer(RPC_SPEAK, (payload) => {
    const { message, emotion } = speakPayloadSchema.parse(payload);
    // A tag in front of all words: it stays with the message wherever that waits.
    return speak(emotion === undefined ? message : `${expressionTag(parseExpression(emotion))} ${message}`);
  });
  answer(RPC_ADD_CONTEXT, (payload) => addContext(addContextPayloadSchema.parse(payload).context));
  answer(RPC_TYPE_TEXT, (payload) => {
    const { text, mode } = typeTextPayloadSchema.parse(payload);
    return type(text, mode);
  });
  answer(RPC_STILL, async (_payload, reply) => {
    reply.jpeg = Buffer.from(await still()).toString("base64");
  });
  answer(RPC_TURNS, (payload, reply) => {
    reply.turns = [...turns(turnsPayloadSchema.parse(payload).after)];
  });
  answer(RPC_END, (payload) => end(endPayloadSchema.parse(payload).reason ?? "ended_by_api"));
}

function describe(error: unknown): string {
  if (isServiceError(error) || isEngineError(error)) return error.message;
  return error instanceof z.ZodError || error instanceof SyntaxError ? "malformed payload" : "internal error";
}
