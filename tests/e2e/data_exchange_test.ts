/**
 * The compiled program and the source open a data directory in turn. Their runtimes differ, but
 * each program must be able to read everything that the other has written.
 */
import { join } from "node:path";
import { programCommand, startProgram } from "../../scripts/_program.ts";
import { ROOT } from "../../scripts/_source_files.ts";
import { until } from "../../src/lib/_test_until.ts";
import { isInRoot, programFile } from "../helpers/empty_root.ts";
import { Ledger, untilDelivered } from "../helpers/ledger.ts";
import { callerOf } from "../helpers/sandbox_api.ts";
import { TOKEN, withSandbox } from "../helpers/sandbox.ts";

/** Number of writes per program. */
const WRITES = 40;
const SOURCE = [
  Deno.execPath(),
  "run",
  "--quiet",
  "-A",
  "--no-check",
  join(ROOT, "main.ts"),
] as const;

Deno.test({
  name: "the source and the compiled program read each other's data",
  ignore: programFile() === "" || isInRoot(),
  fn: () =>
    withSandbox(async (box) => {
      const ledgers: Ledger[] = [];
      const platform = callerOf(box);
      for (const command of [programCommand(), SOURCE, programCommand(), SOURCE]) {
        const env = { ...box.env, SVC_BOOTSTRAP_TOKEN: TOKEN };
        box.platform = await startProgram({ dataDir: box.dataDir, command, env });
        const ledger = await Ledger.open(platform, `turn-${ledgers.length}`);
        let done = false;
        const writing = ledger.run(platform, () => done);
        await Promise.race([writing, until(() => ledger.acknowledged >= WRITES)]);
        done = true;
        await writing;
        ledgers.push(ledger);
        await untilDelivered(platform);
        for (const each of ledgers) await each.check(platform, each.acknowledged);
        await box.platform.stop();
      }
    }),
});
