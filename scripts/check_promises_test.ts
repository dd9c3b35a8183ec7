import assert from "node:assert/strict";
import { join } from "node:path";
import { findFloatingPromises, openProgram } from "./check_promises.ts";
import { inTestFolder } from "../src/lib/_test_folder.ts";

const PRELUDE = `declare function work(): Promise<void>;
declare function report(error: unknown): void;
declare function later(run: () => void): void;
declare function listen(run: () => void | Promise<void>): void;
async function guarded() { try { await work(); } catch (error) { report(error); } }
async function half() { try { await work(); } catch (error) { report(error); } report(1); }
async function rethrows() { try { await work(); } catch (error) { throw error; } }
function chained() { return work().catch(report); }
function kept() { const done = work().catch(report); return done; }
`;

interface Row {
  readonly code: string;
  readonly floats: boolean;
}

const ROWS: readonly Row[] = [
  { code: "work();", floats: true },
  { code: "void work();", floats: true },
  { code: "await work();", floats: false },
  { code: "work().catch(report);", floats: false },
  { code: "void work().catch(report);", floats: false },
  { code: "work().then(() => {});", floats: true },
  { code: "work().then(() => {}, report);", floats: false },
  { code: "work().finally(() => {});", floats: true },
  { code: "work().catch(report).finally(() => {});", floats: false },
  { code: "work().catch(report).then(() => report(1));", floats: true },
  { code: "void guarded();", floats: false },
  { code: "void half();", floats: true },
  { code: "void rethrows();", floats: true },
  { code: "chained();", floats: false },
  { code: "kept();", floats: false },
  { code: "later(() => void work());", floats: true },
  { code: "later(work);", floats: true },
  { code: "later(async () => await work());", floats: true },
  { code: "later(guarded);", floats: false },
  { code: "listen(work);", floats: false },
  { code: "Math.random() > 0.5 && work();", floats: true },
  { code: "Math.random() > 0.5 ? work() : guarded();", floats: true },
];

Deno.test("findFloatingPromises() finds promises whose rejection no one handles", async () => {
  await inTestFolder(async (folder) => {
    const files = ROWS.map((_, index) => join(folder, `row_${index}.ts`));
    await Promise.all(
      ROWS.map(({ code }, index) =>
        Deno.writeTextFile(files[index]!, `${PRELUDE}${code}\nexport {};\n`)
      ),
    );
    const program = openProgram(files, "");
    for (const [index, { code, floats }] of ROWS.entries()) {
      const found = findFloatingPromises(program, [files[index]!], folder);
      assert.equal(found.length, floats ? 1 : 0, `${code}: ${found}`);
    }
  });
});

Deno.test("findFloatingPromises() reports imports whose types it cannot see", async () => {
  await inTestFolder(async (folder) => {
    const file = join(folder, "row.ts");
    await Deno.writeTextFile(file, 'import { a } from "./missing.ts";\na();\n');
    const [problem] = findFloatingPromises(openProgram([file], ""), [file], folder);
    assert.match(problem ?? "", /^row\.ts:1: This module's types are unknown/);
  });
});
