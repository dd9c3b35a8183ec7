/**
 * Runs other programs, with live or collected output.
 *
 * @module
 */

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const options = (given: RunOptions) => ({
  ...(given.cwd === undefined ? {} : { cwd: given.cwd }),
  ...(given.env === undefined ? {} : { env: { ...given.env } }),
});

/** Runs a program until it exits, and returns its output. */
export async function hear(
  [program, ...args]: readonly [string, ...string[]],
  given: RunOptions = {},
): Promise<Outcome> {
  const output = await new Deno.Command(program, {
    args,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    ...options(given),
  }).output();
  const decoder = new TextDecoder();
  return {
    code: output.code,
    stdout: decoder.decode(output.stdout),
    stderr: decoder.decode(output.stderr),
  };
}

/** Runs a program, shows its output live, and returns its exit code. */
export async function show(
  [program, ...args]: readonly [string, ...string[]],
  given: RunOptions = {},
): Promise<number> {
  const child = new Deno.Command(program, {
    args,
    stdin: "null",
    stdout: "inherit",
    stderr: "inherit",
    ...options(given),
  }).spawn();
  return (await child.status).code;
}

/** Returns true if `program` can be started from the search path. */
export function isInstalled(program: string): boolean {
  const folders = (Deno.env.get("PATH") ?? "").split(":");
  return folders.some((folder) => {
    try {
      const info = Deno.statSync(`${folder}/${program}`);
      return info.isFile && ((info.mode ?? 0) & 0o111) !== 0;
    } catch {
      return false;
    }
  });
}
