// A visitor of a room meets the Python example's agent, with a face that greets.
import { installWheel } from "../../../test/helpers/packages/install-wheel.ts";
import type { ExampleCheck } from "./example-check.ts";
import { seeFaceSpeak } from "./face-in-room.ts";

export const checkVoiceAgentPython: ExampleCheck = {
  example: "voice-agent-python",
  async check({ project, environment, service }) {
    const python = await installWheel(project.folder);
    const agent = project.start(python, ["agent.py", "dev"], { ...environment, AVATAR_AGENT: service.agentCode });
    await agent.printed(/registered worker/i);
    await seeFaceSpeak(service).catch((error: Error) => {
      throw new Error(`${error.message}\n${agent.output.slice(-3000)}`);
    });
  },
};
