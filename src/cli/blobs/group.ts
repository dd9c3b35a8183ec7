/** @module The commands of `cli/blobs/`, each with its loader. */
import type { CommandGroup } from "../command/command_entry.ts";

export const BLOBS: CommandGroup = {
  name: "blobs",
  section: "Configuration",
  summary: "Read and change an environment's blob store",
  commands: [
    { name: "ls", summary: "List objects and folders", load: () => import("./ls.ts") },
    { name: "get", summary: "Download an object", load: () => import("./get.ts") },
    { name: "put", summary: "Upload a file", load: () => import("./put.ts") },
    { name: "rm", summary: "Delete objects", load: () => import("./rm.ts") },
    { name: "cp", summary: "Copy an object", load: () => import("./cp.ts") },
    {
      name: "sign",
      summary: "Print a URL that downloads or uploads one object",
      load: () => import("./sign.ts"),
    },
    {
      name: "keys",
      summary: "Manage S3 access keys",
      commands: [
        { name: "list", summary: "List access keys", load: () => import("./keys/list.ts") },
        {
          name: "create",
          summary: "Create an access key for S3 clients",
          load: () => import("./keys/create.ts"),
        },
        { name: "revoke", summary: "Revoke an access key", load: () => import("./keys/revoke.ts") },
      ],
    },
  ],
};
