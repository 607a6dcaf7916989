// Descriptions of the fields of knowledge bases and their source files.
import type { FieldDescriptions } from "../kernel/http/describe-fields.ts";

export const KNOWLEDGE_FIELDS: FieldDescriptions = {
  ext: "Kind of document",
  size_bytes: "Size in bytes",
  source_kind: "Whether it was uploaded or fetched",
  kb_id: "The knowledge base",
  kbs: "The knowledge bases",
  file_ids: "Its source files, in order",
  content_rev: "Revision of the content of its files",
  built_rev: "The content_rev that searches use; null before the first build",
  build_dispatched: "Whether a build was started",
  agent_count: "Agents that use it",
  source_count: "Its source files",
  "KnowledgeBasesRebuildResponse.id": "The build",
  "KnowledgeBasesRebuildResponse.started_at": "When the build was started, in UTC",
  query: "The question as text",
  results: "Passages, best first",
  heading: "Headings above the passage, outermost first; empty without any",
  text: "The passage",
  score: "Larger is better; comparable within one answer only",
};
