// Speech recognition, model and voice that fail, and conversations without a model.
import t from "tap";
import { EngineError } from "../../../../shared/engine-error.ts";
import { ScriptedConversation, settled } from "../../../helpers/conversation/scripted-conversation.ts";
import { waitFor } from "../../../helpers/wait-for.ts";

const AWAY = new EngineError("program-failed", "The recogniser process failed.");

t.test("faults", async (t) => {
  async function* failing(): AsyncGenerator<string, never> {
    yield await Promise.reject(new EngineError("timeout", "The model server sent nothing."));
    return undefined as never;
  }

  t.test(
    "a model that fails gives a fixed sentence in the agent's language, and the next turn is answered",
    async (t) => {
      const talk = new ScriptedConversation({ language: "de", answer: failing });
      talk.conversation.type("Hallo?");
      await settled();
      t.match(talk.last?.text, /Ich|nicht antworten/);
      t.same(talk.faults, ["llm"]);
      talk.last?.finish();
      await settled();
      talk.conversation.type("Und jetzt?");
      await settled();
      t.equal(talk.asked.length, 2);
    },
  );

  t.test("what a model has said before it broke off is kept", async (t) => {
    const talk = new ScriptedConversation({
      answer: async function* () {
        yield "The first sentence is here. ";
        yield "And then";
        throw new EngineError("upstream-unavailable", "The model server broke off.");
      },
    });
    talk.conversation.type("Go on.");
    await settled();
    t.match(talk.last?.text, /^The first sentence is here\. $/);
    t.ok(talk.last?.isComplete);
  });

  t.test("speech recognition that dies is asked again: the turn is not lost", async (t) => {
    const talk = new ScriptedConversation({ texts: [AWAY, AWAY, "I am still here."], probabilities: [1] });
    await talk.say();
    await waitFor(() => talk.utterances.length === 1, "the answer", 3_000);
    t.same(talk.transcript, ["user: I am still here."]);
    t.same(talk.faults, []);
  });

  t.test("speech recognition that fails in the middle of a long turn ends the turn, and nothing else", async (t) => {
    const talk = new ScriptedConversation({ texts: [new EngineError("invalid-input", "wrong"), "The end."] });
    talk.speech(28_100);
    await settled();
    await talk.say();
    t.same(talk.faults, ["stt"]);
    t.match(talk.last?.text, /didn't catch that/);
  });

  t.test("speech recognition that stays away is answered with a fixed sentence", async (t) => {
    const talk = new ScriptedConversation({ texts: [new EngineError("invalid-input", "wrong")] });
    await talk.say();
    t.match(talk.last?.text, /didn't catch that/);
    t.same(talk.faults, ["stt"]);
  });

  t.test("a voice that fails ends the answer, not the conversation", async (t) => {
    const talk = new ScriptedConversation();
    talk.conversation.type("One.");
    await settled();
    talk.last?.finish(new EngineError("unavailable", "no voice"));
    await settled();
    t.same(talk.faults, ["voice"]);
    talk.conversation.type("Two.");
    await settled();
    t.equal(talk.utterances.length, 2);
  });
});

t.test("without a model", async (t) => {
  const passage = {
    file_name: "museum.md",
    heading: "",
    text: "The museum lies by the river. It opens at nine o'clock and closes at six.\nOn Mondays it is closed.",
  };

  t.test("the best passage answers", async (t) => {
    const talk = new ScriptedConversation({ llm: null, search: async () => [passage] });
    talk.conversation.type("When does the museum open?");
    await settled();
    t.match(talk.last?.text, /opens at nine o'clock and closes at six\./);
    t.ok((talk.last?.text ?? "").split(". ").length <= 2, "in two sentences at most");
  });

  t.test("without a passage the avatar says that it only listens", async (t) => {
    const talk = new ScriptedConversation({ llm: null, search: async () => [] });
    talk.conversation.type("When does the museum open?");
    await settled();
    t.match(talk.last?.text, /no language model/);
  });
});
