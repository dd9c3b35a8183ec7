/** Traces system calls to check that acknowledged files keep their names after a power loss. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { programCommand, startProgram } from "../../scripts/_program.ts";
import { TOKEN, withSandbox } from "../helpers/sandbox.ts";

const STRACE = "/usr/bin/strace";

const hasStrace = await Deno.stat(STRACE).then(() => true, () => false);

/** Matches the rename target, or the flushed folder or file, in a line of the trace. */
const RENAME = /\brename(?:at2?)?\(.*"([^"]+)"(?:, [A-Z_0-9]+)?(?:\)| <unfinished)/;
const FLUSH = /\bf(?:data)?sync\(\d+<([^>]+)>/;

/** Returns the new names of files whose folder was not flushed afterwards. */
function unflushed(trace: string, root: string): readonly string[] {
  const waiting = new Set<string>();
  for (const line of trace.split("\n")) {
    const flushed = FLUSH.exec(line)?.[1];
    for (const path of waiting) if (dirname(path) === flushed) waiting.delete(path);
    const renamed = RENAME.exec(line)?.[1];
    if (renamed?.startsWith(root)) waiting.add(renamed);
  }
  return [...waiting];
}

Deno.test({
  name: "after files are renamed into place, the folders of blobs and keys are flushed",
  ignore: !hasStrace,
  fn: () =>
    withSandbox(async (box) => {
      const log = join(box.folder, "trace");
      // With -D, the test's child process is the program, and strace runs separately.
      const strace = [STRACE, "-D", "-f", "-y", "-qq", "-o", log] as const;
      const calls = ["-e", "trace=rename,renameat,renameat2,fsync,fdatasync", "-s", "4096"];
      box.platform = await startProgram({
        dataDir: box.dataDir,
        command: [...strace, ...calls, ...programCommand()],
        env: { ...box.env, SVC_BOOTSTRAP_TOKEN: TOKEN },
      });
      box.env.SVC_API_URL = box.platform.url;
      box.env.SVC_TOKEN = TOKEN;
      for (const n of ["index", "one", "two"]) {
        await Deno.writeTextFile(join(box.site, `${n}.html`), `page ${n}`);
      }
      await box.json(["init", "--name", "shop", "--create"]);
      await box.json(["deploy", "--prod"]);
      const trace = await Deno.readTextFile(log);
      const renamed = trace.split("\n").map((line) => RENAME.exec(line)?.[1] ?? "");
      const blobs = renamed.filter((path) => path.startsWith(join(box.dataDir, "blobs")));
      assert.ok(blobs.length >= 3, `${blobs}`);
      assert.ok(renamed.includes(join(box.dataDir, "keys.json")));
      const kept = [join(box.dataDir, "blobs"), join(box.dataDir, "keys.json")];
      assert.deepEqual(kept.flatMap((root) => unflushed(trace, root)), []);
      await box.platform.stop();
    }),
});
