/**
 * Runs the commands on a Markdown page as a reader would paste them: in one shell, in order,
 * against a platform that the page's own `svc serve` starts.
 *
 * @module
 */
import { join } from "node:path";
import { cleanEnvironment, COMPILED } from "./_program.ts";
import { hear } from "./_process.ts";

export interface PastedCommand {
  /** The text for the shell. */
  readonly text: string;
  /** Whether the page shows the command's output below it. */
  readonly showsOutput: boolean;
}

export interface PastedOutput extends PastedCommand {
  readonly output: string;
}

const BLOCK = /^```(console|sh)\n([^]*?)^```$/gm;

/**
 * Returns the commands in a `console` block: lines after `$ `, with the lines after `> ` that
 * continue them.
 */
function splitConsole(block: string): PastedCommand[] {
  return [...block.matchAll(/^\$ (.*(?:\n> .*)*)/gm)].map(([, text]) => ({
    text: text!.replaceAll("\n> ", "\n"),
    showsOutput: true,
  }));
}

/** Returns the commands below one of a page's headings, in reading order. */
export function readCommands(page: string, heading = ""): PastedCommand[] {
  const part = heading === "" ? page : page.slice(page.indexOf(`\n${heading}\n`));
  return [...part.matchAll(BLOCK)].flatMap(([, kind, block]) =>
    kind === "console" ? splitConsole(block!) : [{ text: block!.trimEnd(), showsOutput: false }]
  );
}

const isServe = ({ text }: PastedCommand): boolean => text.split("\n").at(0) === "svc serve";
/**
 * Returns whether a command is the line that `svc serve` prints for the next terminal. Pages
 * shorten the key in this line.
 */
const isExport = ({ text }: PastedCommand): boolean => text.startsWith("export SVC_API_URL=");

const SERVE_LIMIT_MS = 60_000;

async function serve(env: Readonly<Record<string, string>>) {
  const child = new Deno.Command("svc", {
    args: ["serve"],
    env: { ...env },
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let output = "";
  const ready = Promise.withResolvers<RegExpExecArray>();
  const read = async (stream: ReadableStream<Uint8Array>) => {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      output += text;
      const found = /SVC_API_URL=(\S+) SVC_TOKEN=(\S+)/.exec(output);
      if (found !== null) ready.resolve(found);
    }
  };
  const drained = Promise.all([read(child.stdout), read(child.stderr)]);
  drained.then(() => ready.reject(new Error(`svc serve exited: ${output}`)));
  const timer = setTimeout(() => ready.reject(new Error(`Not ready: ${output}`)), SERVE_LIMIT_MS);
  const stop = async () => {
    clearTimeout(timer);
    child.kill("SIGTERM");
    await child.status;
    await drained;
  };
  try {
    const [, url, token] = await ready.promise;
    return { url: url!, token: token!, output, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Printed before each command, to separate the commands' outputs. */
const MARK = "\u001e";

async function runInShell(
  commands: readonly PastedCommand[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<string[]> {
  const steps = commands.map(({ text }) => `printf '${MARK}'\n${text}\n`);
  const script = `set -eo pipefail\nexec 2>&1 </dev/null\n${steps.join("")}`;
  const file = join(cwd, "..", "pasted.sh");
  await Deno.writeTextFile(file, script);
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const { code, stdout } = await hear(["env", "-i", ...variables, "bash", file], { cwd });
  const outputs = stdout.split(MARK).slice(1);
  if (code !== 0) {
    throw new Error(
      `${commands[outputs.length - 1]?.text} exited with ${code}:\n${outputs.at(-1)}`,
    );
  }
  return outputs;
}

/**
 * Runs commands in an empty account that has `svc` on its search path, and returns their outputs.
 *
 * @throws {Error} at the first command that fails.
 */
export async function pasteCommands(commands: readonly PastedCommand[]): Promise<PastedOutput[]> {
  if (COMPILED === undefined) throw new TypeError("Set SVC_BIN to a compiled program");
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "svc-paste-" }));
  const [home, bin] = [join(folder, "home"), join(folder, "bin")];
  let platform: Awaited<ReturnType<typeof serve>> | undefined;
  try {
    await Deno.mkdir(home);
    await Deno.mkdir(bin);
    await Deno.symlink(await Deno.realPath(COMPILED), join(bin, "svc"));
    const clean = cleanEnvironment(home);
    const env = { ...clean, PATH: `${bin}:${clean.PATH}`, SVC_SERVE_PORT: "0" };
    platform = await serve(env);
    const { url, token, output } = platform;
    const typed = commands.filter((each) => !isServe(each) && !isExport(each));
    const outputs = await runInShell(
      // Pages show the default port, but this platform uses a free port.
      typed.map((each) => ({
        ...each,
        text: each.text.replaceAll("localhost:8787", new URL(url).host),
      })),
      { cwd: home, env: { ...env, SVC_API_URL: url, SVC_TOKEN: token } },
    );
    const port = `:${new URL(url).port}`;
    const results = typed.map((each, index) => ({ ...each, output: outputs[index]! }));
    return commands
      .map((each) =>
        isServe(each)
          ? { ...each, output }
          : isExport(each)
          ? { ...each, output: "" }
          : results.shift()!
      )
      .map((each) => ({
        ...each,
        output: each.output.replaceAll(port, ":8787").replaceAll(home, "/home/you"),
      }));
  } finally {
    await platform?.stop();
    await Deno.remove(folder, { recursive: true });
  }
}
