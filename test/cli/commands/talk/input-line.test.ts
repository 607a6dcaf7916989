// What a person types and what the avatar says share a terminal, never a line of it.
import { PassThrough, Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import t, { type Test } from "tap";
import { CaptionView } from "../../../../cli/commands/talk/caption-view.ts";
import { InputLine } from "../../../../cli/commands/talk/input-line.ts";

const START = "\u001b[";

/** A terminal with what the programs of this test send to one. */
class Screen extends Writable {
  readonly isTTY = true;
  readonly columns: number;
  #rows = [""];
  #row = 0;
  #column = 0;

  constructor(columns: number) {
    super();
    this.columns = columns;
  }

  get lines(): string[] {
    return this.#rows.map((line) => line.trimEnd()).filter((line, k, all) => line !== "" || k < all.length - 1);
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    // Every part of a chunk is a control sequence or text.
    for (const [k, piece] of chunk.toString().split(START).entries()) {
      const [, count = "", command = "", text = ""] = k === 0 ? [] : (/^(\d*)([A-Z])([\s\S]*)$/.exec(piece) ?? []);
      if (k > 0) this.#command(command, count);
      for (const letter of k === 0 ? piece : text) this.#put(letter);
    }
    done();
  }

  #command(command: string, count: string): void {
    if (command === "A") this.#row -= Number(count || 1);
    else if (command === "D") this.#column -= Number(count || 1);
    else if (command === "C") this.#column += Number(count || 1);
    else if (command === "G") this.#column = Number(count || 1) - 1;
    else if (command === "J") this.#rows = [...this.#rows.slice(0, this.#row), this.#line.slice(0, this.#column)];
    else if (command === "K" && count === "2") this.#rows[this.#row] = "";
    else if (command === "K") this.#rows[this.#row] = this.#line.slice(0, this.#column);
    else throw new Error(`the screen does not know ${count}${command}`);
  }

  #put(letter: string): void {
    if (letter === "\n") this.#down();
    else if (letter === "\r") this.#column = 0;
    else this.#write(letter);
  }

  #write(letter: string): void {
    if (this.#column === this.columns) this.#down();
    this.#rows[this.#row] =
      this.#line.slice(0, this.#column).padEnd(this.#column) + letter + this.#line.slice(this.#column + 1);
    this.#column++;
  }

  #down(): void {
    this.#row++;
    this.#column = 0;
    this.#rows[this.#row] ??= "";
  }

  get #line(): string {
    return this.#rows[this.#row] ?? "";
  }
}

function stage(t: Test, columns = 40) {
  const screen = new Screen(columns);
  const keys = new PassThrough();
  const ending = new AbortController();
  let interrupts = 0;
  const view = new CaptionView({ name: "Maya", write: (text) => screen.write(text), columns: () => columns });
  const line = new InputLine({
    input: keys,
    output: screen,
    prompt: "You: ",
    signal: ending.signal,
    onInterrupt: () => interrupts++,
    onKey: () => view.yield(),
  });
  view.attach(line);
  t.teardown(() => line.close());
  const sent: string[] = [];
  const ended = (async () => {
    for await (const text of line) {
      sent.push(text);
      if (text === "") view.skip();
      else view.ready();
    }
  })();
  return {
    screen,
    sent,
    ended,
    ending,
    interrupts: () => interrupts,
    say: (text: string, isFinal = false) =>
      view.show({ atMs: 0, identity: "avatar", segmentId: "1", text, isFinal }, false),
    async press(text: string) {
      keys.write(text);
      for (let turn = 0; turn < 5; turn++) await setImmediate();
    },
  };
}

t.test("a sentence grows in place of an empty line, and above one that is typed", async (t) => {
  const { screen, say, press, sent } = stage(t);
  t.same(screen.lines, ["You:"]);
  say("We open");
  t.same(screen.lines, ["Maya: We open"]);
  await press("Wa");
  t.same(screen.lines, ["You: Wa"], "what grows makes room");
  say("We open at nine.");
  t.same(screen.lines, ["You: Wa"]);
  say("We open at nine.", true);
  t.same(screen.lines, ["Maya: We open at nine.", "You: Wa"]);
  await press("it!\r");
  t.same(sent, ["Wait!"]);
  t.same(screen.lines, ["Maya: We open at nine.", "You: Wait!", "You:"]);
  say("I wait");
  say("I wait.", true);
  t.same(screen.lines, ["Maya: We open at nine.", "You: Wait!", "Maya: I wait.", "You:"]);
});

t.test("a typed line of several rows stays whole", async (t) => {
  const { screen, say, press, sent } = stage(t, 20);
  await press("What time do you open on Sundays in May?");
  const typed = ["You: What time do yo", "u open on Sundays in", " May?"];
  t.same(screen.lines, typed);
  say("At nine.", true);
  t.same(screen.lines, ["Maya: At nine.", ...typed]);
  say("Or at ten.", true);
  t.same(screen.lines, ["Maya: At nine.", "Maya: Or at ten.", ...typed]);
  await press("\r");
  t.same(sent, ["What time do you open on Sundays in May?"]);
});

t.test("the cursor stays where the person has moved it", async (t) => {
  const { screen, say, press, sent } = stage(t);
  await press("Hell!\u001b[D");
  say("Yes?", true);
  await press("o");
  t.same(screen.lines, ["Maya: Yes?", "You: Hello!"]);
  await press("\r");
  t.same(sent, ["Hello!"]);
});

t.test("an empty line, Ctrl-C and Ctrl-D leave nothing half written", async (t) => {
  const { screen, say, press, sent, ended, interrupts } = stage(t);
  say("One mo");
  await press("\r");
  say("One moment.", true);
  t.same(screen.lines, ["Maya: One moment.", "You:"]);
  await press("\u0003");
  t.equal(interrupts(), 1);
  await press("\u0004");
  await ended;
  t.same(sent, [""]);
  t.same(screen.lines, ["Maya: One moment."]);
});

t.test("the end of the conversation closes the line", async (t) => {
  const { screen, ended, ending, press } = stage(t);
  await press("never mi");
  ending.abort();
  await ended;
  t.same(screen.lines, []);
});
