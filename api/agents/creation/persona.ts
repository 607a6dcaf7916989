// Derives a persona from a prompt alone: name, description, gender, subject. The same prompt always gives the same
// persona.
import { createHash } from "node:crypto";

export type Gender = "female" | "male" | "";
export type Subject = "person" | "animal" | "robot";

export interface Persona {
  name: string;
  /** One sentence, at most 160 characters. */
  description: string;
  /** Empty if the prompt does not say. */
  gender: Gender;
}

/** Prompts of agents that were made without one. */
const DEFAULT_PROMPTS = [
  "You are Nova, a warm and curious host who answers in one or two clear sentences.",
  "You are Milo, a calm guide who explains things step by step and likes a good question.",
  "You are Ada, a friendly expert who listens first and answers briefly.",
  "You are Theo, a cheerful assistant who keeps things simple and to the point.",
];
const NAMES: Readonly<Record<"female" | "male", readonly string[]>> = {
  female: ["Nova", "Ada", "Mira", "Lena", "Iris", "Zoe", "Clara", "Noor", "Maya", "Elin"],
  male: ["Milo", "Theo", "Arun", "Leo", "Jonas", "Omar", "Felix", "Hugo", "Noah", "Kenji"],
};
const NAME_PATTERNS = [
  /\b(?:you are|you're|i am|i'm|named|called|name is)\s+(?:an?\s+\w+\s+(?:named|called)\s+)?(\p{Lu}[\p{L}'-]{1,30}(?:\s\p{Lu}[\p{L}'-]{1,30})?)(?=[\s,.;:!?]|$)/u,
  /^(?:YOU ARE|You are|You're|I am|I'm)\s+(\p{Lu}[\p{L}'-]{1,30}(?:\s\p{Lu}[\p{L}'-]{1,30})?)(?=[\s,.;:!?]|$)/u,
  // "Kwame, a friendly guide"
  /^(\p{Lu}[\p{L}'-]{1,30}(?:\s\p{Lu}[\p{L}'-]{1,30})?),\s(?:an?|your|our|my)\s/u,
];
const FEMALE =
  /\b(she|her|hers|woman|female|girl|lady|mother|mom|sister|daughter|grandmother|queen|actress|waitress)\b/gi;
const MALE = /\b(he|him|his|man|male|boy|gentleman|father|dad|brother|son|grandfather|king|actor|waiter)\b/gi;
/** Matches one of the nouns as the character's kind: after "you are", at the start of a sentence or after a comma, with
 *  at most a few words between. Does not match a noun within the name of a trade ("a cat sitter", "the robot
 *  engineer"). */
const BEING = (nouns: string) =>
  new RegExp(
    `(?:^|[.!?,;:]\\s*|\\b(?:are|am|be|as|play|named|called)\\s+|'(?:re|m)\\s+)(?:\\p{Lu}[\\p{L}'-]*,?\\s+)?(?:an?|the)\\s+` +
      `(?:(?!(?:who|that|with|for|of|about|to|from|and|in|on)\\b)[\\p{L}'-]+\\s+){0,4}?(?:${nouns})\\b` +
      `(?!\\s+(?:\\p{L}+(?:er|or|ist|ian|fan|expert|shop|show|food)s?\\b|fans?\\b|experts?\\b|shop|show|food))`,
    "iu",
  );
const ROBOT = BEING("robot|android|cyborg|droid|automaton");
const ANIMAL = BEING(
  "animal|cat|kitten|dog|puppy|fox|bear|rabbit|bunny|owl|lion|tiger|wolf|monkey|panda|mouse|bird|parrot|dragon",
);
/** As `BEING`, but without ambiguity: only at the start or after "you are", and only where the noun ends the phrase. */
const PLAIN_NON_HUMAN = new RegExp(
  `(?:^|[.!?]\\s+|\\b(?:you are|you're|i am|i'm|play)\\s+)(?:an?|the)\\s+` +
    `(?:(?!(?:who|that|with|for|of|about|to|from|and|in|on|or|but|no|not|as|like|is|was|named|called|lone|old)\\b)[\\p{L}'-]+\\s+){0,3}?` +
    `(?:cat|kitten|dog|puppy|fox|rabbit|bunny|owl|lion|tiger|panda|parrot|dragon|penguin|squirrel|hedgehog|hamster|horse|` +
    `robot|android|teapot|kettle|toaster|lamp|candlestick|snowman|cactus|pumpkin|teddy bear)` +
    `(?=\\s*(?:$|[.,;:!?])|\\s+(?:who|that|which|named|called)\\b)`,
  "iu",
);

/** Length limits of the derived texts, in characters. */
const MAX_NAME = 60;
const MAX_DESCRIPTION = 160;

/** A default prompt for an agent without one: with the name that its owner gives it (empty for none), else chosen by
 *  its code. */
export function defaultPrompt(agentCode: string, name: string | undefined): string {
  if (name === undefined) return DEFAULT_PROMPTS[hash(agentCode) % DEFAULT_PROMPTS.length];
  return `You are ${name === "" ? "" : `${name}, `}a warm and curious host who answers in one or two clear sentences.`;
}

/** A persona for a prompt. Never throws. */
export function derivePersona(prompt: string): Persona {
  const gender = genderOf(prompt);
  const found = NAME_PATTERNS.map((pattern) => pattern.exec(prompt)?.[1]).find((name) => name !== undefined);
  const seed = hash(prompt);
  const names = NAMES[gender === "" ? (seed % 2 === 0 ? "female" : "male") : gender];
  const name = (found ?? names[(seed >>> 1) % names.length]).slice(0, MAX_NAME);
  return { name, description: firstSentence(prompt), gender: gender === "" ? genderOfName(name) : gender };
}

/** The kind of character that a prompt describes; a person unless it says otherwise. */
export function subjectOf(prompt: string): Subject {
  if (ROBOT.test(prompt)) return "robot";
  return ANIMAL.test(prompt) ? "animal" : "person";
}

/** True only if a prompt clearly describes an animal, a robot or a thing: "You are a cat." and "a talking teapot" do;
 *  "a lion tamer", "a girl named Cat" and idioms do not. */
export function plainlyAsksForNonHuman(prompt: string): boolean {
  return PLAIN_NON_HUMAN.test(prompt);
}

/** A hash of the text, in [0, 2^32). */
export function hash(text: string): number {
  return createHash("sha256").update(text).digest().readUInt32BE(0);
}

function genderOf(prompt: string): Gender {
  const female = prompt.match(FEMALE)?.length ?? 0;
  const male = prompt.match(MALE)?.length ?? 0;
  if (female === male) return "";
  return female > male ? "female" : "male";
}

function genderOfName(name: string): Gender {
  const first = name.split(" ")[0];
  if (NAMES.female.includes(first)) return "female";
  return NAMES.male.includes(first) ? "male" : "";
}

function firstSentence(prompt: string): string {
  const sentence = /^.*?[.!?](?=\s|$)/su.exec(prompt.trim())?.[0] ?? prompt.trim();
  const line = sentence.replace(/\s+/g, " ");
  return line.length <= MAX_DESCRIPTION ? line : `${line.slice(0, MAX_DESCRIPTION - 1).trimEnd()}…`;
}
