import t from "tap";
import {
  defaultPrompt,
  derivePersona,
  plainlyAsksForNonHuman,
  subjectOf,
} from "../../../../api/agents/creation/persona.ts";
import { openGallery } from "../../../../api/agents/portraits/gallery.ts";
import { agentCodeFromKey, isChosenCode, randomAgentCode } from "../../../../api/agents/record/agent-code.ts";
import { chooseVoice } from "../../../../api/agents/voices/choose-voice.ts";
import { parsePortraitInput } from "../../../../program/http/portrait-input.ts";

t.test("a prompt always gives the same name, description, gender and subject", async (t) => {
  t.match(derivePersona("You are Nova, a warm host. You love art."), {
    name: "Nova",
    description: "You are Nova, a warm host.",
    gender: "female",
  });
  t.equal(derivePersona("You are Mona Lisa, a friendly host.").name, "Mona Lisa");
  t.match(derivePersona("A helpful pirate named Jack Sparrow. He sings."), { name: "Jack Sparrow", gender: "male" });
  t.equal(derivePersona("Kwame, a friendly guide who knows every bird").name, "Kwame");
  t.not(derivePersona("Patient, kind and calm").name, "Patient");
  t.match(derivePersona("She teaches maths."), { gender: "female" });
  t.ok(derivePersona("").name);
  t.ok(derivePersona("x".repeat(20_000)).description.length <= 160);
  t.same(derivePersona("Help people."), derivePersona("Help people."));
  t.equal(subjectOf("A grumpy cat called Tom"), "animal");
  t.equal(subjectOf("You are a robot."), "robot");
  t.equal(subjectOf("You are a librarian."), "person");
  t.equal(subjectOf("You are Rusty, a clever little fox who sells tea."), "animal");
  t.equal(subjectOf("You're Beep. A small rusty robot with a big heart."), "robot");
  for (const trade of [
    "A cat sitter.",
    "You are the robot engineer of a factory.",
    "You are a vet who treats a dog.",
  ]) {
    t.equal(subjectOf(trade), "person", trade);
  }
  t.match(chooseVoice({ prompt: "x", gender: "female", character: null }), /^F[1-5]$/);
  t.match(chooseVoice({ prompt: "x", gender: "male", character: null }), /^M[1-5]$/);
  t.equal(defaultPrompt("A00ABC0000", undefined), defaultPrompt("A00ABC0000", undefined));
  t.match(defaultPrompt("A00ABC0000", "Vera"), /^You are Vera, a /);
  t.match(defaultPrompt("A00ABC0000", ""), /^You are a /, "no name by a hash where the owner wants none");
});

t.test("agent codes have the contract's form, are derived from keys, and avoid words of paths", async (t) => {
  t.match(randomAgentCode(), /^[A-Z]\d{2}[A-Z]{3}\d{4}$/);
  t.equal(agentCodeFromKey("u", "k", 0), agentCodeFromKey("u", "k", 0));
  t.not(agentCodeFromKey("u", "k", 0), agentCodeFromKey("u", "k", 1));
  t.not(agentCodeFromKey("u", "k", 0), agentCodeFromKey("v", "k", 0));
  for (const code of ["abc", "my_agent-1", "A".repeat(64)]) t.ok(isChosenCode(code), code);
  for (const code of ["ab", "A".repeat(65), "a b", "generate", "Status", "ä-umlaut"]) t.notOk(isChosenCode(code), code);
});

t.test("an image field is a URL, a data URI or base64", async (t) => {
  t.same(parsePortraitInput(" https://x.example/a.png "), { kind: "url", url: "https://x.example/a.png" });
  t.same(parsePortraitInput("aGVs\nbG8="), { kind: "bytes", bytes: Buffer.from("hello") });
  t.same(parsePortraitInput("data:image/png;base64,aGVsbG8="), { kind: "bytes", bytes: Buffer.from("hello") });
});

t.test("the gallery picks by subject, gender and words, deterministically, and every entry loads", async (t) => {
  const gallery = await openGallery();
  t.ok(gallery.entries.length >= 6);
  for (const entry of gallery.entries) {
    const { bytes, points } = await gallery.load(entry.id);
    t.ok(bytes.length > 10_000);
    t.equal(points.length, 3 * 478);
  }
  const wish = { prompt: "A calm teacher.", gender: "male", mustBePerson: true, subject: "person" } as const;
  const chosen = gallery.choose(wish);
  t.match(chosen, { kind: "person", gender: "male" });
  t.equal(gallery.choose(wish), chosen);
  t.equal(gallery.choose({ ...wish, prompt: "A cat.", subject: "animal" }).kind, "person", "when it must be one");
  const variety = new Set(
    Array.from({ length: 40 }, (_, n) => gallery.choose({ ...wish, gender: "", prompt: `Prompt ${n}` }).id),
  );
  t.ok(variety.size >= 4, "different prompts get different faces");
  const famous = gallery.entries.filter(({ work }) => work).map(({ id }) => id);
  t.ok(famous.length >= 4);
  t.same(
    famous.filter((id) => variety.has(id)),
    [],
    "no famous face by chance",
  );
  const demo = { ...wish, gender: "", prompt: "You are Mona Lisa, a friendly host who explains things." } as const;
  t.equal(gallery.choose(demo).id, "mona-lisa", "but by its name");
  t.ok(gallery.choose({ ...demo, prompt: "A guide to renaissance art." }).work, "or by its tags");
  await t.rejects(gallery.load("nobody"), RangeError);
});

t.test("only an unambiguous prompt counts as describing an animal, a robot or an object", async (t) => {
  for (const prompt of ["You are a cat", "a talking teapot", "You are a wise purple owl.", "I am a robot named Bo."]) {
    t.ok(plainlyAsksForNonHuman(prompt), prompt);
  }
  const people = [
    "",
    "You are a veterinarian who loves cats.",
    "You are a lion tamer.",
    "You are a girl named Cat.",
    "You are a man dressed as a dog.",
    "You are a sly old fox.",
    "You are a robot engineer.",
    "A cat is my best friend. You are Ada.",
    "You are Nova. Your pet, a dog, is called Rex.",
    "You are a dog walker.",
    "You are a tiger mom.",
  ];
  for (const prompt of people) t.notOk(plainlyAsksForNonHuman(prompt), prompt);
});
