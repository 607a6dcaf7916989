// The answer that is written ahead of a turn, and hums beside an answer.
import t from "tap";
import { PreparedAnswer } from "../../../../src/conversation/turns/prepared-answer.ts";
import { TurnTaker, type WrittenAnswer } from "../../../../src/conversation/turns/turn-taker.ts";
import { settled } from "../../../helpers/conversation/scripted-conversation.ts";

const WINDOW_MS = 32;

interface Ahead extends WrittenAnswer {
  text: string;
  signal: AbortSignal;
}

/** A person who speaks by a script, and ends turns with `endTurn`. */
class Person {
  readonly ahead: Ahead[] = [];
  readonly events: string[] = [];
  readonly taker: TurnTaker<Ahead>;
  isAnswering = false;
  isCurrent = true;

  constructor(texts: string[], { isPatient = false } = {}) {
    this.taker = new TurnTaker<Ahead>({
      speech: {
        stt: { transcribe: async () => ({ text: texts.shift() ?? "", language: "en" }) },
        endOfTurn: { predict: async () => 0, threshold: () => 0.5 },
        language: "en",
      },
      isAnswering: () => this.isAnswering,
      writeAhead: (text) => (isPatient ? undefined : this.#write(text)),
      events: {
        onSpeech: () => undefined,
        onWaiting: () => undefined,
        onWords: (text) => this.events.push(`words ${text}`),
        onNoise: () => this.events.push("noise"),
        onTurn: (text) => this.events.push(`turn ${text}`),
        onFailed: () => this.events.push("failed"),
      },
    });
  }

  async say(): Promise<void> {
    this.#windows(640, 0.9);
    this.#windows(160, 0.02);
    await settled();
  }

  #windows(ms: number, probability: number): void {
    for (let past = 0; past < ms; past += WINDOW_MS) this.taker.push({ probability, samples: new Int16Array(512) });
  }

  #write(text: string): Ahead {
    const signals: AbortSignal[] = [];
    const answer = new PreparedAnswer(async function* (signal) {
      signals.push(signal);
      yield "It works.";
    });
    const written = { text, answer, signal: signals[0], isCurrent: () => this.isCurrent };
    this.ahead.push(written);
    return written;
  }
}

t.test("the answer that was written ahead is taken once, by the turn with its words", async (t) => {
  const person = new Person(["Hello."]);
  await person.say();
  t.equal(person.taker.takeAnswer("Hello? Are you there?"), undefined);
  t.notOk(person.ahead[0].signal.aborted, "its turn may still come");
  t.ok(person.taker.endTurn());
  t.same(person.events, ["words Hello.", "turn Hello."]);
  t.equal(person.taker.takeAnswer("Hello."), person.ahead[0]);
  t.equal(person.taker.takeAnswer("Hello."), undefined);
  t.notOk(person.ahead[0].signal.aborted);
});

t.test("it is cancelled if something else was said meanwhile, or the person goes on", async (t) => {
  const person = new Person(["Hello.", "Hello. Are you there?"]);
  await person.say();
  await person.say();
  t.same(
    person.ahead.map(({ text, signal }) => [text, signal.aborted]),
    [
      ["Hello.", true],
      ["Hello. Are you there?", false],
    ],
  );
  person.isCurrent = false;
  t.equal(person.taker.takeAnswer("Hello. Are you there?"), undefined);
  t.ok(person.ahead[1].signal.aborted);
});

t.test("a dropped utterance cancels its answer", async (t) => {
  const person = new Person(["Hello."]);
  await person.say();
  t.ok(person.taker.isOpen);
  person.taker.drop();
  t.notOk(person.taker.isOpen);
  t.ok(person.ahead[0].signal.aborted);
  t.notOk(person.taker.endTurn());
});

t.test("a hum is no turn beside an answer, and one in a pause", async (t) => {
  const person = new Person(["Mhm.", "Mhm."]);
  person.isAnswering = true;
  await person.say();
  t.same([person.events, person.ahead], [["noise"], []]);
  t.notOk(person.taker.isOpen);
  person.isAnswering = false;
  await person.say();
  t.same(person.events, ["noise", "words Mhm."]);
});

t.test("a turn may have to be decided before it is answered", async (t) => {
  const person = new Person(["Hello."], { isPatient: true });
  await person.say();
  person.taker.endTurn();
  t.same(person.events, ["words Hello.", "turn Hello."]);
  t.equal(person.taker.takeAnswer("Hello."), undefined);
});
