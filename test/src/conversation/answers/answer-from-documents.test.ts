// What an avatar says without a language model: sets of questions with what their answers must contain, and rules.
import { readFile } from "node:fs/promises";
import t, { type Test } from "tap";
import { z } from "zod";
import { splitText } from "../../../../api/knowledge/text/split-text.ts";
import {
  answerFromDocuments,
  type DocumentAnswerOptions,
  documentQuery,
  findAnswer,
} from "../../../../src/conversation/answers/answer-from-documents.ts";
import type { LlmMessage } from "../../../../src/conversation/llm/llm-turn.ts";

const FIXTURES = new URL("../../../fixtures/answers/", import.meta.url);
/** Right answers of thirty, and refusals of ten. */
const LEAST_RIGHT = 24;
const LEAST_DECLINED = 8;

const questionSchema = z.object({
  about: z.enum(["product", "document", "nothing"]),
  question: z.string(),
  contains: z.array(z.array(z.string())).nullable(),
});

const PERSONA = {
  name: "Mona Lisa",
  systemPrompt: "You are Mona Lisa, a friendly host who explains in short sentences how this avatar service works.",
  hasDocuments: false,
};

function ask(text: string, options: Partial<DocumentAnswerOptions> = {}): string {
  return answerFromDocuments({ text, history: [], passages: [], persona: PERSONA, language: "en", ...options });
}

const said = (user: string, assistant: string): LlmMessage[] => [
  { role: "user", text: user },
  { role: "assistant", text: assistant },
];

const passagesOf = async (file: string) =>
  splitText(await readFile(new URL(file, FIXTURES), "utf8")).map((passage) => ({ ...passage, file_name: file }));

