/**
 * The documentation as resources: `svc://docs/<name>`.
 *
 * @module
 */
import { type McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
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

/** Lets an agent list and read the documents, which are the same for everyone. */
export function offerDocuments(server: McpServer): void {
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
          `There is no document ${uri.href}: list the resources`,
        );
      }
      return { contents: [{ uri: uri.href, text, ...TYPE }] };
    },
  );
}
