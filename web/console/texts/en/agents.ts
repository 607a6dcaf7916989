// Texts of agents: their cards, the choice of one, and their view.
import { pluralIn } from "../plural.ts";

const plural = pluralIn("en");

export const agents = {
  title: "Agents",
  lead: "Faces with a voice and a character. Choose one to see it, change it and talk with it.",
  status: "Status",
  filters: { all: "All", ready: "Ready", processing: "Waiting", generating: "Being made", failed: "Failed" },
  unnamed: "Without a name",
  statuses: {
    ready: "Ready",
    waiting: "Waiting",
    making: "Being made",
    marking: "Needs face marks",
    failed: "Failed",
    deleted: "Deleted",
  },
  progress: (percent: string) => `${percent} done`,
  empty: "You have no agents yet. Make one from a photograph or from a description.",
  create: "Make an agent",
  choose: "Choose an agent",
  count: (count: number) => plural(count, "agent", "agents"),
};

export const voicePicker = {
  own: "The agent's own",
  designed: "Designed for an agent",
  female: "A woman",
  male: "A man",
  fetched: "Fetched by the operator",
  note: "Choose a voice to hear it.",
  playing: "You hear it now.",
};
