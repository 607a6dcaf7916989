// The parts of the benchmark that are about the plugins for LiveKit's agents.
import type { SdkBench, SdkPart } from "../sdk-part.ts";
import type { PluginLanguage } from "./agent-process.ts";
import { measureRounds } from "./measure-rounds.ts";
import { measureStarts } from "./measure-starts.ts";
import { measureTurns } from "./measure-turns.ts";
import { PluginStage } from "./plugin-stage.ts";

const LANGUAGES: readonly PluginLanguage[] = ["Node", "Python"];

export const PLUGIN_PARTS: readonly SdkPart[] = LANGUAGES.flatMap((language) => {
  const label = `agent in ${language}`;
  return [
    {
      name: `${label}, starts`,
      measure: (bench) => withStage(bench, language, (stage) => measureStarts(stage, label, bench.starts)),
    },
    {
      name: `${label}, turns`,
      measure: (bench) => withStage(bench, language, (stage) => measureTurns(stage, label)),
    },
    {
      name: `${label}, rounds`,
      measure: (bench) => measureRounds(bench, language, label),
    },
  ] satisfies SdkPart[];
});

async function withStage<T>(
  bench: SdkBench,
  language: PluginLanguage,
  work: (stage: PluginStage) => Promise<T>,
): Promise<T> {
  const stage = await PluginStage.start(bench, language);
  try {
    return await work(stage);
  } finally {
    await stage.close();
  }
}
