/** @module Offers the tools as a Model Context Protocol server. */
import { McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import { type CallToolResult, ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";
import { describeFailure } from "./describe_failure.ts";
import { offerLogs } from "./offer_logs.ts";
import type { NextCall, Surroundings, Tool, ToolAnswer, ToolFailure } from "./tool.ts";
import { readLibrary } from "../documents/read_library.ts";

const TYPE = { mimeType: "text/markdown" } as const;

async function list() {
  const { documents } = await readLibrary();
  return {
    resources: [...documents.values()].map(({ name, title, about }) => ({
      uri: `svc://docs/${name}`,
      name,
      title,
      description: about,
      ...TYPE,
    })),
  };
}

/** Allows an agent to list and read the documents, which are the same for everyone. */
function offerDocuments(server: McpServer): void {
  const description = "A page of svc's documentation";
  server.registerResource(
    "docs",
    new ResourceTemplate("svc://docs/{name}", { list }),
    { title: "Documentation", description, ...TYPE },
    async (uri: URL, { name }: Readonly<Record<string, unknown>>) => {
      const { documents } = await readLibrary();
      const text = documents.get(String(name))?.text;
      if (text === undefined) {
        throw new McpError(
          ErrorCode.InvalidParams,
          `Document ${uri.href} does not exist: list the resources`,
        );
      }
      return { contents: [{ uri: uri.href, text, ...TYPE }] };
    },
  );
}

/** Maximum length of a response's text, in characters. Agents pay for every character. */
const MAX_TEXT = 8000;

const INSTRUCTIONS = "svc hosts sites: it builds and deploys a folder, serves it at an edge with " +
  "rules and functions, and provides databases. Start with `status`. Every result ends with " +
  "suggested next calls. The documentation and deployment logs are available as resources. " +
  "You never see values of variables: `set_variable` reads them from a file or from this " +
  "server's environment.";

const nextSchema = z.array(z.object({
  tool: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  why: z.string(),
}));

const shortened = (text: string): string =>
  text.length <= MAX_TEXT
    ? text
    : `${text.slice(0, MAX_TEXT)}\n… ${text.length - MAX_TEXT} more characters`;

function formatNext(next: readonly NextCall[]): string {
  if (next.length === 0) return "";
  const lines = next.map(({ tool, arguments: given, why }) =>
    `- ${tool} ${JSON.stringify(given)}: ${why}`
  );
  return `\n\nNext:\n${lines.join("\n")}`;
}

function toResult({ text, data, next = [] }: ToolAnswer): CallToolResult {
  return {
    content: [{ type: "text", text: shortened(text) + formatNext(next) }],
    structuredContent: { ...data, next },
  };
}

/** Returns an error that the agent can read and act on, instead of a protocol error. */
function describe(failure: ToolFailure, offered: ReadonlySet<string>): CallToolResult {
  const { text, next: all } = describeFailure(failure);
  const next = all.filter(({ tool }) => offered.has(tool));
  return {
    isError: true,
    content: [{ type: "text", text: shortened(text) + formatNext(next) }],
  };
}

interface ServerOptions<Around extends Surroundings> {
  readonly version: string;
  readonly tools: readonly Tool<Around>[];
  readonly around: Around;
  /** True to offer only tools that do not change anything. */
  readonly readOnly: boolean;
}

function offeredTools<Around extends Surroundings>(
  { tools, around, readOnly }: ServerOptions<Around>,
): readonly Tool<Around>[] {
  return tools.filter(({ effect, leavesProject }) =>
    (!readOnly || effect === "read") && (around.project === undefined || leavesProject !== true)
  );
}

interface ToolServer {
  readonly server: McpServer;
  /** Resolves when no call is running. */
  settled(): Promise<void>;
}

/** Creates a server that offers the tools. It suggests only tools that it offers. */
export function makeServer<Around extends Surroundings>(
  options: ServerOptions<Around>,
): ToolServer {
  const server = new McpServer(
    { name: "svc", title: "svc", version: options.version },
    { instructions: INSTRUCTIONS },
  );
  const offered = offeredTools(options);
  const names = new Set(offered.map(({ name }) => name));
  const running = new Set<Promise<unknown>>();
  const track = <Value>(work: Promise<Value>): Promise<Value> => {
    running.add(work);
    return work.finally(() => running.delete(work));
  };
  const perform = async (tool: Tool<Around>, given: unknown): Promise<CallToolResult> => {
    try {
      const answer = await tool.perform(given, options.around);
      const next = answer.next?.filter((call) => names.has(call.tool)) ?? [];
      return toResult({ ...answer, next });
    } catch (error) {
      const failure = options.around.toFailure(error);
      if (failure === undefined) throw error;
      return describe(failure, names);
    }
  };
  for (const tool of offered) {
    const { name, title, description, input, output, effect, isIdempotent = false } = tool;
    server.registerTool(name, {
      title,
      description,
      inputSchema: z.object(input).strict(),
      outputSchema: z.looseObject({ ...output, next: nextSchema }),
      annotations: {
        readOnlyHint: effect === "read",
        destructiveHint: effect === "destroy",
        idempotentHint: effect === "read" || isIdempotent,
        openWorldHint: false,
      },
    }, (given: unknown) => track(perform(tool, given)));
  }
  offerDocuments(server);
  offerLogs(server, options.around, track);
  return {
    server,
    async settled() {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}
