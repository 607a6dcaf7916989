// The control room, in which the api reaches this session's process by RPC. It is always on our own LiveKit server.
import type { Room } from "@livekit/rtc-node";
import { z } from "zod";
import { isServiceError } from "../../shared/errors.ts";
import type { Logger } from "../../shared/log.ts";
import {
  addContextPayloadSchema,
  END_REASONS,
  type EndReason,
  rpcReplySchema,
  speakPayloadSchema,
} from "../../shared/runtime-api.ts";
import { RPC_ADD_CONTEXT, RPC_END, RPC_SPEAK } from "../../shared/wire-names.ts";
import { isEngineError } from "../../src/engine-error.ts";

const endPayloadSchema = z.object({ reason: z.enum(END_REASONS).optional() });

export interface ControlRoomOptions {
  /** The room, connected on our own LiveKit server. */
  room: Room;
  logger: Logger;
  /** Speaks a message. Throws ServiceError if the session cannot, EngineError if the voice cannot. */
  speak(message: string): Promise<void>;
  /** Passes context to the conversation. Throws ServiceError if there is none. */
  addContext(context: string): Promise<void>;
  end(reason: EndReason): void;
}

type RpcReply = z.infer<typeof rpcReplySchema>;

/** Registers the methods that the api calls. Each always answers `{ok, error?}`, also for a malformed payload and for a
 *  failure. */
export function registerControlRpc(options: ControlRoomOptions): void {
  const { room, logger, speak, addContext, end } = options;
  const answer = (method: string, handle: (payload: unknown) => Promise<void> | void): void => {
    room.localParticipant?.registerRpcMethod(method, async ({ payload }) => {
      let reply: RpcReply = { ok: true };
      try {
        await handle(payload === "" ? {} : JSON.parse(payload));
      } catch (error) {
        logger.warn({ method, err: error }, "control call failed");
        reply = { ok: false, error: describe(error) };
      }
      return JSON.stringify(rpcReplySchema.parse(reply));
    });
  };
  answer(RPC_SPEAK, (payload) => speak(speakPayloadSchema.parse(payload).message));
  answer(RPC_ADD_CONTEXT, (payload) => addContext(addContextPayloadSchema.parse(payload).context));
  answer(RPC_END, (payload) => end(endPayloadSchema.parse(payload).reason ?? "ended_by_api"));
}

function describe(error: unknown): string {
  if (isServiceError(error) || isEngineError(error)) return error.message;
  return error instanceof z.ZodError || error instanceof SyntaxError ? "malformed payload" : "internal error";
}
