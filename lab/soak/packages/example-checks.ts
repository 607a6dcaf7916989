// All examples.

import { checkEmbedTokenServer } from "./embed-token-server-check.ts";
import { checkEngineInATab } from "./engine-in-a-tab-check.ts";
import type { ExampleCheck } from "./example-check.ts";
import { checkFaceForARealtimeCall } from "./face-for-a-realtime-call-check.ts";
import { checkFaceInReact } from "./face-in-react-check.ts";
import { checkOwnRunner } from "./own-runner-check.ts";
import { checkPhotographToFilm } from "./photograph-to-film-check.ts";
import { checkSelfHostedWorker } from "./self-hosted-worker-check.ts";
import { checkVoiceAgentNode } from "./voice-agent-node-check.ts";
import { checkVoiceAgentPython } from "./voice-agent-python-check.ts";
import { checkWebhookReceiver } from "./webhook-receiver-check.ts";

export const EXAMPLE_CHECKS: readonly ExampleCheck[] = [
  checkEmbedTokenServer,
  checkEngineInATab,
  checkFaceForARealtimeCall,
  checkFaceInReact,
  checkOwnRunner,
  checkPhotographToFilm,
  checkSelfHostedWorker,
  checkVoiceAgentNode,
  checkVoiceAgentPython,
  checkWebhookReceiver,
];
