// Completions for shells, made from the commands themselves.
import type { CommandDescription } from "./describe-program.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** A script for the shell. It completes commands, their options and the words an argument may be; files elsewhere. */
export function completionScript(shell: Shell, commands: readonly CommandDescription[]): string {
  if (shell === "fish") return fishScript(commands);
  const script = bashScript(commands);
  return shell === "bash" ? script : `autoload -U +X bashcompinit && bashcompinit\n${script}`;
}

interface Candidate {
  word: string;
  description: string;
}

/** What may follow the words of a command ("" for the program): its commands, its options, its choices. */
function candidatesByPath(commands: readonly CommandDescription[]): Map<string, Candidate[]> {
  const byPath = new Map<string, Candidate[]>([["", []]]);
  for (const command of commands) {
    for (const name of [command.name, ...command.aliases]) {
      const words = name.split(" ");
      const last = words.pop() as string;
      byPath.get(words.join(" "))?.push({ word: last, description: command.description });
      byPath.set(name, [
        ...command.arguments.flatMap(({ choices }) => choices.map((word) => ({ word, description: "" }))),
        ...command.options.flatMap(({ names, description }) => names.map((word) => ({ word, description }))),
      ]);
    }
  }
  return byPath;
}

function bashScript(commands: readonly CommandDescription[]): string {
  const cases = [...candidatesByPath(commands)].map(
    ([path, candidates]) => `    "${path}") words="${candidates.map(({ word }) => word).join(" ")}" ;;`,
  );
  return `_avatar() {
  local current="\${COMP_WORDS[COMP_CWORD]}" typed="" words="" k
  for ((k = 1; k < COMP_CWORD && k < 3; k++)); do
    case "\${COMP_WORDS[k]}" in
      -*) ;;
      *) typed="\${typed:+$typed }\${COMP_WORDS[k]}" ;;
    esac
  done
  _avatar_words "$typed" || _avatar_words "\${typed%% *}"
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
_avatar_words() {
  case "$1" in
${cases.join("\n")}
    *) return 1 ;;
  esac
}
complete -o default -F _avatar avatar
`;
}

function fishScript(commands: readonly CommandDescription[]): string {
  const lines: string[] = [];
  for (const [path, candidates] of candidatesByPath(commands)) {
    const seen = path.split(" ").map((word) => `__fish_seen_subcommand_from ${word}`);
    const condition = path === "" ? "__fish_use_subcommand" : seen.join("; and ");
    for (const { word, description } of candidates) {
      const what = /^--/.test(word) ? `-l ${word.slice(2)}` : /^-/.test(word) ? `-s ${word.slice(1)}` : `-a ${word}`;
      lines.push(`complete -c avatar -n '${condition}' ${what} -d '${description.replaceAll(/['\\]/g, "\\$&")}'`);
    }
  }
  return `${lines.join("\n")}\n`;
}
