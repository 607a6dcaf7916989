// Controls the avatar worker of a session: dispatches it, dismisses it, closes its control room.

import { assertReachable } from "../../../program/outgoing/livekit-url.ts";
import { formatTraceparent, type TraceContext } from "../../../program/telemetry/trace-context.ts";
import { withSpan } from "../../../program/telemetry/tracer.ts";
import { isServiceError } from "../../../shared/errors.ts";
import { resolveModel } from "../../../shared/models.ts";
import type { DispatchMetadata, EndReason } from "../../../shared/runtime-api.ts";
import { RPC_END } from "../../../shared/wire-names.ts";
import { NotReachedError } from "../../kernel/livekit/livekit-gateway.ts";
import { type AvatarSession, wasServed } from "../record/avatar-session.ts";
import { findRunningAt } from "../record/session-queries.ts";
import type { SessionServices } from "../session-services.ts";
import { whenReached } from "./when-reached.ts";
import { readGpuCapacity } from "./worker-registry.ts";

const END_RPC_TIMEOUT_MS = 1_000;
/** A session is live as soon as its face is in the room; its worker may reach the control room a moment later, ms. */
const ARRIVAL_LIMIT_MS = 4_000;

export interface WorkerControl {
  /** Dispatches a worker for the session's current dispatch number. Throws VALIDATION_ERROR if the session's LiveKit
   *  server now has a forbidden address, SERVICE_UNAVAILABLE if our own LiveKit server is not reachable. `trace`: of
   *  the launch; a session that is dispatched again begins a trace of its own. */
  dispatch(session: AvatarSession, trace?: TraceContext): Promise<void>;
  /** Tells the session's worker to leave. Returns whether it confirmed; false also when it could not be reached.
   *  `wasLive`: it is waited for, at most 5 s. Never throws. */
  dismiss(id: string, reason: EndReason, wasLive: boolean): Promise<boolean>;
  /** Closes the control room, which LiveKit would otherwise keep until its empty-room timeout. Never throws. */
  closeControlRoom(id: string): Promise<void>;
  /** Closes the room of a hosted session, which disconnects its visitor, unless the visitor has begun another session
   *  there. Returns whether it is closed. Never throws. */
  closeHostedRoom(session: AvatarSession): Promise<boolean>;
}

export function createWorkerControl(services: SessionServices): WorkerControl {
  const { database, livekit, logger, tokens, config, livekitGuard, tracer } = services;
  async function dispatch(session: AvatarSession, trace: TraceContext | undefined): Promise<void> {
    const { id, livekitUrl, dispatchNumber } = session;
    // The host name may resolve differently now, because a session may be dispatched again up to 24 hours after its
    // launch.
    if (livekitUrl !== livekit.url) await assertReachable(livekitUrl, livekitGuard, session.userId);
    const { token } = await tokens.runtimeSession.mint({ sub: id, dispatch: dispatchNumber });
    const provider = resolveModel(session.model)?.provider ?? undefined;
    const metadata: DispatchMetadata = {
      avatar_session_id: id,
      runtime_token: token,
      api_url: config.http.apiUrl,
      ...(provider !== undefined && { provider }),
      ...(wasServed(session) && { is_running: true }),
      ...(session.viewersRender && { viewers_render: true }),
      ...(trace !== undefined && { traceparent: formatTraceparent(trace) }),
    };
    // Workers of the version before have not registered for the GPU alone; they reject what they cannot render.
    const onGpu = provider === "cuda" && (await readGpuCapacity(database, new Date(services.now()))) !== null;
    await livekit.dispatchWorker(id, JSON.stringify(metadata), onGpu);
    logger.info({ avatarSessionId: id, dispatchNumber }, "avatar worker dispatched");
  }

  return {
    async dispatch(session, trace) {
      if (trace !== undefined || !tracer.isOn) return dispatch(session, trace);
      const attributes = { "avatar.session.id": session.id, "avatar.dispatch.number": session.dispatchNumber };
      const span = tracer.start("session.dispatch", { kind: "producer", attributes });
      return withSpan(span, () => dispatch(session, span.context));
    },

    async dismiss(id, reason, wasLive) {
      try {
        const callEnd = async () => {
          // LiveKit waits 3 s for a participant that is away.
          if (!(await livekit.hasWorker(id))) throw new NotReachedError("not in its control room");
          return livekit.callWorker(id, RPC_END, JSON.stringify({ reason }), END_RPC_TIMEOUT_MS);
        };
        await whenReached(wasLive ? ARRIVAL_LIMIT_MS : 0, callEnd, { isHarmlessTwice: true });
        return true;
      } catch (error) {
        // It is not reachable or too slow. The answer to its next heartbeat tells it to stop.
        if (!isServiceError(error)) logger.warn({ err: error, avatarSessionId: id }, "avatar worker not dismissed");
        return false;
      }
    },

    async closeControlRoom(id) {
      await livekit.closeControlRoom(id).catch((error: unknown) => {
        logger.warn({ err: error, avatarSessionId: id }, "control room not closed");
      });
    },

    async closeHostedRoom(session) {
      try {
        if ((await findRunningAt(database, session)) !== null) return false;
        await livekit.closeRoom(session.roomName);
        return true;
      } catch (error) {
        logger.warn({ err: error, avatarSessionId: session.id }, "hosted room not closed");
        return false;
      }
    },
  };
}
