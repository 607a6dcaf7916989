// Tools for knowledge: documents from which agents answer.
import { z } from "zod";
import { ADDS, READS, SETS, type Tool, tool } from "../tool.ts";
import { type FileArguments, fileFields, fileOf } from "./file-arguments.ts";
import { answerOf } from "./lists.ts";
import { limitOf, OFFSET, pageOf } from "./shapes.ts";

const FILE_LIMIT_BYTES = 100 * 1024 * 1024;
const KB_ID = z.string().min(1).max(100).describe("Id of list_knowledge_bases");
const BASE = z.looseObject({
  id: z.string(),
  name: z.string(),
  status: z.string().describe("ready and failed are ends of building"),
});
const FILE = z.looseObject({ id: z.string(), file_name: z.string(), size_bytes: z.number(), source_kind: z.string() });

/** The tools. `hasPaths`: whether the assistant works beside the person's files. */
export function knowledgeTools(hasPaths: boolean): Tool[] {
  const add = tool({
    name: "add_knowledge_file",
    title: "Add a document",
    description:
      "Stores a document (pdf, docx, txt, md, html, csv) for knowledge bases. Then name its id in create_knowledge_base. Knowledge needs an organization's secret.",
    input: z.object(fileFields(hasPaths)),
    output: FILE,
    annotations: { ...ADDS, openWorldHint: true },
    async run(args, context) {
      const given = await fileOf(args as FileArguments, context, FILE_LIMIT_BYTES);
      const body = { ...given, name: args.file_name };
      return { data: await context.client.knowledgeFiles.create(body, { signal: context.signal }) };
    },
  });
  return [add, ...FIXED];
}

const FIXED: readonly Tool[] = [
  tool({
    name: "list_knowledge_files",
    title: "List the documents",
    description: "Lists the organization's documents, newest first.",
    input: z.object({ limit: limitOf(200, 50), offset: OFFSET }),
    output: pageOf("files", FILE),
    annotations: READS,
    run: async (query, { client, signal }) => answerOf("files", await client.knowledgeFiles.list(query, { signal })),
  }),
  tool({
    name: "create_knowledge_base",
    title: "Make a knowledge base",
    description:
      "Makes a knowledge base of documents and builds it. Give it to an agent with update_agent (kb_ids) once it is ready.",
    input: z.object({
      name: z.string().min(1).max(120),
      description: z.string().max(2_000).optional(),
      file_ids: z.array(z.string().max(100)).max(1_000).optional(),
    }),
    output: BASE,
    annotations: ADDS,
    run: async (body, { client, signal }) => ({ data: await client.knowledgeBases.create(body, { signal }) }),
  }),
  tool({
    name: "list_knowledge_bases",
    title: "List the knowledge bases",
    description: "Lists the organization's knowledge bases, newest first.",
    input: z.object({}),
    output: z.looseObject({ knowledge_bases: z.array(BASE) }),
    annotations: READS,
    async run(_, { client, signal }) {
      const { items } = await client.knowledgeBases.list({ signal });
      return { data: { knowledge_bases: items } };
    },
  }),
  tool({
    name: "get_knowledge_base",
    title: "Get a knowledge base",
    description: "Returns a knowledge base: its state, documents, and the agents that answer from it.",
    input: z.object({ kb_id: KB_ID }),
    output: BASE,
    annotations: READS,
    run: async ({ kb_id }, { client, signal }) => ({ data: await client.knowledgeBases.get(kb_id, { signal }) }),
  }),
  tool({
    name: "update_knowledge_base",
    title: "Change a knowledge base",
    description: "Sets name, description or documents. Other documents need rebuild_knowledge_base.",
    input: z.object({
      kb_id: KB_ID,
      name: z.string().min(1).max(120).optional(),
      description: z.string().max(2_000).optional(),
      file_ids: z.array(z.string().max(100)).max(1_000).optional().describe("All that it shall hold"),
    }),
    output: BASE,
    annotations: SETS,
    run: async ({ kb_id, ...changes }, { client, signal }) => ({
      data: await client.knowledgeBases.update(kb_id, changes, { signal }),
    }),
  }),
  tool({
    name: "rebuild_knowledge_base",
    title: "Build a knowledge base again",
    description: "Builds a knowledge base again. Then ask get_knowledge_base until it is ready.",
    input: z.object({ kb_id: KB_ID }),
    output: z.looseObject({ kb_id: z.string(), status: z.string() }),
    annotations: SETS,
    run: async ({ kb_id }, { client, signal }) => ({ data: await client.knowledgeBases.rebuild(kb_id, { signal }) }),
  }),
  tool({
    name: "search_knowledge_base",
    title: "Search a knowledge base",
    description: "Finds the passages that an agent would answer a question from, best first.",
    input: z.object({
      kb_id: KB_ID,
      query: z.string().min(1).max(2_000),
      limit: z.number().int().min(1).max(20).default(5),
    }),
    output: z.looseObject({
      results: z.array(z.looseObject({ file_name: z.string(), text: z.string(), score: z.number() })),
    }),
    annotations: READS,
    run: async ({ kb_id, ...body }, { client, signal }) => ({
      data: await client.knowledgeBases.search(kb_id, body, { signal }),
    }),
  }),
];
