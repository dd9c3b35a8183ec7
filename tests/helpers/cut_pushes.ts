/**
 * Starts pushes for a test to interrupt, and observes them on the disk of the node that receives
 * them.
 *
 * @module
 */
import { join } from "node:path";
import { git } from "../../src/lib/_test_git.ts";

/** Number of incompressible bytes in each commit. */
const PICTURE_BYTES = 8 * 1024 * 1024;

interface PushTo {
  /** URL of the platform. */
  readonly url: string;
  /** Path of the repository after `/git/`. */
  readonly repository: string;
  readonly token: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface Push {
  /** Returns git's output so far. */
  said(): string;
  ended(): Promise<{ readonly code: number; readonly said: string }>;
}

/** Starts a push of the branch `main` from a folder, with the key. */
export function beginPush(folder: string, { url, repository, token, env }: PushTo): Push {
  const child = new Deno.Command("git", {
    args: [
      "-C",
      folder,
      "-c",
      `http.extraHeader=Authorization: Basic ${btoa(`svc:${token}`)}`,
      "push",
      `${url}/git/${repository}`,
      "main",
    ],
    env: { ...env, GIT_TERMINAL_PROMPT: "0" },
    clearEnv: true,
    stdout: "null",
    stderr: "piped",
  }).spawn();
  let said = "";
  const reading = (async () => {
    for await (const part of child.stderr.pipeThrough(new TextDecoderStream())) said += part;
  })();
  return {
    said: () => said,
    async ended() {
      const { code } = await child.status;
      await reading;
      return { code, said };
    },
  };
}

/** Commits a page that contains `text`, and a picture that takes a while to send. */
export async function commitPage(folder: string, text: string): Promise<string> {
  await Deno.writeTextFile(join(folder, "index.html"), text);
  const picture = new Uint8Array(PICTURE_BYTES);
  for (let at = 0; at < picture.length; at += 65_536) {
    crypto.getRandomValues(picture.subarray(at, at + 65_536));
  }
  await Deno.writeFile(join(folder, "picture.bin"), picture);
  await git(folder, "add", "--all");
  await git(folder, "commit", "--quiet", "--message", text);
  return await git(folder, "rev-parse", "HEAD");
}

/** Lists the names in a folder, which need not exist. */
export async function namesIn(folder: string): Promise<string[]> {
  const names = Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
  return await names.catch(() => []);
}

/** Returns the number of bytes that have arrived so far in the running push. */
export async function arrivedBytes(dataDir: string): Promise<number> {
  const builds = join(dataDir, "builds");
  const sizes = (await namesIn(builds)).map((name) =>
    Deno.stat(join(builds, name, "work", "request")).then(({ size }) => size, () => 0)
  );
  return Math.max(0, ...await Promise.all(sizes));
}

/** Lists the folders of running pushes and git commands. */
export async function foldersOfGit(dataDir: string): Promise<readonly string[]> {
  return (await namesIn(join(dataDir, "builds"))).filter((name) => /^git-/.test(name));
}

/** Returns the path of the only repository in a data directory; `undefined` if there is none. */
async function repositoryIn(dataDir: string): Promise<string | undefined> {
  const [name] = (await namesIn(join(dataDir, "repositories"))).filter((name) =>
    name.endsWith(".git")
  );
  return name === undefined ? undefined : join(dataDir, "repositories", name);
}

/** Runs git in the only repository in a data directory. */
export async function inRepository(dataDir: string, ...args: string[]): Promise<string> {
  return await git((await repositoryIn(dataDir))!, "-c", "safe.directory=*", ...args);
}

/** Lists the folders of pushes whose objects git has not yet checked. */
export async function uncheckedObjects(dataDir: string): Promise<readonly string[]> {
  const repository = await repositoryIn(dataDir);
  if (repository === undefined) return [];
  const objects = await namesIn(join(repository, "objects"));
  return objects.filter((each) => each.startsWith("tmp_objdir"));
}
