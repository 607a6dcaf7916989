// A person cuts in while the avatar speaks: words end what it says, anything else lets it go on.
import t from "tap";
import {
  ScriptedConversation,
  type ScriptedConversationOptions,
  settled,
} from "../../../helpers/conversation/scripted-conversation.ts";

t.test("cutting in", async (t) => {
  const speaking = async (texts: ScriptedConversationOptions["texts"]) => {
    const talk = new ScriptedConversation({ texts });
    talk.conversation.type("Tell me a story.");
    await settled();
    talk.last?.hear("You said:");
    await settled();
    return talk;
  };

  t.test("160 ms of speech pause the avatar, less do not", async (t) => {
    const talk = await speaking([""]);
    talk.speech(128);
    t.same(talk.last?.calls, []);
    talk.speech(32);
    t.same(talk.last?.calls, ["pause"]);
    t.equal(talk.conversation.state, "listening");
  });

  t.test("beside an echo the avatar waits longer, and words end the answer all the same", async (t) => {
    const talk = new ScriptedConversation({ texts: ["Stop."], cutInMs: () => 320 });
    talk.conversation.type("Tell me a story.");
    await settled();
    talk.speech(256);
    t.same(talk.last?.calls, []);
    await talk.silence(200);
    t.same(talk.utterances[0].calls, ["stop"]);
  });

  t.test("words end the answer, and only what was heard of it is kept", async (t) => {
    const talk = await speaking(["Wait, what?"]);
    await talk.say();
    t.same(talk.utterances[0].calls, ["pause", "stop"]);
    t.same(talk.transcript, ["user: Tell me a story.", "assistant: You said:", "user: Wait, what?"]);
    const { history } = talk.asked.at(-1) ?? { history: [] };
    t.same(
      history.map(({ text }) => text),
      ["Tell me a story.", "You said:", "Wait, what?"],
    );
    t.equal(talk.utterances.length, 2);
  });

  for (const [sound, text] of [
    ["a cough", ""],
    ["a hum", "Mhm."],
    ["a word of agreement", "Yeah, okay."],
  ]) {
    t.test(`after ${sound} the avatar goes on`, async (t) => {
      const talk = await speaking([text]);
      await talk.say(200);
      t.same(talk.last?.calls, ["pause", "resume"]);
      t.equal(talk.conversation.state, "speaking");
      t.same(talk.transcript, ["user: Tell me a story."]);
      t.same(talk.shown, []);
    });
  }

  t.test("words that the recogniser may have invented for a short sound do not end the answer", async (t) => {
    for (const heard of [
      { text: "Beham.", language: "en", meanLogProbability: -1.1 },
      { text: "مهمة", language: "ar", meanLogProbability: -0.6 },
    ]) {
      const talk = await speaking([heard]);
      talk.speech(480);
      await talk.silence(200);
      t.same(talk.last?.calls, ["pause", "resume"], heard.text);
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
    const talk = await speaking([]);
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
    await talk.conversation.close();
  });

  t.test("an answer of which nothing was heard is held, too", async (t) => {
    const talk = new ScriptedConversation({ texts: ["No, another one."] });
    talk.conversation.type("Tell me a story.");
    await settled();
    await talk.say();
    t.same(talk.utterances[0].calls, ["pause", "stop"]);
    t.same(talk.transcript, ["user: Tell me a story.", "user: No, another one."]);
  });

  t.test("typed text ends what the avatar says", async (t) => {
    const talk = await speaking([]);
    talk.conversation.type("Stop.");
    await settled();
    t.same(talk.utterances[0].calls, ["stop"]);
    t.same(talk.transcript, ["user: Tell me a story.", "assistant: You said:", "user: Stop."]);
  });
});
