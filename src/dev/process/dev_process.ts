/** @module The project's own dev server: its command, its output and its address. */
import { announcedAddress, type ServerAddress } from "./announced_address.ts";
import { listeningPorts } from "./listening_ports.ts";
import { type GroupOptions, type ProcessGroup, startGroup } from "./process_group.ts";

/** Maximum length of a line, in characters. Longer lines are split. */
const MAX_LINE = 16 * 1024;

/**
 * Splits chunks of text into lines, without their line breaks. The last line does not have to end
 * with a line break.
 */
class TextLineStream extends TransformStream<string, string> {
  constructor() {
    let rest = "";
    super({
      transform(piece, controller) {
        const lines = (rest + piece).split(/\r?\n/);
        rest = lines.pop()!;
        for (const line of lines) controller.enqueue(line);
        for (; rest.length > MAX_LINE; rest = rest.slice(MAX_LINE)) {
          controller.enqueue(rest.slice(0, MAX_LINE));
        }
      },
      flush(controller) {
        if (rest !== "") controller.enqueue(rest);
      },
    });
  }
}

/** Time between two attempts to connect, in milliseconds. */
const POLL_MS = 25;
/**
 * Number of attempts to connect between two checks of the processes' ports. Each check reads much
 * of `/proc`.
 */
const LOOK_EVERY = 8;
/**
 * How long to keep reading a command's output after it has exited, in milliseconds. Processes that
 * the command started may keep its output open.
 */
const LAST_OUTPUT_MS = 250;
/**
 * Number of attempts during which only the requested port and the announced port are tried. Other
 * ports may serve something else.
 */
const PATIENT_ATTEMPTS = 80;

export interface DevProcessOptions extends GroupOptions {
  /** The host and port that the command is asked to use. */
  readonly wanted: ServerAddress;
  /** Whether no other port is allowed. */
  readonly fixed: boolean;
  /** Ports that are not the dev server's: those of this program and of the inspector. */
  readonly notIts: ReadonlySet<number>;
  /** Receives each line of the server's output, including colors. */
  readonly onLine: (line: string) => void;
}

export interface DevProcess {
  readonly pid: number;
  /**
   * Resolves with the server's address once it listens, or with `undefined` if the server exited
   * first.
   */
  readonly address: Promise<ServerAddress | undefined>;
  /** Resolves when the server has exited and its output has been read. */
  readonly ended: Promise<Deno.CommandStatus>;
  stop(): Promise<void>;
  kill(): void;
}

/**
 * Returns the address that accepts connections, if any. `localhost` has two addresses, and servers
 * often listen on only one of them.
 */
async function reachable({ hostname, port }: ServerAddress): Promise<ServerAddress | undefined> {
  const hosts = hostname === "localhost" ? ["127.0.0.1", "::1"] : [hostname];
  for (const host of hosts) {
    try {
      (await Deno.connect({ hostname: host, port })).close();
      return { hostname: host, port };
    } catch { /* not listening yet */ }
  }
  return undefined;
}

async function readLines(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  take: (line: string) => void,
): Promise<void> {
  const lines = stream.pipeThrough(new TextDecoderStream()).pipeThrough(new TextLineStream());
  try {
    for await (const line of lines) take(line);
  } catch { /* it was killed in the middle of a line */ }
}

async function withinTime(work: Promise<unknown>, milliseconds: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise((resolve) => timer = setTimeout(resolve, milliseconds));
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

async function findAddress(
  group: ProcessGroup,
  { wanted, fixed, notIts }: DevProcessOptions,
  announced: () => ServerAddress | undefined,
): Promise<ServerAddress | undefined> {
  let hasEnded = false;
  const noteEnd = (): void => {
    hasEnded = true;
  };
  group.ended.then(noteEnd, noteEnd);
  for (let attempt = 0; !hasEnded; attempt++) {
    const told = fixed ? undefined : announced();
    const candidates = told === undefined ? [wanted] : [told, wanted];
    if (!fixed && attempt > PATIENT_ATTEMPTS && attempt % LOOK_EVERY === 0) {
      candidates.push(
        ...listeningPorts(group.pid).map((port) => ({ hostname: "localhost", port })),
      );
    }
    for (const candidate of candidates) {
      if (notIts.has(candidate.port)) continue;
      const found = await reachable(candidate);
      if (found !== undefined) return found;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return undefined;
}

/** Starts the command and looks for the address at which it listens. */
export function startDevProcess(options: DevProcessOptions): DevProcess {
  const group = startGroup(options);
  let announced: ServerAddress | undefined;
  const take = (line: string) => {
    const address = announcedAddress(line);
    if (address !== undefined && !options.notIts.has(address.port)) announced ??= address;
    options.onLine(line);
  };
  const output = Promise.all([group.stdout, group.stderr].map((each) => readLines(each, take)));
  const ended = group.ended.then(async (status) => {
    await withinTime(output, LAST_OUTPUT_MS);
    return status;
  });
  return {
    pid: group.pid,
    address: findAddress(group, options, () => announced),
    ended,
    stop: () => group.stop(),
    kill: () => group.kill(),
  };
}
