// `@open-avatar/livekit-agents`: a face for voice agents of LiveKit Agents for Node.
import "./register-plugin.ts";

export type { AvatarSessionOptions, AvatarStartOptions } from "./avatar-session.ts";
export { AvatarSession } from "./avatar-session.ts";
export { AvatarSessionError } from "./avatar-session-error.ts";
export type { FaceOptions } from "./face-options.ts";
export { AudioReceiver } from "./runner/audio-receiver.ts";
export type { AvatarOptions, AvatarRunnerOptions } from "./runner/avatar-runner.ts";
export { AvatarRunner } from "./runner/avatar-runner.ts";
export type { DataStreamAudioReceiverOptions } from "./runner/data-stream-audio-receiver.ts";
export { DataStreamAudioReceiver } from "./runner/data-stream-audio-receiver.ts";
export { VideoGenerator } from "./runner/video-generator.ts";
