// A person cuts in while the avatar speaks: words end what it says, anything else lets it go on.
import t from "tap";
import {
  ScriptedConversation,
  type ScriptedConversationOptions,
  settled,
} from "../../../helpers/conversation/scripted-conversation.ts";

t.test("cutting in", async (t) => {
  const speaking = async (texts: ScriptedConversationOptions["texts"]) => {
    const scripted = new ScriptedConversation({ texts });
    scripted.conversation.type("Tell me a story.");
    await settled();
    scripted.last?.hear("You said:");
    await settled();
    return scripted;
  };

  t.test("160 ms of speech pause the avatar, less do not", async (t) => {
    const scripted = await speaking([""]);
    scripted.speech(128);
    t.same(scripted.last?.calls, []);
    scripted.speech(32);
    t.same(scripted.last?.calls, ["pause"]);
    t.equal(scripted.conversation.state, "listening");
  });

  t.test("beside an echo the avatar waits longer, and words end the answer all the same", async (t) => {
    const scripted = new ScriptedConversation({ texts: ["Stop."], cutInMs: () => 320 });
    scripted.conversation.type("Tell me a story.");
    await settled();
    scripted.speech(256);
    t.same(scripted.last?.calls, []);
    await scripted.silence(200);
    t.same(scripted.utterances[0].calls, ["stop"]);
  });

  t.test("words end the answer, and only what was heard of it is kept", async (t) => {
    const scripted = await speaking(["Wait, what?"]);
    await scripted.say();
    t.same(scripted.utterances[0].calls, ["pause", "stop"]);
    t.same(scripted.transcript, ["user: Tell me a story.", "assistant: You said:", "user: Wait, what?"]);
    const { history } = scripted.asked.at(-1) ?? { history: [] };
    t.same(
      history.map(({ text }) => text),
      ["Tell me a story.", "You said:", "Wait, what?"],
    );
    t.equal(scripted.utterances.length, 2);
  });

  for (const [sound, text] of [
    ["a cough", ""],
    ["a hum", "Mhm."],
    ["a word of agreement", "Yeah, okay."],
  ]) {
    t.test(`after ${sound} the avatar goes on`, async (t) => {
      const scripted = await speaking([text]);
      await scripted.say(200);
      t.same(scripted.last?.calls, ["pause", "resume"]);
      t.equal(scripted.conversation.state, "speaking");
      t.same(scripted.transcript, ["user: Tell me a story."]);
      t.same(scripted.shown, []);
    });
  }

  t.test("words that the recogniser may have invented for a short sound do not end the answer", async (t) => {
    for (const heard of [
      { text: "Beham.", language: "en", meanLogProbability: -1.1 },
      { text: "مهمة", language: "ar", meanLogProbability: -0.6 },
    ]) {
      const scripted = await speaking([heard]);
      scripted.speech(480);
      await scripted.silence(200);
      t.same(scripted.last?.calls, ["pause", "resume"], heard.text);
    }
    const fast = await speaking(["I'm ready for the nothing."]);
    await fast.say(200);
    t.same(fast.last?.calls, ["pause", "resume"], "26 characters in .64 s");
    const long = await speaking([{ text: "Was soll das denn?", language: "de", meanLogProbability: -1.1 }]);
    long.speech(960);
    await long.silence(200);
    t.same(long.utterances[0].calls, ["pause", "stop"], "a longer one is speech");
    const free = new ScriptedConversation({ texts: [{ text: "Ja.", language: "de", meanLogProbability: -1.1 }] });
    free.speech(320);
    await free.silence(320);
    t.same(free.transcript, ["user: Ja."], "while the avatar is silent, every word counts");
  });

  t.test("without words .7 s after the sound the avatar goes on; words that come later still end it", async (t) => {
    const scripted = await speaking([]);
    let tell: (text: string) => void = () => undefined;
    const late = new ScriptedConversation({
      stt: { transcribe: () => new Promise((resolve) => (tell = (text) => resolve({ text, language: "en" }))) },
    });
    late.conversation.type("Tell me a story.");
    await settled();
    late.last?.hear("You said:");
    late.speech(960);
    await late.silence(640);
    t.same(late.last?.calls, ["pause"]);
    await late.silence(96);
    t.same(late.last?.calls, ["pause", "resume"]);
    tell("Stop it, please.");
    await late.silence(32);
    t.same(late.utterances[0].calls, ["pause", "resume", "stop"]);
    await scripted.conversation.close();
  });

  t.test("an answer of which nothing was heard is held, too", async (t) => {
    const scripted = new ScriptedConversation({ texts: ["No, another one."] });
    scripted.conversation.type("Tell me a story.");
    await settled();
    await scripted.say();
    t.same(scripted.utterances[0].calls, ["pause", "stop"]);
    t.same(scripted.transcript, ["user: Tell me a story.", "user: No, another one."]);
  });

  t.test("typed text ends what the avatar says", async (t) => {
    const scripted = await speaking([]);
    scripted.conversation.type("Stop.");
    await settled();
    t.same(scripted.utterances[0].calls, ["stop"]);
    t.same(scripted.transcript, ["user: Tell me a story.", "assistant: You said:", "user: Stop."]);
  });
});
