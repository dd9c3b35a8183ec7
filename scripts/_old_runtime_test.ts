import assert from "node:assert/strict";
import { join } from "node:path";
import { holdersOf, tryLockByKernelList } from "./_old_runtime.ts";

const LOCKS = `1: FLOCK  ADVISORY  WRITE 4711 08:01:131090 0 EOF
1: -> FLOCK  ADVISORY  WRITE 4712 08:01:131091 0 EOF
2: POSIX  ADVISORY  WRITE 99 08:01:131090 0 EOF
3: FLOCK  ADVISORY  READ 4713 00:2f:131090 0 EOF
`;

Deno.test("holdersOf() finds the processes that hold an inode, not those that wait", () => {
  assert.deepEqual(holdersOf(131090, LOCKS), [4711, 4713]);
  assert.deepEqual(holdersOf(131091, LOCKS), []);
});

Deno.test({
  name: "tryLockByKernelList() refuses a file that another process holds",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const folder = await Deno.makeTempDir();
    const path = join(folder, "lock");
    try {
      await Deno.writeTextFile(path, "");
      const holder = new Deno.Command(Deno.execPath(), {
        args: [
          "eval",
          `Deno.openSync(${JSON.stringify(path)}, { write: true }).lockSync(true);
           console.log("held"); setInterval(() => {}, 1000);`,
        ],
        stdout: "piped",
      }).spawn();
      const reader = holder.stdout.getReader();
      await reader.read();
      using file = await Deno.open(path, { write: true });
      assert.equal(tryLockByKernelList(file, true), false);
      holder.kill("SIGKILL");
      await reader.cancel();
      await holder.status;
      assert.equal(tryLockByKernelList(file, true), true);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
