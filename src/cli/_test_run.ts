/** @module Runs command lines in this process, with or without a simulated terminal. */
import { runProgram } from "./program.ts";
import type { Prompter } from "./prompts/prompter.ts";
import type { Host } from "./session/context.ts";
import { type Environment, wantsJson } from "./session/global_flags.ts";

export const NOW = Date.parse("2026-11-21T10:00:00.000Z");

export interface RunOptions {
  readonly env?: Environment;
  readonly cwd?: string;
  readonly fetch?: typeof fetch;
  readonly prompter?: Prompter;
  readonly terminal?: boolean;
  /** Width of the terminal in columns. */
  readonly columns?: number;
  /** Bytes on stdin. */
  readonly stdin?: string | Uint8Array;
  readonly signal?: AbortSignal;
  readonly now?: () => number;
  /** Waits. If this function is missing, waiting fails the test. */
  readonly sleep?: Host["sleep"];
  /**
   * Called with each URL to open in a browser. If this function is missing, there is no browser.
   */
  readonly openUrl?: Host["openUrl"];
  /** Called with each string that is written to stdout. */
  readonly onStdout?: (text: string) => void;
}

export interface RunOutcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Rejects all requests, for command lines that must not use the network. */
export const offline: typeof fetch = () => Promise.reject(new TypeError("connection refused"));

/** Runs `svc` with these arguments and returns the output. */
export async function runCli(
  argv: readonly string[],
  options: RunOptions = {},
): Promise<RunOutcome> {
  const out = { stdout: "", stderr: "" };
  const isTerminal = options.terminal ?? false;
  const host: Host = {
    stdout: {
      isTerminal,
      columns: () => options.columns,
      write: (data) => {
        const text = typeof data === "string" ? data : new TextDecoder().decode(data);
        out.stdout += text;
        options.onStdout?.(text);
      },
    },
    stderr: { isTerminal, write: (text) => void (out.stderr += text) },
    stdinIsTerminal: isTerminal,
    stdin: () => new Blob([(options.stdin ?? "") as BlobPart]).stream(),
    env: options.env ?? {},
    cwd: options.cwd ?? "/",
    now: options.now ?? (() => NOW),
    signal: options.signal ?? new AbortController().signal,
    takeSignals: () => () => {},
    onSecondStop: () => {},
    fetch: options.fetch ?? offline,
    sleep: options.sleep ?? (() => Promise.reject(new RangeError("Unexpected wait"))),
    openUrl: options.openUrl ?? (() => false),
    machineName: () => "test-machine",
    keyboard: { read: () => Promise.resolve(null), setRaw: () => {} },
    ...(options.prompter === undefined ? {} : { prompter: options.prompter }),
  };
  const code = await runProgram(argv, host);
  if (wantsJson(argv, host.env) && out.stdout !== "") {
    const { assertAnswers } = await import("./_test_answers.ts");
    assertAnswers(argv, out.stdout);
  }
  return { code, ...out };
}

/** Simulates a person who gives these answers in order. Any further question fails the test. */
export function personWho(answers: readonly unknown[]): Prompter & { readonly asked: string[] } {
  const rest = [...answers];
  const asked: string[] = [];
  const next = (message: string): unknown => {
    asked.push(message);
    if (rest.length === 0) throw new RangeError(`Unexpected question "${message}"`);
    return rest.shift();
  };
  return {
    asked,
    text: ({ message }) => Promise.resolve(next(message) as string),
    value: ({ message }) => Promise.resolve(next(message) as string),
    confirm: ({ message }) => Promise.resolve(next(message) as boolean),
    select<Value>({ message, choices }: {
      message: string;
      choices: readonly { value: Value; label: string }[];
    }) {
      const label = next(message);
      const choice = choices.find((candidate) => candidate.label === label);
      if (choice === undefined) throw new RangeError(`No choice is labeled ${label}`);
      return Promise.resolve(choice.value);
    },
  };
}
