// `@open-avatar/livekit-agents`: a face for voice agents of LiveKit Agents for Node.
export type { AvatarSessionOptions, AvatarStartOptions } from "./avatar-session.ts";
export { AvatarSession } from "./avatar-session.ts";
export { AvatarSessionError } from "./avatar-session-error.ts";
