// `--json` may stand anywhere on the line; commander wants it among the options of the command that runs.
import type { Command } from "commander";

export interface OrderedWords {
  words: string[];
  /** The words that name the command, by their first names: "agents list"; empty if none is named. */
  command: string;
  isJson: boolean;
}

/** The words with `--json` after those that name the command. Left where they are: a `--json` after `--`, and one that
 *  is the value of an option. If the words name no command that runs, it is dropped. */
export function orderWords(words: readonly string[], program: Command): OrderedWords {
  const ordered: string[] = [];
  let command = program;
  const path: string[] = [];
  let isNaming = true;
  let isJson = false;
  let k = 0;
  for (; k < words.length && words[k] !== "--"; k++) {
    const word = words[k];
    if (word === "--json") {
      isJson = true;
      continue;
    }
    ordered.push(word);
    if (takesValue(command, word) && k + 1 < words.length) ordered.push(words[++k]);
    else if (!word.startsWith("-") && isNaming) {
      const part = command.commands.find((each) => isNameOf(each, word));
      // What follows a word that names no command is not part of a name.
      isNaming = part !== undefined;
      if (!part) continue;
      command = part;
      path.push(part.name());
    }
  }
  if (isJson && command.commands.length === 0) ordered.push("--json");
  return { words: [...ordered, ...words.slice(k)], command: path.join(" "), isJson };
}

function takesValue(command: Command, word: string): boolean {
  return command.options.some((option) => option.required && [option.short, option.long].includes(word));
}

function isNameOf(command: Command, word: string): boolean {
  return command.name() === word || command.aliases().includes(word);
}