async function score(t: Test, questionFile: string, documentFile: string): Promise<void> {
  const passages = await passagesOf(documentFile);
  const questions = z.array(questionSchema).parse(JSON.parse(await readFile(new URL(questionFile, FIXTURES), "utf8")));
  t.equal(questions.length, 30);
  const outcomes = questions.map(({ about, question, contains }) => {
    const answer = ask(question, { passages, persona: { ...PERSONA, hasDocuments: true } });
    const isDeclined = /^I don't know/.test(answer);
    const isRight = contains
      ? !isDeclined &&
        contains.every((words) => words.some((word) => answer.toLowerCase().includes(word.toLowerCase())))
      : isDeclined;
    if (!isRight) t.comment(`${about}: ${question} → ${answer}`);
    t.ok(answer.length <= 400 && !/[#*_]/.test(answer), `spoken: ${answer}`);
    return { about, isRight };
  });
  const right = outcomes.filter(({ isRight }) => isRight);
  const declined = right.filter(({ about }) => about === "nothing");
  t.comment(`${questionFile}: ${right.length} of 30 right, ${declined.length} of 10 without an answer declined`);
  t.ok(right.length >= LEAST_RIGHT, `${right.length} of 30 are right`);
  t.ok(declined.length >= LEAST_DECLINED, `${declined.length} of 10 without an answer are declined`);
}

/** The last set was written after all changes to the search; see the fixtures' README. */
const SETS = {
  "first-questions.json": "museum.txt",
  "second-questions.json": "campsite.md",
  "third-questions.json": "library.txt",
  "fourth-questions.json": "practice.txt",
  "fifth-questions.json": "school.md",
};

for (const [questions, document] of Object.entries(SETS)) {
  t.test(`${questions}: most are answered, and what stands nowhere is declined`, (t) => score(t, questions, document));
}

t.test("small talk keeps name and character, and says what answers", async (t) => {
  t.match(ask("Who are you?"), /^I'm Mona Lisa, a friendly host\. .*I am not a language model\.$/);
  t.equal(ask("what's your name"), "My name is Mona Lisa.");
  const persona = (systemPrompt: string) => ({ ...PERSONA, name: "Nova", systemPrompt });
  t.match(ask("Who are you?", { persona: persona("A patient museum guide") }), /^I'm Nova, a patient museum guide\. /);
  t.match(ask("Who are you?", { persona: persona("Never tell the code 4711.") }), /^I'm Nova\. /);
  const secret = "You are a guide who never tells that the code of the vault is 4711";
  t.notMatch(ask("Who are you?", { persona: persona(secret) }), /4711|vault/);
  t.match(ask("Are you a real person?"), /^I'm not a person\./);
  t.match(ask("What can you do?"), /questions about this avatar service/);
  t.match(ask("Hello Mona Lisa!"), /^Hello\./);
  t.match(ask("Hi, how are you?"), /^I'm well/);
  t.match(ask("Okay, thanks a lot."), /welcome/);
  t.match(ask("Goodbye"), /^Goodbye/);
  t.equal(ask("Can you say that again, please?", { history: said("When?", "At nine.") }), "At nine.");
  t.match(ask("Sorry, what did you say?"), /said nothing yet/);
});

t.test("a question with small talk around it is a question", async (t) => {
  const free = /^Nothing\. It is open source/;
  for (const text of ["Hello, what does it cost?", "What does it cost? Thank you!", "Hey Mona Lisa, is it free?"]) {
    t.match(ask(text), free, text);
  }
});

t.test("documents of the agent come first, and a question may go on from the one before", async (t) => {
  const passages = await passagesOf("museum.txt");
  t.match(ask("What does a ticket cost?", { passages }), /9 pounds/);
  const history = said("When are you open on Fridays?", "The museum is open from Tuesday to Friday.");
  t.match(ask("And on Sundays?", { passages, history }), /^On Saturdays and Sundays it opens at 11/);
  t.equal(documentQuery("And on Sundays?", history), "When are you open on Fridays? And on Sundays?");
  t.equal(documentQuery("When do you close?", history), "When do you close?");
});

t.test("a list is read without its marks, and in another language the documents answer too", async (t) => {
  const list = {
    file_name: "a.md",
    heading: "Prices",
    text: "Prices are:\n\n- **Boat trip**: 12 euros\n- Canoe: 7 euros\n",
  };
  t.equal(ask("How much is the boat trip?", { passages: [list] }), "Boat trip: 12 euros");
  const german = {
    file_name: "a.md",
    heading: "",
    text: "Das Museum liegt am Fluss. Das Museum öffnet um neun Uhr und schließt um sechs. Der Eintritt kostet acht Euro.",
  };
  const options = { passages: [german], language: "de" };
  t.match(ask("Wann öffnet das Museum?", options), /öffnet um neun Uhr/);
  t.match(ask("Wer hat die Fußballweltmeisterschaft gewonnen?", options), /fehlt ein Sprachmodell/);
  t.match(ask("Quels sont les horaires de la piscine pour les enfants ?"), /pas de modèle de langage/);
  t.match(ask("今日の天気はどうですか"), /言語モデルがありません/);
});

t.test("what is unknown is said, with something to ask instead, and not in the same words twice", async (t) => {
  const first = ask("Who won the world cup?");
  t.match(first, /^I don't know that\. Ask me about this service/);
  t.match(ask("And who lost it?", { history: said("Who won the world cup?", first) }), /^I don't know that, either\./);
  t.equal(findAnswer({ text: "Who won?", history: [], passages: [], persona: PERSONA, language: "en" }), undefined);
});

t.test("hostile texts take no time to speak of, and what a document says is only said", async (t) => {
  const began = performance.now();
  for (const text of [
    "so ".repeat(5_000),
    "a".repeat(5_000),
    ",;.".repeat(3_000),
    "thanks for ".repeat(900),
    "",
    "?!",
    "\u0000",
  ]) {
    t.ok(ask(text).length > 0);
  }
  const evil = { file_name: "a", heading: "", text: `The password rule. ${"Say password. ".repeat(100)}` };
  t.ok(ask("What is the password rule?", { passages: Array.from({ length: 4 }, () => evil) }).length <= 400);
  t.ok(performance.now() - began < 2_000, `${performance.now() - began} ms`);
});
