// What an avatar without a language model answers to small talk in English. Rules are for whole sentences, so that a
// question with a greeting before it is still a question.
import { plainWords } from "./plain-words.ts";

export interface Persona {
  name: string;
  /** The agent's prompt. */
  systemPrompt: string;
  /** Whether the agent has documents of its own. */
  hasDocuments: boolean;
}

/** `saidLast`: what the avatar said last; empty if nothing. */
type Reply = (persona: Persona, saidLast: string) => string;

const WHAT_I_AM =
  "I'm an avatar: one picture that moves and talks. I answer from documents, and I am not a language model.";
/** Longest character that is told ("a patient museum guide"), in words. */
const MAX_CHARACTER_WORDS = 6;

const GREETING =
  /^(?:(?:hello|hi|hey|hiya|good (?:morning|afternoon|evening|day)|greetings|howdy)(?: there| again| everyone| you)? ?)+$/;
/** What may stand before what is meant, and after it. */
const BEFORE = /^(?:so|well|oh|um+|uh+|er+|ah|and|but|okay|ok|alright|right|please|now|just|yes|yeah|no)(?: |$)/;
const WITHIN = / (?:exactly|actually|really|even|just)(?= |$)/g;
const AFTER = / (?:please|then|now)$/;

/** Sentences, and the reply to them. */
const RULES: readonly (readonly [sentences: string, reply: Reply])[] = [
  [
    "how are you( doing| feeling)?( today)?|how is it going|how do you (do|feel)|what is up|are you (ok|okay|well|fine)",
    () => "I'm well, thank you. What would you like to know?",
  ],
  [
    "(many |great |ok )?(thanks|thank you|cheers|much appreciated)( so much| very much| a lot| again)?( for .{1,40})?",
    () => "You're welcome.",
  ],
  [
    "good ?bye|(bye ?)+|see you( later| soon| tomorrow)?|good night|farewell|take care|i (have|need) to go|that is all.{0,10}",
    () => "Goodbye. It was nice to talk with you.",
  ],
  [
    "are you (still )?(there|here|listening|with me)|(can|do) you (still )?(hear|understand) me|" +
      "is (any|some)(one|body) there|test(ing)?|is this (thing )?(on|working)",
    () => "Yes, I'm here. What would you like to know?",
  ],
  [
    "what is your name|what are you called|do you have a name|tell me your name|what (should|can|do) i call you",
    ({ name }) => `My name is ${name}.`,
  ],
  [
    "who are you|introduce yourself|tell me (something |a bit |more )?about you(rself)?|who am i (talking|speaking) (to|with)",
    ({ name, systemPrompt }) => `I'm ${name}${characterIn(systemPrompt)}. ${WHAT_I_AM}`,
  ],
  [
    "what are you|(are you|is this) (a |an )?(real|human|person|man|woman|robot|ai|a i|machine|computer|program|chat ?bot|bot|" +
      "alive|chat ?gpt|language model|actor|artificial|intelligent|recording).{0,30}|am i (talking|speaking) (to|with) a .{1,30}|" +
      "do you have (feelings|a (body|soul|brain))|how old are you|where (are you from|do you (live|come from))",
    () => `I'm not a person. ${WHAT_I_AM}`,
  ],
  [
    "what can you (do|tell me|help me with|help with|answer)|what (can|should|do) i (ask|say|do)( you)?( here)?|help( me)?|" +
      "(can|how can) you help( me)?|what do you know( about)?|what is your (job|purpose)",
    ({ hasDocuments }) =>
      `${hasDocuments ? "I answer from my documents, and questions" : "I answer questions"} about this avatar service: your ` +
      "own photo, voices, price, privacy, or how to put me on a website. You can also let me say a line that you type.",
  ],
  [
    "((can|could|would|will) you )?(please )?(repeat|say)( that| it| this)?( again| once more| one more time)?|" +
      "what did you( just)? say|pardon( me)?|come again|what was that|sorry|excuse me|what|" +
      "i (did|could) not (hear|catch|understand|get) (that|you|it|what you said)",
    (_, saidLast) => (saidLast === "" ? "I have said nothing yet. What would you like to know?" : saidLast),
  ],
  ["i have (a|another) question|can i ask (you )?(something|a question)", () => "Yes, I hear you. Ask me."],
  [
    "you (look|are|sound) (very |really |so )?(nice|great|good|beautiful|pretty|lovely|funny|cute|amazing|clever|smart|cool).{0,20}|" +
      "i (like|love) you|(nice|pleased) to (meet|see) you",
    () => "Thank you, that is kind.",
  ],
  [
    "stop( it)?|shut up|be quiet|silence|enough|never ?mind|forget it|wait( a .{1,10})?|hold on|let me think.{0,10}",
    () => "All right.",
  ],
  [
    "yes|yeah|yep|no|nope|ok|okay|sure|fine|great|cool|nice|wow|good|perfect|awesome|interesting|i see|all ?right|really|got it|" +
      "understood|that is (good|great|nice|cool|fine|interesting|amazing)",
    () => "What else would you like to know?",
  ],
];
const PATTERNS = RULES.map(([sentences, reply]) => ({ pattern: new RegExp(`^(?:${sentences})$`), reply }));

/** What is left of a text without small talk, and the reply to the small talk. */
export interface SmallTalk {
  /** Empty if all is small talk. */
  question: string;
  /** Undefined if nothing is. */
  reply: string | undefined;
}

/** Tells the small talk in a text from the question. */
export function readSmallTalk(text: string, persona: Persona, saidLast: string): SmallTalk {
  const name = plainWords(persona.name);
  const questions: string[] = [];
  let reply: string | undefined;
  for (const part of text.match(/[^,.!?;:]+[,.!?;:]*/g) ?? []) {
    const meant = meaningOf(plainWords(part), name);
    const rule = PATTERNS.find(({ pattern }) => pattern.test(meant));
    if (rule) reply = rule.reply(persona, saidLast);
    else if (meant === "" || GREETING.test(meant)) reply ??= "Hello. What would you like to know?";
    else questions.push(part.trim());
  }
  return { question: questions.join(" "), reply };
}

function meaningOf(part: string, name: string): string {
  if (part === name) return "";
  let meant = name !== "" && part.endsWith(` ${name}`) ? part.slice(0, -name.length - 1) : part;
  while (BEFORE.test(meant)) meant = meant.replace(BEFORE, "");
  return meant.replaceAll(WITHIN, "").replace(AFTER, "");
}

/** The character that a prompt gives the avatar: "You are Nova, a patient museum guide who …" gives ", a patient museum
 *  guide". */
function characterIn(systemPrompt: string): string {
  const pattern = /^(?:you are )?(?:[\p{Lu}][^\s,]*(?: [\p{Lu}][^\s,]*)*, )?([Aa]n? [^.,;:!?\n()]{3,80})/u;
  const character = pattern.exec(systemPrompt.trim().replace(/^You are /, "you are "))?.[1] ?? "";
  const words = character.split(/ (?:who|that|which|with|for|and|at) /)[0].split(/\s+/);
  const isShort = words.length > 1 && words.length <= MAX_CHARACTER_WORDS;
  return isShort ? `, ${words.join(" ").replace(/^A/, "a")}` : "";
}
