/** @module The commands in `cli/kv/`, each with its loader. */
import type { CommandGroup } from "../command/command_entry.ts";

export const KV: CommandGroup = {
  name: "kv",
  section: "Configuration",
  summary: "Read and change the local key-value store",
  commands: [
    { name: "get", summary: "Print the value of a key", load: () => import("./get.ts") },
    { name: "set", summary: "Set the value of a key", load: () => import("./set.ts") },
    { name: "remove", summary: "Remove a key", load: () => import("./remove.ts") },
    { name: "list", summary: "List keys", load: () => import("./list.ts") },
    { name: "clear", summary: "Remove all keys", load: () => import("./clear.ts") },
  ],
};
