// All tools that call the service.
import type { Tool } from "./tool.ts";
import { ACCOUNT_TOOLS } from "./tools/account-tools.ts";
import { agentTools } from "./tools/agent-tools.ts";
import { fileTools } from "./tools/file-tools.ts";
import { FILM_TOOLS } from "./tools/film-tools.ts";
import { knowledgeTools } from "./tools/knowledge-tools.ts";
import { PICTURE_TOOLS } from "./tools/picture-tools.ts";
import { SESSION_TOOLS } from "./tools/session-tools.ts";
import { type SpeakingFaceToolsOptions, speakingFaceTools } from "./tools/speaking-face-tools.ts";
import { SPEAKING_TOOLS } from "./tools/speaking-tools.ts";
import { voiceTools } from "./tools/voice-tools.ts";
import { WEBHOOK_TOOLS } from "./tools/webhook-tools.ts";

export interface CloudToolsOptions extends SpeakingFaceToolsOptions {
  /** Whether the assistant works beside the person's files. */
  hasPaths: boolean;
}

/** The tools, by group. */
export function cloudTools({ hasPaths, ...options }: CloudToolsOptions): Tool[] {
  return [
    ...ACCOUNT_TOOLS,
    ...agentTools(hasPaths),
    ...PICTURE_TOOLS,
    ...speakingFaceTools(options),
    ...SPEAKING_TOOLS,
    ...FILM_TOOLS,
    ...voiceTools(hasPaths),
    ...knowledgeTools(hasPaths),
    ...SESSION_TOOLS,
    ...fileTools(hasPaths),
    ...WEBHOOK_TOOLS,
  ];
}
