import { type BlobObject, listBlobs } from "../../contract/blob_store.ts";
import { wholeNumber } from "../command/option_values.ts";
import { defineCommand } from "../command/command.ts";
import { formatAge, formatBytes, printable } from "../terminal/format.ts";
import { ENVIRONMENT_OPTION, type OpenStore, openStore } from "./open_store.ts";
import { PROJECT_OPTION } from "../projects/resolve_project.ts";

const PAGE = 1000;
const MAX_LISTED = 1_000_000_000;

interface Listed {
  readonly objects: readonly BlobObject[];
  readonly folders: readonly string[];
  readonly isCut: boolean;
}

async function list(
  { client, params, environment }: OpenStore,
  { prefix, delimiter, limit }: {
    readonly prefix: string;
    readonly delimiter: string | undefined;
    readonly limit: number;
  },
): Promise<Listed> {
  const objects: BlobObject[] = [];
  const folders: string[] = [];
  let cursor: string | undefined;
  for (;;) {
    const left = limit - objects.length - folders.length;
    if (left === 0) return { objects, folders, isCut: true };
    const page = await client.call(listBlobs, {
      params,
      query: {
        environment,
        prefix,
        limit: Math.min(left, PAGE),
        delimiter,
        cursor,
      },
    });
    objects.push(...page.items);
    folders.push(...page.folders);
    if (page.nextCursor === null) return { objects, folders, isCut: false };
    cursor = page.nextCursor;
  }
}

export default defineCommand({
  description: "Folders first, then objects, both in byte order of their keys.",
  define: (command) =>
    command
      .argument("[prefix]", "only keys with this prefix, such as photos/", "")
      .option("--recursive", "also list the keys in folders")
      .option("--limit <n>", "maximum number", wholeNumber({ min: 1, max: MAX_LISTED }), 1000)
      .option(...ENVIRONMENT_OPTION)
      .option(...PROJECT_OPTION),
  examples: [
    ["blobs ls", "list the top folder of production's store"],
    ["blobs ls photos/ --recursive --environment preview", "list all keys with a prefix"],
  ],
  async run({ args: [prefix], flags }, ctx) {
    const store = await openStore(ctx, flags);
    const { objects, folders, isCut } = await list(store, {
      prefix,
      delimiter: flags.recursive === true ? undefined : "/",
      limit: flags.limit,
    });
    const { environment } = store;
    if (objects.length + folders.length === 0) {
      ctx.ui.note(`No objects in ${environment}: \`svc blobs put <file>\` uploads one`);
    }
    if (isCut) ctx.ui.note(`Showing the first ${flags.limit}. Use --limit to see more`);
    const rows = [
      ...folders.map((folder) => [printable(folder), "", "", ""]),
      ...objects.map(({ key, size, contentType, modifiedAt }) => [
        printable(key),
        formatBytes(size),
        printable(contentType),
        formatAge(modifiedAt, ctx.now()),
      ]),
    ];
    ctx.ui.result(
      { environment, folders, objects, isCut },
      ctx.ui.table(["KEY", "SIZE", "TYPE", "CHANGED"], rows),
    );
  },
});
