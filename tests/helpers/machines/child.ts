/**
 * Programs that a test starts, and can kill or pause together with their descendants.
 *
 * @module
 */
import { until } from "../../../src/lib/_test_until.ts";
import { waitUntilOpen } from "./ports.ts";

/** Maximum length of a program's output to keep, in characters. */
const MOST_SAID = 100_000;

interface ChildOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** The port that is open once the program is ready. */
  readonly ready?: { readonly port: number };
}

/** Returns a process's descendants, closest first. */
async function descendants(pid: number): Promise<number[]> {
  const children = new Map<number, number[]>();
  for await (const { name } of Deno.readDir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await Deno.readTextFile(`/proc/${name}/stat`).catch(() => "");
    const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    children.set(parent, [...children.get(parent) ?? [], Number(name)]);
  }
  const found = [pid];
  for (const each of found) found.push(...children.get(each) ?? []);
  return found;
}

function signal(pid: number, name: Deno.Signal): void {
  try {
    Deno.kill(pid, name);
  } catch (error) {
    // The process has exited in the meantime.
    if (!(error instanceof Deno.errors.NotFound || error instanceof TypeError)) throw error;
  }
}

/** A program that runs until it is killed. */
export class Child implements AsyncDisposable {
  #said = "";
  #hasEnded = false;
  readonly #process: Deno.ChildProcess;
  readonly #heard: Promise<unknown>;

  private constructor(command: readonly [string, ...string[]], { env }: ChildOptions) {
    const [program, ...args] = command;
    this.#process = new Deno.Command(program, {
      args,
      ...(env === undefined ? {} : { env: { ...env } }),
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const { stdout, stderr, status } = this.#process;
    this.#heard = Promise.all([this.#hear(stdout), this.#hear(stderr)]);
    void status.then(() => this.#hasEnded = true);
  }

  /** Starts a program and waits until its port is open. */
  static async start(
    command: readonly [string, ...string[]],
    options: ChildOptions = {},
  ): Promise<Child> {
    const child = new Child(command, options);
    if (options.ready === undefined) return child;
    try {
      await waitUntilOpen(options.ready.port, () => !child.#hasEnded);
    } catch (cause) {
      await child.kill();
      throw new Error(`Cannot start ${command.join(" ")}: ${child.said}`, { cause });
    }
    return child;
  }

  get pid(): number {
    return this.#process.pid;
  }

  /** The end of the program's output. */
  get said(): string {
    return this.#said;
  }

  /** Kills the program and its descendants, as in a power cut. */
  async kill(): Promise<void> {
    const [own, ...below] = await descendants(this.#process.pid);
    // A wrapper program exits when the programs that it started have exited. If the wrapper is not
    // killed, no zombies remain.
    const all = below.length === 0 ? [own!] : below;
    if (!this.#hasEnded) {
      for (const pid of all) signal(pid, "SIGKILL");
      // A paused program would not notice that its child process has exited.
      signal(own!, "SIGCONT");
    }
    await this.#process.status;
    await this.#heard;
  }

  /** Pauses the program and its descendants, as if the machine hung. */
  async pause(): Promise<void> {
    for (const pid of await descendants(this.#process.pid)) signal(pid, "SIGSTOP");
  }

  async resume(): Promise<void> {
    for (const pid of await descendants(this.#process.pid)) signal(pid, "SIGCONT");
  }

  /** Waits until the program has printed a string. */
  async says(text: string): Promise<void> {
    await until(() => this.#said.includes(text));
  }

  async [Symbol.asyncDispose]() {
    await this.kill();
  }

  async #hear(stream: ReadableStream<Uint8Array>): Promise<void> {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      this.#said = (this.#said + text).slice(-MOST_SAID);
    }
  }
}
