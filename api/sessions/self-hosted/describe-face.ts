// The job description of a self-hosted session.
import type { JobDescription } from "../../../shared/runtime-api.ts";
import { type AvatarSession, HEARTBEAT_INTERVAL_S } from "../record/avatar-session.ts";
import { describeJob } from "../runtime/job-description.ts";
import type { SessionServices } from "../session-services.ts";

/** What a self-hosted runtime must know of a session's agent to show it: neither its prompt nor its providers, and the
 *  runtime has the room's token itself. Both URLs are null for a session with an image of the caller as its face. */
export async function describeFace(services: SessionServices, session: AvatarSession): Promise<JobDescription> {
  const described = await describeJob({
    services,
    session,
    livekitToken: "",
    heartbeatIntervalS: HEARTBEAT_INTERVAL_S,
  });
  const isOwnImage = session.agentCode === null;
  return {
    ...described,
    system_prompt: "",
    providers: null,
    portrait_url: isOwnImage ? null : described.portrait_url,
  };
}
