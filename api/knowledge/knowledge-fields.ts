// Descriptions of the fields of knowledge bases and their source files.
import type { FieldDescriptions } from "../kernel/http/describe-fields.ts";

export const KNOWLEDGE_FIELDS: FieldDescriptions = {
  ext: "Kind of document",
  size_bytes: "Size in bytes",
  source_kind: "Whether the file was uploaded or fetched from a URL",
  "KnowledgeFile.url": "Where it was fetched from; null for an upload",
  sync_freq: "How often its address is looked at again",
  used_bytes: "Bytes of all source files of the organization",
  limit_bytes: "How many they may be on its owner's plan; null without a limit",
  "KnowledgeUser.code": "The agent's code",
  kb_id: "Id of the knowledge base",
  kbs: "The knowledge bases",
  file_ids: "Ids of its source files, in order",
  content_rev: "Revision of the source files; each change of a file increases it",
  built_rev: "The content_rev that searches use; null before the first build",
  build_dispatched: "Whether a build was started",
  agent_count: "Number of agents that use it",
  source_count: "Number of its source files",
  "KnowledgeBasesRebuildResponse.id": "Id of the build",
  "KnowledgeBasesRebuildResponse.started_at": "When the build was started, in UTC",
  query: "The question as text",
  results: "Passages, best first",
  heading: "Headings above the passage, outermost first; may be empty",
  text: "The passage",
  score: "Relevance; larger is better. Comparable only within one answer",
};
