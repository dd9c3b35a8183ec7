/** @module Go: one static binary, and the folders that it can read. */
import type { ProjectReader } from "../frameworks/types.ts";
import { BUILT, findIn, programPlacements, quote } from "./parts.ts";
import type { Language } from "./types.ts";

const MAIN = /^package main$/m;

const PROGRAM = "svc-server";

/** Command names that indicate a server, for modules with several commands. Most likely first. */
const SERVERS = ["server", "web", "api", "app", "http", "main", "service"] as const;

/** Common file names for package main in the module's own folder. */
const USUAL = ["main.go", "server.go", "app.go", "cmd.go"] as const;

const rank = (path: string): number => {
  const at = SERVERS.findIndex((name) => path.startsWith(`${name}/`));
  return at === -1 ? SERVERS.length : at;
};

/**
 * Finds the package to start, in the form that the build needs, and the file that identifies the
 * package.
 */
async function findMain(reader: ProjectReader) {
  const listed = await reader.list?.(".") ?? [];
  const own = listed.filter((path) => /^[^/]+(?<!_test)\.go$/.test(path));
  const root = await findIn(reader, [...USUAL, ...own], MAIN);
  if (root !== undefined) return { folder: ".", path: root.path };
  const commands = (await reader.list?.("cmd") ?? [])
    .filter((path) => /^[\w-]+\/[^/]+(?<!_test)\.go$/.test(path))
    .sort((left, right) => rank(left) - rank(right));
  const found = await findIn(reader, commands.map((path) => `cmd/${path}`), MAIN);
  if (found === undefined) return undefined;
  return { folder: `./${found.path.slice(0, found.path.lastIndexOf("/"))}`, path: found.path };
}

export const go: Language = {
  id: "go",
  name: "Go",
  files: ["go.mod"],
  async plan(reader) {
    if (!await reader.exists("go.mod")) return undefined;
    const main = await findMain(reader);
    if (main === undefined) return undefined;
    const output = `${BUILT}/${PROGRAM}`;
    return {
      reason: `${main.path} is package main of a Go module`,
      toolchains: ["go"],
      build: `CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o ${output} ${quote(main.folder)}`,
      start: `exec ./${PROGRAM}`,
      entry: PROGRAM,
      placements: programPlacements(output, PROGRAM),
    };
  },
};
