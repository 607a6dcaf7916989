// What those who lead the turns of a conversation in a room are told about the face.
import t from "tap";
import { TurnSuccession, type TurnSuccessionOptions } from "../../../agent-worker/conversation/turn-succession.ts";
import { EXPRESSION_NAMES } from "../../../shared/expressions.ts";
import type { JobDescription } from "../../../shared/runtime-api.ts";
import type { LlmTurn } from "../../../src/conversation/llm/llm-turn.ts";
import { settled } from "../../helpers/conversation/scripted-conversation.ts";

t.test("a language model may begin an answer with an expression; the voice gets its tag with the words", async (t) => {
  const asked: LlmTurn[] = [];
  const spoken: string[] = [];
  const llm = {
    takesImages: false,
    async *answer(turn: LlmTurn) {
      asked.push(turn);
      yield* ["[hap", "py]", " Welcome to the museum, ", "it is open today."];
    },
  };
  const speak = () => ({
    add: (text: string) => spoken.push(text),
    end: () => undefined,
    stop: () => undefined,
    started: new Promise(() => undefined),
    ended: Promise.resolve({ heardText: "", interrupted: false }),
  });
  const turns = new TurnSuccession({
    avatar: { speak },
    echo: { hasEcho: false },
    job: { system_prompt: "You guide.", agent_name: "Nova", avatar_session_id: "cs_1" } as JobDescription,
    language: "en",
    parts: { model: { llm, isProvider: false }, realtime: null, headers: {} },
    search: null,
    history: [],
    listener: new Proxy({}, { get: () => () => undefined }),
    onSources: () => undefined,
  } as unknown as TurnSuccessionOptions);
  turns.start();
  turns.leader.type("Hi");
  await settled();
  t.same(spoken, ["[happy] Welcome to the museum, ", "it is open today."]);
  const [{ instructions }] = asked;
  t.match(instructions, /^You guide\.\n\nYour name is Nova\./);
  for (const name of EXPRESSION_NAMES) t.ok(instructions.includes(`[${name}]`), name);
  await turns.close();
});
