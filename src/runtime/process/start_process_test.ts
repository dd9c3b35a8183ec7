import assert from "node:assert/strict";
import { FILL_SOCKETS } from "../../lib/_test_fill_sockets.ts";
import { findGroupPlace, openControlGroups } from "../../lib/control_groups.ts";
import { type StartedProcess, startProcess, type StartProcessOptions } from "./start_process.ts";

/** Starts a one-line program, in which `PATH` is the socket to connect to. */
async function start(
  code: string,
  more: Partial<StartProcessOptions> = {},
): Promise<{ readonly parentFolder: string; readonly started: Promise<StartedProcess> }> {
  const parentFolder = await Deno.makeTempDir({ prefix: "svc-start-" });
  const started = startProcess({
    name: "The test's program",
    folderPrefix: "private-",
    parentFolder,
    socketName: "s",
    command: (folder) => ({
      command: Deno.execPath(),
      args: ["eval", "--no-config", code.replaceAll("PATH", JSON.stringify(`${folder}/s`))],
      env: { NO_COLOR: "1" },
    }),
    ...more,
  });
  return { parentFolder, started };
}

const namesIn = (folder: string): string[] => [...Deno.readDirSync(folder)].map(({ name }) => name);

const CONNECT = 'const conn = await Deno.connect({ transport: "unix", path: PATH });';

Deno.test("startProcess() connects and reports the end with the last output", async () => {
  const { parentFolder, started } = await start(
    `${CONNECT} await conn.read(new Uint8Array(1)); console.error("x".repeat(700), "done"); Deno.exit(3);`,
  );
  const { conn, listener, ended, folder } = await started;
  assert.ok(folder.startsWith(`${parentFolder}/private-`));
  assert.deepEqual(namesIn(folder), ["s"]);
  await conn.write(Uint8Array.of(1));
  assert.match(await ended, /^x{594} done \(code 3\)$/);
  assert.deepEqual(namesIn(parentFolder), [], "its private folder is removed");
  conn.close();
  listener.close();
  await Deno.remove(parentFolder);
});

Deno.test("startProcess() rejects if the process exits without connecting", async () => {
  const { parentFolder, started } = await start('console.error("no such thing"); Deno.exit(7);');
  await assert.rejects(started, {
    message: "The test's program did not start: no such thing (code 7)",
  });
  assert.deepEqual(namesIn(parentFolder), []);
  await Deno.remove(parentFolder);
});

Deno.test("StartedProcess.kill() kills the process and can be called again", async () => {
  const { parentFolder, started } = await start(
    `${CONNECT} await new Promise(() => setInterval(() => {}, 1e6));`,
  );
  const { conn, listener, ended, kill } = await started;
  kill();
  assert.equal(await ended, "(SIGKILL)");
  kill();
  conn.close();
  listener.close();
  await Deno.remove(parentFolder);
});

const place = findGroupPlace();

/** A program that connects. Each byte that it receives is a number of socket pairs to fill. */
const FILLER = `${FILL_SOCKETS}
link = socket.socket(socket.AF_UNIX)
link.connect(sys.argv[2])
while True:
    fill(link.recv(1)[0])
    link.send(b"y")
`;

Deno.test({
  name: "startProcess() limits kernel memory with a control group" +
    ("problem" in place ? ` (skipped: ${place.problem})` : ""),
  ignore: "problem" in place,
  async fn() {
    await openControlGroups();
    const { parentFolder, started } = await start("", {
      command: (folder) => ({
        command: "/usr/bin/python3",
        args: ["-c", FILLER, "0", `${folder}/s`],
        env: {},
      }),
    });
    const { conn, listener, ended, limit, ranOut } = await started;
    limit({ memoryBytes: 100 * 1024 ** 2, processes: 100 });
    await conn.write(Uint8Array.of(50));
    assert.equal(await conn.read(new Uint8Array(1)), 1, "some kernel memory is available");
    assert.equal(ranOut(), false);
    await conn.write(new Uint8Array(10).fill(200));
    assert.match(await ended, /\(SIGKILL\)$/);
    assert.equal(ranOut(), true);
    conn.close();
    listener.close();
    await Deno.remove(parentFolder);
  },
});
