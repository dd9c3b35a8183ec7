/** A project in a temporary folder, with a host that records messages. */
import { dirname, join } from "node:path";
import type { BuildHost } from "./types.ts";

export interface TestProject {
  readonly project: string;
  readonly said: string[];
  readonly host: BuildHost;
}

/** Text of files, keyed by path. The text `-> target` creates a symbolic link. */
export type TestFiles = Readonly<Record<string, string>>;

const LINK = "-> ";

export async function writeFiles(folder: string, files: TestFiles): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const absolute = join(folder, path);
    await Deno.mkdir(dirname(absolute), { recursive: true });
    if (text.startsWith(LINK)) await Deno.symlink(text.slice(LINK.length), absolute);
    else await Deno.writeTextFile(absolute, text);
  }
}

export async function withTestProject(
  files: TestFiles,
  run: (project: TestProject) => Promise<void>,
): Promise<void> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "svc-build-" }));
  const project = join(folder, "project");
  const said: string[] = [];
  const host: BuildHost = {
    say: (phase, level, message) => void said.push(`${phase} ${level} ${message}`),
    warn: ({ file }) => void said.push(`warned of ${file}`),
    output: () => ({ write: () => {}, end: () => {} }),
    showPath: (path) => path.slice(project.length + 1),
    signal: new AbortController().signal,
    cacheDir: join(folder, "cache"),
    toolsDir: join(folder, "tools"),
    env: { PATH: Deno.env.get("PATH"), HOME: Deno.env.get("HOME") },
  };
  try {
    await Deno.mkdir(project);
    await writeFiles(project, files);
    await run({ project, said, host });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
