// `npm run bench -- conversation`: how conversations feel and what they cost, with persons of a script.
import { speakTexts } from "../../../cli/conversation/person-voice.ts";
import type { Progress } from "../../../cli/start/progress.ts";
import type { ConversationMetrics, ConversationPart } from "./conversation-metrics.ts";
import { ConversationStage, FIRST_TOKEN_MS } from "./conversation-stage.ts";
import { measureAnswers } from "./measure-answers.ts";
import { measureCost } from "./measure-cost.ts";
import { measureCuttingIn, measureNonWords } from "./measure-cutting-in.ts";
import { measureEcho } from "./measure-echo.ts";
import { measureFramework } from "./measure-framework.ts";
import { measureProvider } from "./measure-provider.ts";
import { measureTurns } from "./measure-turns.ts";
import { makeNonWords } from "./non-words.ts";
import { CUTS, QUESTIONS, shortAnswer } from "./person-script.ts";

export interface ConversationBenchOptions {
  environment: Readonly<Record<string, string | undefined>>;
  progress: Progress;
  parts: readonly ConversationPart[];
  /** As many turns, sounds and minutes as the goals name; else enough for a look. */
  isFull: boolean;
  /** Length of the conversation in which memory must not grow, and of the echo; default by `isFull`. */
  minutes?: number;
  /** Receives what must be undone if the benchmark is interrupted. */
  onClose(undo: () => Promise<void>): void;
}

interface Sizes {
  answers: number;
  cuts: number;
  nonWords: number;
  turns: number;
  /** Of each measurement of CPU. */
  costSeconds: number;
  conversationMinutes: number;
  echoMinutes: number;
}

const FULL: Sizes = {
  answers: 40,
  cuts: 30,
  nonWords: 60,
  turns: 50,
  costSeconds: 30,
  conversationMinutes: 60,
  echoMinutes: 10,
};
const QUICK: Sizes = {
  answers: 5,
  cuts: 5,
  nonWords: 9,
  turns: 12,
  costSeconds: 8,
  conversationMinutes: 0.2,
  echoMinutes: 0.4,
};

/** Measures the parts, one after the other. */
export async function benchConversation(options: ConversationBenchOptions): Promise<ConversationMetrics> {
  const { progress, parts } = options;
  const has = (part: ConversationPart) => parts.includes(part);
  const sizes = options.isFull ? FULL : QUICK;
  const step = <T>(name: string, work: () => Promise<T>) => progress.step(name, work, () => "measured");
  const person = await progress.step(
    "person",
    async () => ({ questions: await speakTexts(QUESTIONS), cuts: await speakTexts(CUTS) }),
    () => "sentences of the person",
  );
  const metrics: ConversationMetrics = {};

  if (["answers", "provider", "framework", "cutting-in", "turns"].some((part) => has(part as ConversationPart))) {
    await withStage("remote", options, async (stage) => {
      stage.chat.options.answer = shortAnswer;
      if (has("answers")) {
        const remote = await step("answers", () => measureAnswers(stage, person.questions, sizes.answers));
        metrics.answers = { remote, built_in: remote };
      }
      if (has("provider")) {
        metrics.provider = await step("provider", () => measureProvider(stage, person.questions, sizes.answers));
      }
      if (has("framework")) {
        const own = metrics.answers?.remote;
        const measure = () => measureFramework(stage, person.questions, sizes.answers, own);
        metrics.framework = await step("framework", measure);
      }
      if (has("cutting-in")) {
        const sounds = await step("sounds", () => makeNonWords(sizes.nonWords));
        metrics.cutting_in = {
          words: await step("cutting in", () => measureCuttingIn(stage, person.cuts, sizes.cuts)),
          non_words: await step("no words", () => measureNonWords(stage, sounds)),
        };
      }
      if (has("turns")) {
        const { questions, cuts } = person;
        metrics.turns = await step("turns", () => measureTurns({ stage, questions, cuts, turns: sizes.turns }));
      }
    });
  }
  if (has("answers") || has("cost") || has("echo")) {
    await withStage("built-in", options, async (stage) => {
      Object.assign(stage.chat.options, { answer: shortAnswer, firstTokenMs: 0, tokenMs: 0 });
      if (has("cost")) {
        const { costSeconds: seconds, conversationMinutes } = sizes;
        const minutes = options.minutes ?? conversationMinutes;
        const report = (line: string) => progress.note(line);
        const cost = { stage, questions: person.questions, seconds, minutes, environment: options.environment, report };
        metrics.cost = await step("cost", () => measureCost(cost));
      }
      if (metrics.answers) {
        const builtIn = await step("built in", () => measureAnswers(stage, person.questions, sizes.answers));
        metrics.answers = { ...metrics.answers, built_in: builtIn };
      }
      if (has("echo")) {
        const minutes = options.minutes ?? sizes.echoMinutes;
        const echo = { stage, minutes, cuts: person.cuts, count: sizes.cuts };
        metrics.echo = await step("echo", () => measureEcho(echo));
      }
    });
  }
  return metrics;
}

/** A service for the duration of `work`. */
async function withStage(
  voice: "remote" | "built-in",
  { environment, progress, onClose }: ConversationBenchOptions,
  work: (stage: ConversationStage) => Promise<void>,
): Promise<void> {
  const report = (line: string) => progress.note(line);
  const stage = await progress.step(
    "service",
    () => ConversationStage.start({ environment, voice, report, onClose }),
    () => (voice === "remote" ? `its voice is a server; first token after ${FIRST_TOKEN_MS} ms` : "its own voice"),
  );
  try {
    await work(stage);
  } finally {
    await stage.close();
  }
}
