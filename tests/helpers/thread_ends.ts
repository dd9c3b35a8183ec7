/**
 * Platforms whose edge threads a test can make fail, as a fault of svc's own would: from
 * source by a message that no thread can take, in the compiled program by a request.
 *
 * @module
 */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { makeTestFolder } from "../../src/lib/_test_folder.ts";
import { PROGRAM, rawRequest, start, startProgramAt, type TestPlatform } from "./platform.ts";

/** What a thread of the changed program fails at. */
const FATAL_PATH = "/!";

/** What the runtime writes when a worker ends with an error. */
const UNCAUGHT = /^error: Uncaught \(in worker "edge \d+"\)/;

/** Where a thread looks whether a certificate authority asks, with the names of the bundle. */
const CHALLENGE =
  /answer:\w+\(\((\w+),(\w+)\)=>\w+\|\|\1\.url\.includes\(\w+\)\?\w+\(\1,\2\):void 0,"answer"\)/g;

/**
 * The compiled program with other code in one place, of the same length: a thread throws
 * behind the back of the request at {@link FATAL_PATH}. No option of the program could do that.
 */
async function writeFailing(program: string): Promise<string> {
  const bytes = Buffer.from(await Deno.readFile(program));
  const found = [...bytes.toString("latin1").matchAll(CHALLENGE)];
  assert.equal(found.length, 1, "expected one place in the program to change");
  const [{ 0: text, index, 1: request, 2: connection }] = found as [RegExpExecArray];
  const failing =
    `answer:(${request},${connection})=>/!$/.test(${request}.url)?reportError(0):void 0`;
  assert.ok(failing.length <= text.length, text);
  bytes.write(failing.padEnd(text.length), index, "latin1");
  const path = join(await makeTestFolder("svc-failing-"), "svc");
  await Deno.writeFile(path, bytes, { mode: 0o755 });
  return path;
}

/** The workers that a platform in this process starts as edge threads, by their names. */
function followThreads(): Disposable & { readonly threads: ReadonlyMap<string, Worker> } {
  const threads = new Map<string, Worker>();
  const OwnWorker = globalThis.Worker;
  globalThis.Worker = class extends OwnWorker {
    constructor(...args: ConstructorParameters<typeof OwnWorker>) {
      super(...args);
      const name = args[1]?.name ?? "";
      if (/^edge \d+$/.test(name)) threads.set(name, this);
    }
  };
  return { threads, [Symbol.dispose]: () => void (globalThis.Worker = OwnWorker) };
}

/** A platform whose threads can be ended. */
export interface EndingThreads {
  readonly platform: TestPlatform;
  /** Makes one of the threads fail; which one is seen from what it leaves behind. */
  endOne(): Promise<void>;
}

/** Runs a test on a fresh platform with so many edge threads. */
export async function withEndingThreads(
  edgeThreads: number,
  run: (threads: EndingThreads) => Promise<void>,
): Promise<void> {
  const dataDir = await makeTestFolder("svc-test-");
  using followed = followThreads();
  const platform = PROGRAM === undefined
    ? await start(dataDir, { edgeThreads })
    : await startProgramAt(await writeFailing(PROGRAM), { dataDir, edgeThreads, lines: UNCAUGHT });
  const endOne = async () => {
    if (PROGRAM === undefined) {
      followed.threads.get("edge 1")!.postMessage([{ type: "change", change: null }]);
    } else {
      await rawRequest(platform.port, { host: "localhost", path: FATAL_PATH }).catch(() => {});
    }
  };
  try {
    await run({ platform, endOne });
  } finally {
    await platform.shutdown();
  }
}
