import assert from "node:assert/strict";
import { makeTestFolder } from "../../lib/_test_folder.ts";
import { until } from "../../lib/_test_until.ts";
import { FakeTimers } from "../process/_fake_timers.ts";
import { ServerLauncher } from "./server_launcher.ts";
import type { RunningServer, StartServerOptions } from "./start_server.ts";

/** A program that writes a line, connects, and runs until the connection closes. */
const PROGRAM = `
import socket, sys
print("early", flush=True)
link = socket.socket(socket.AF_UNIX)
link.connect(sys.argv[1])
link.recv(1)
`;

/** A program that connects and exits. */
const SHORT = `
import socket, sys
socket.socket(socket.AF_UNIX).connect(sys.argv[1])
`;

const MINUTE_MS = 60_000;

/** Creates a launcher. It keeps no process ready if the spare program is empty. */
async function setUp(spareProgram = PROGRAM) {
  const parent = await makeTestFolder("svc-launcher-test-");
  const timers = new FakeTimers();
  const commands: string[] = [];
  const lines: string[] = [];
  const commandFor = (name: string, program: string) => (folder: string) => {
    commands.push(name);
    return { command: "/usr/bin/python3", args: ["-c", program, `${folder}/c`], env: {} };
  };
  const launcher = new ServerLauncher({
    timers,
    parentFolder: () => Promise.resolve(parent),
    command: (folder, { directory }) => commandFor(directory, PROGRAM)(folder),
    spareCommand: spareProgram === "" ? undefined : commandFor("spare", spareProgram),
  });
  const options: StartServerOptions = {
    take: (_stream, line) => void lines.push(line),
    group: { memoryBytes: 100 * 1024 ** 2, processes: 10 },
  };
  return {
    ...{ launcher, timers, commands, lines },
    start: (directory: string) => launcher.start({ directory }, options),
    /** Waits until a number of commands have been requested. */
    called: (number: number) => until(() => commands.length === number),
    /** Waits until a number of processes have a private folder. */
    count: (number: number) =>
      until(() => [...Deno.readDirSync(parent)].length, (length) => length === number),
  };
}

async function end(...servers: readonly RunningServer[]): Promise<void> {
  for (const server of servers) server.close();
  await Promise.all(servers.map(({ ended }) => ended));
}

Deno.test("ServerLauncher keeps one process ready after a server has started", async () => {
  const { launcher, timers, commands, lines, count, called, start } = await setUp();
  const first = await start("/a");
  await timers.advance(249);
  assert.deepEqual(commands, ["/a"]);
  await timers.advance(1);
  await called(2);
  assert.deepEqual(commands, ["/a", "spare"]);
  const second = await start("/b");
  const third = await start("/c");
  assert.deepEqual(commands, ["/a", "spare", "/c"]);
  assert.equal(new Set([first.pid, second.pid, third.pid]).size, 3);
  await end(first, second, third);
  assert.deepEqual(lines, ["early", "early", "early"]);
  await launcher.close();
  await count(0);
});

Deno.test("ServerLauncher stops a ready process after ten minutes without a start", async () => {
  const { timers, commands, count, start } = await setUp();
  const server = await start("/a");
  await timers.advance(250);
  await count(2);
  await timers.advance(10 * MINUTE_MS);
  await count(1);
  await timers.advance(10 * MINUTE_MS);
  assert.deepEqual(commands, ["/a", "spare"]);
  await end(server);
});

Deno.test("ServerLauncher.close() stops the ready process and starts no other", async () => {
  const { launcher, timers, commands, count, start } = await setUp();
  const server = await start("/a");
  await timers.advance(250);
  await launcher.close();
  await count(1);
  const last = await start("/b");
  await timers.advance(MINUTE_MS);
  assert.deepEqual(commands, ["/a", "spare", "/b"]);
  await end(server, last);
});

Deno.test("ServerLauncher.start() starts a process if the ready one has exited", async () => {
  const { launcher, timers, commands, count, called, start } = await setUp(SHORT);
  const first = await start("/a");
  await timers.advance(250);
  await called(2);
  await count(1);
  const second = await start("/b");
  assert.deepEqual(commands, ["/a", "spare", "/b"]);
  await launcher.close();
  await end(first, second);
});

Deno.test("ServerLauncher keeps no process ready if its command depends on the server", async () => {
  const { timers, commands, start } = await setUp("");
  const server = await start("/a");
  await timers.advance(MINUTE_MS);
  assert.deepEqual(commands, ["/a"]);
  await end(server);
});
