// Takes markup out of a text: Markdown, HTML, SSML, code blocks, control characters. None of it is ever spoken.
//
// One pass from left to right; every look ahead has a limit or stops at the next character of its own kind, so that
// the time is linear for any input.
import { plainCharacter } from "./characters.ts";
import { type CleanText, CleanTextBuilder } from "./clean-text.ts";

/** Stands in clean text where a heading, list item, table row or paragraph ends: no sentence goes across it. */
export const BLOCK_END = "\u2029";

const LONGEST_TAG = 1000;
const LONGEST_LINK = 2000;
/** Everything that is not simply kept. */
const SPECIAL =
  /[<&*_~`[\]!\\|\u00a0\u02bc\u2000-\u200a\u2010-\u2012\u2015\u2018-\u201f\u2028-\u202f\u3000\ufb00-\ufb06\uff01-\uff5e\u{1d400}-\u{1d7ff}]|\p{Cc}|\p{Cf}|\p{M}/gu;
/** What may start a line. Digits stay: the number of a list item is said. */
const LINE_START = /[ \t]*(?:>[ \t]?|#{1,6}[ \t]+|[-*+•‣◦][ \t]+(?:\[[ xX]\][ \t]+)?|\d{1,3}[.)][ \t]+(?=\S)|\|)/y;
const RULE = /[ \t]*(?:(?:-[ \t]*){3,200}|(?:\*[ \t]*){3,200}|(?:_[ \t]*){3,200}|={3,200}|\|?[ \t:|-]{3,400})(?=\n|$)/y;
const FENCE = /[ \t]*(`{3,}|~{3,})[^\n]*/y;
const TAG = new RegExp(`</?([A-Za-z][\\w:-]{0,30})(?:[\\s/][^<>]{0,${LONGEST_TAG}})?>`, "y");
const COMMENT_OR_DECLARATION = /<(?:!--|!|\?)/y;
const AUTO_LINK = /<((?:https?:\/\/|mailto:)[^\s<>]{1,2000}|[^\s<>@]{1,64}@[^\s<>@]{1,255})>/y;
const ENTITY = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z]{2,8}));/y;
/** A colour or movement of a terminal, behind its escape character. Source: ECMA-48, control sequences. */
const TERMINAL_CODE = /\p{Cc}\[[\d;?]{0,30}[@-~]/uy;
const LINK_TEXT = /\[([^[\]\n]{0,500})\]/y;
const LINK_TARGET = new RegExp(
  `\\((?:[^()[\\s<]|\\([^()[\\s<]{0,200}\\)){0,${LONGEST_LINK}}(?:\\s+"[^"\\n]{0,200}")?\\)`,
  "y",
);
const LINK_REFERENCE = /\[[^[\]\n]{0,100}\]/y;
const CLOSING_SILENT = /<\/(?:script|style|template|head)[^<>]{0,20}>/gi;
const SPACE = /\s/;
const WORD = /[\p{L}\p{N}]/u;
const ENTITIES: Readonly<Record<string, string>> = Object.freeze({
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  hellip: "…",
  mdash: "—",
  ndash: "–",
  euro: "€",
  pound: "£",
  deg: "°",
  times: "×",
  rsquo: "'",
  lsquo: "'",
});
/** Their content is for programs. */
const SILENT_ELEMENTS = new Set(["script", "style", "template", "head"]);
const BLOCK_ELEMENTS = new Set(
  "p br div li ul ol tr td th table h1 h2 h3 h4 h5 h6 blockquote section article header footer hr pre s speak".split(
    " ",
  ),
);

/** The text without markup. `startOf` and `endOf` lead back to positions of `text`. Never throws. */
export function cleanText(text: string): CleanText {
  return new Cleaner(text).run();
}

class Cleaner {
  readonly #text: string;
  readonly #out: CleanTextBuilder;
  #at = 0;
  /** The link around the present text: its closing bracket, and where the text goes on behind the link. */
  #openLink: { close: number; end: number } | undefined;

  constructor(text: string) {
    this.#text = text;
    this.#out = new CleanTextBuilder(text);
  }

  run(): CleanText {
    const text = this.#text;
    this.#lineStart();
    while (this.#at < text.length) {
      SPECIAL.lastIndex = this.#at;
      const next = SPECIAL.exec(text)?.index ?? text.length;
      this.#out.keep(this.#at, next);
      this.#at = next;
      if (next < text.length) this.#special(text[next]);
    }
    return this.#out.build();
  }

  #special(character: string): void {
    switch (character) {
      case "\n":
        this.#newLine();
        break;
      case "<":
        this.#angle();
        break;
      case "&":
        this.#entity();
        break;
      case "[":
        this.#link(0);
        break;
      case "]":
        this.#closeLink();
        break;
      case "!":
        if (this.#text[this.#at + 1] === "[") this.#link(1);
        else this.#keep(1);
        break;
      case "\u001b":
        this.#drop(this.#match(TERMINAL_CODE)?.[0].length ?? 1);
        break;
      case "\\":
        this.#backslash();
        break;
      case "|":
        this.#bar();
        break;
      case "`":
        this.#drop(1);
        break;
      case "*":
      case "~":
      case "_":
        this.#emphasis(character);
        break;
      default:
        this.#plain();
    }
  }

  #newLine(): void {
    const from = this.#at;
    let lines = 0;
    while (/[ \t\r\n]/.test(this.#text[this.#at] ?? "")) if (this.#text[this.#at++] === "\n") lines++;
    const isBlock = lines > 1 || this.#isBlockStart();
    this.#out.replace(isBlock ? BLOCK_END : " ", from, from + 1);
    this.#lineStart();
  }

  #isBlockStart(): boolean {
    return [FENCE, RULE, LINE_START].some((pattern) => this.#match(pattern) !== null);
  }

  /** Drops what marks the line. */
  #lineStart(): void {
    // Quotes and lists are nested at most a few times.
    for (let depth = 0; depth < 8; depth++) {
      const fence = this.#match(FENCE);
      if (fence) {
        this.#fence(fence);
        return;
      }
      const rule = this.#match(RULE);
      if (rule) {
        this.#at += rule[0].length;
        return;
      }
      const mark = this.#match(LINE_START);
      if (!mark) return;
      const number = /\d+/.exec(mark[0])?.[0];
      if (number) {
        // The number is said, with a pause behind it.
        const from = this.#at + mark[0].indexOf(number);
        this.#out.keep(from, from + number.length);
        this.#out.replace(", ", from + number.length, this.#at + mark[0].length);
        this.#at += mark[0].length;
        return;
      }
      this.#at += mark[0].length;
    }
  }

  /** Code in a block is not read. A block without an end goes to the end of the text. */
  #fence(opening: RegExpExecArray): void {
    const end = this.#text.indexOf(`\n${opening[1]}`, this.#at + opening[0].length - 1);
    const lineEnd = end < 0 ? -1 : this.#text.indexOf("\n", end + 1);
    this.#at = lineEnd < 0 ? this.#text.length : lineEnd;
  }

  #angle(): void {
    const link = this.#match(AUTO_LINK);
    if (link) {
      this.#out.keep(this.#at + 1, this.#at + 1 + link[1].length);
      this.#at += link[0].length;
      return;
    }
    const tag = this.#match(TAG);
    if (tag) {
      this.#tag(tag);
      return;
    }
    const opening = this.#match(COMMENT_OR_DECLARATION);
    if (opening) {
      const isComment = opening[0] === "<!--";
      const closing = isComment ? "-->" : ">";
      const end = this.#text.indexOf(closing, this.#at);
      this.#at = end < 0 ? this.#text.length : end + closing.length;
      return;
    }
    // A heart, not "less than three".
    if (/^<3(?!\d)/.test(this.#text.slice(this.#at, this.#at + 3))) this.#drop(2);
    else this.#keep(1);
  }

  #tag(tag: RegExpExecArray): void {
    const name = tag[1].toLowerCase();
    const from = this.#at;
    this.#at += tag[0].length;
    if (SILENT_ELEMENTS.has(name) && tag[0][1] !== "/" && !tag[0].endsWith("/>")) {
      CLOSING_SILENT.lastIndex = this.#at;
      const end = CLOSING_SILENT.exec(this.#text);
      this.#at = end ? end.index + end[0].length : this.#text.length;
    }
    if (BLOCK_ELEMENTS.has(name)) this.#out.replace(BLOCK_END, from, this.#at);
    else if (name === "break") this.#out.replace(", ", from, this.#at);
  }

  #entity(): void {
    const entity = this.#match(ENTITY);
    const code = entity && (entity[1] ? Number(entity[1]) : Number.parseInt(entity[2] ?? "", 16));
    const character = entity?.[3]
      ? ENTITIES[entity[3].toLowerCase()]
      : code && code > 31 && code < 0x110000 && (code < 0xd800 || code > 0xdfff)
        ? String.fromCodePoint(code)
        : undefined;
    if (entity && character !== undefined) this.#replace(character, entity[0].length);
    else this.#keep(1);
  }

  /** A link says its text, an image its description; footnotes say nothing. */
  #link(bang: 0 | 1): void {
    const start = this.#at;
    this.#at += bang;
    const text = this.#match(LINK_TEXT);
    if (!text) {
      this.#at = start + bang + 1;
      return;
    }
    const textFrom = this.#at + 1;
    const close = this.#at + text[0].length;
    this.#at = close;
    const target = this.#match(LINK_TARGET) ?? this.#match(LINK_REFERENCE);
    const end = close + (target?.[0].length ?? 0);
    const isFootnote = !target && /^(?:\^.*|\d{1,3})$/.test(text[1]);
    this.#at = isFootnote ? end : textFrom;
    // The text may hold marks of its own, so the loop goes on in it and leaves at its bracket.
    if (!isFootnote) this.#openLink = { close: close - 1, end };
  }

  #closeLink(): void {
    this.#at = this.#openLink?.close === this.#at ? this.#openLink.end : this.#at + 1;
  }

  /** The mark between the cells of a table. */
  #bar(): void {
    const isLast = /^[ \t]*(?:\n|$)/.test(this.#text.slice(this.#at + 1, this.#at + 20));
    if (isLast) this.#drop(1);
    else this.#replace(", ", 1);
  }

  #backslash(): void {
    const escaped = this.#text[this.#at + 1] ?? "";
    if (/[\\`*_{}[\]<>()#+.!|~$-]/.test(escaped)) {
      this.#out.keep(this.#at + 1, this.#at + 2);
      this.#drop(2);
    } else if (/[a-zA-Z]/.test(escaped) && !/[a-zA-Z:]/.test(this.#out.last)) this.#drop(1);
    else this.#keep(1);
  }

  /** Emphasis has a word on one of its sides; `3 * 4` and `snake_case` do not. */
  #emphasis(mark: string): void {
    const before = this.#text[this.#at - 1] ?? " ";
    let end = this.#at;
    while (this.#text[end] === mark) end++;
    const after = this.#text[end] ?? " ";
    const count = end - this.#at;
    const isOperator =
      mark === "*" && count === 1 && ((SPACE.test(before) && SPACE.test(after)) || isBetweenDigits(before, after));
    const isJoin = mark === "_" && WORD.test(before) && WORD.test(after);
    const isAbout = mark === "~" && count === 1;
    if (isOperator || isJoin || isAbout) this.#keep(count);
    else this.#drop(count);
  }

  #plain(): void {
    const from = this.#at;
    const { text, length } = plainCharacter(this.#text, from, this.#out.last);
    if (length === 1 && text === this.#text[from]) this.#keep(1);
    else this.#replace(text, length);
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text);
  }

  #keep(count: number): void {
    this.#out.keep(this.#at, this.#at + count);
    this.#at += count;
  }

  #replace(text: string, count: number): void {
    this.#out.replace(text, this.#at, this.#at + count);
    this.#at += count;
  }

  #drop(count: number): void {
    this.#at += count;
  }
}

function isBetweenDigits(before: string, after: string): boolean {
  return /\d/.test(before) && /\d/.test(after);
}
