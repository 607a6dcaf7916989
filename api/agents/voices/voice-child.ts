// The voice process: measures one sample at a time for the api.
import { limitMemory, serveTasks } from "../../../program/child-process/serve-tasks.ts";
import { type MeasuredVoice, measureVoice, type VoiceTask } from "./measure-voice.ts";

/** Fits the longest file, decoded, and the program. */
const MAX_MEMORY_BYTES = 1_000_000_000;

/** This process's own folder; the parent removes it. */
const [, , folder] = process.argv;

limitMemory(MAX_MEMORY_BYTES);
serveTasks<VoiceTask, MeasuredVoice>((task) => measureVoice(task, folder));
