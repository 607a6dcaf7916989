// A visitor of a room meets the example's agent, with a face that greets.
import type { ExampleCheck } from "./example-check.ts";
import { seeFaceSpeak } from "./face-in-room.ts";

export const checkVoiceAgentNode: ExampleCheck = {
  example: "voice-agent-node",
  async check({ project, environment, service }) {
    const agent = project.start("npm", ["start"], { ...environment, AGENT_ID: service.agentCode });
    await agent.printed(/registered worker/i);
    await seeFaceSpeak(service).catch((error: Error) => {
      throw new Error(`${error.message}\n${agent.output.slice(-3000)}`);
    });
  },
};
