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
      const scripted = new ScriptedConversation({ language: "de", answer: failing });
      scripted.conversation.type("Hallo?");
      await settled();
      t.match(scripted.last?.text, /Ich|nicht antworten/);
      t.same(scripted.faults, ["llm"]);
      scripted.last?.finish();
      await settled();
      scripted.conversation.type("Und jetzt?");
      await settled();
      t.equal(scripted.asked.length, 2);
    },
  );

  t.test("where a model fails, documents answer if they can", async (t) => {
    const scripted = new ScriptedConversation({ answer: failing });
    scripted.conversation.type("Is it free?");
    await settled();
    t.match(scripted.last?.text, /^My language model does not answer now.* It is open source/);
    scripted.last?.finish();
    await settled();
    scripted.conversation.type("Who won the world cup?");
    await settled();
    t.match(scripted.last?.text, /^Sorry, I can't answer right now/);
    t.same(scripted.faults, ["llm", "llm"]);
  });

  t.test("what a model has said before it broke off is kept", async (t) => {
    const scripted = new ScriptedConversation({
      answer: async function* () {
        yield "The first sentence is here. ";
        yield "And then";
        throw new EngineError("upstream-unavailable", "The model server broke off.");
      },
    });
    scripted.conversation.type("Go on.");
    await settled();
    t.match(scripted.last?.text, /^The first sentence is here\. $/);
    t.ok(scripted.last?.isComplete);
  });

  t.test("speech recognition that dies is asked again: the turn is not lost", async (t) => {
    const scripted = new ScriptedConversation({ texts: [AWAY, AWAY, "I am still here."], probabilities: [1] });
    await scripted.say();
    await waitFor(() => scripted.utterances.length === 1, "the answer", 3_000);
    t.same(scripted.transcript, ["user: I am still here."]);
    t.same(scripted.faults, []);
  });

  t.test("speech recognition that fails in the middle of a long turn ends the turn, and nothing else", async (t) => {
    const scripted = new ScriptedConversation({ texts: [new EngineError("invalid-input", "wrong"), "The end."] });
    scripted.speech(28_100);
    await settled();
    await scripted.say();
    t.same(scripted.faults, ["stt"]);
    t.match(scripted.last?.text, /didn't catch that/);
  });

  t.test("speech recognition that stays away is answered with a fixed sentence", async (t) => {
    const scripted = new ScriptedConversation({ texts: [new EngineError("invalid-input", "wrong")] });
    await scripted.say();
    t.match(scripted.last?.text, /didn't catch that/);
    t.same(scripted.faults, ["stt"]);
  });

  t.test("a voice that fails ends the answer, not the conversation", async (t) => {
    const scripted = new ScriptedConversation();
    scripted.conversation.type("One.");
    await settled();
    scripted.last?.finish(new EngineError("unavailable", "no voice"));
    await settled();
    t.same(scripted.faults, ["voice"]);
    scripted.conversation.type("Two.");
    await settled();
    t.equal(scripted.utterances.length, 2);
  });
});

t.test("without a model", async (t) => {
  const passage = {
    file_name: "museum.md",
    heading: "",
    text: "The museum lies by the river. It opens at nine o'clock and closes at six.\nOn Mondays it is closed.",
  };

  t.test("the best passage answers", async (t) => {
    const scripted = new ScriptedConversation({ llm: () => null, search: async () => [passage] });
    scripted.conversation.type("When does the museum open?");
    await settled();
    t.match(scripted.last?.text, /opens at nine o'clock and closes at six\./);
    t.ok((scripted.last?.text ?? "").split(". ").length <= 2, "in two sentences at most");
  });

  t.test("without a passage the avatar says that it does not know", async (t) => {
    const scripted = new ScriptedConversation({ llm: () => null, search: async () => [] });
    scripted.conversation.type("When does the museum open?");
    await settled();
    t.equal(scripted.last?.text, "I don't know that. My documents do not say it.");
  });

  t.test("the product's document answers an agent that has none", async (t) => {
    const scripted = new ScriptedConversation({ llm: () => null });
    scripted.conversation.type("Do I need a GPU?");
    await settled();
    t.match(scripted.last?.text, /^No GPU is needed/);
  });
});
