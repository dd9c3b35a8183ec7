/** @module Any program, in any language, that a Procfile starts. */
import { procfileCommand, WHOLE_PROJECT } from "./parts.ts";
import type { Language } from "./types.ts";

/** Matches programs that other entries start, or that only serve files. */
const NOT_HERE =
  /^(?:node|npm|npx|pnpm|yarn|bun|bunx|deno|(?:node_modules\/\.bin\/)?(?:serve|http-server))\b/;

export const procfile: Language = {
  id: "procfile",
  name: "Procfile",
  files: ["Procfile"],
  async plan(reader) {
    const command = await procfileCommand(reader);
    if (command === undefined || NOT_HERE.test(command)) return undefined;
    return {
      reason: "Procfile specifies the command",
      toolchains: [],
      start: command,
      entry: "Procfile",
      placements: WHOLE_PROJECT,
    };
  },
};
