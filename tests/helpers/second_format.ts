/**
 * A made-up second format of the data directory. `deno run -A second_format.ts <dataDir> <extra
 * bytes>` migrates a directory to this format as `svc serve` does on startup. The command prints a
 * line for each step, so that tests can kill it at any step.
 */
import { join } from "node:path";
import { bringUpToDate, type DataPlaces, type Migration } from "../../src/serve/mod.ts";
import { openDataDir, openKv } from "../../src/platform/core/store/mod.ts";

/** Number of records and files that the format changes. */
export const COUNT = 300;
const BATCH = 20;

const keyOf = (n: number) => ["second_format", n];
const fileOf = ({ dataDir }: DataPlaces, n: number, ending: string) =>
  join(dataDir, "build_logs", "second_format", `${n}.${ending}`);

export const placesOf = (dataDir: string): DataPlaces => ({
  dataDir,
  kv: join(dataDir, "kv.sqlite3"),
  blobs: join(dataDir, "blobs"),
});

/** Writes the data that the format changes, in the first format. */
export async function writeFirst(places: DataPlaces): Promise<void> {
  const kv = await openKv(places.kv, {});
  await Deno.mkdir(join(places.dataDir, "build_logs", "second_format"), { recursive: true });
  for (let n = 0; n < COUNT; n++) {
    await kv.set(keyOf(n), { name: `record ${n}` });
    await Deno.writeTextFile(fileOf(places, n, "ndjson"), `file ${n}`);
  }
  kv.close();
}

/**
 * Returns the format of all data, or a description of the problem if formats are mixed or data is
 * damaged.
 */
export async function formatFound(places: DataPlaces): Promise<1 | 2 | string> {
  const kv = await openKv(places.kv, {});
  const formats = new Set<number>();
  try {
    for (let n = 0; n < COUNT; n++) {
      const { value } = await kv.get<{ readonly name?: string; readonly title?: string }>(keyOf(n));
      if ((value?.name ?? value?.title) !== `record ${n}`) return `record ${n} is lost`;
      formats.add(value?.name === undefined ? 2 : 1);
      for (const [index, ending] of ["ndjson", "log"].entries()) {
        const text = await Deno.readTextFile(fileOf(places, n, ending)).catch(() => undefined);
        if (text === `file ${n}`) formats.add(index + 1);
      }
    }
  } finally {
    kv.close();
  }
  const [first] = formats;
  return formats.size === 1 ? first as 1 | 2 : "formats are mixed";
}

function migrationOf(extraBytes: number): Migration {
  return {
    from: 1,
    summary: "names are titles",
    async run(places) {
      const kv = await openKv(places.kv, {});
      for (let start = 0; start < COUNT; start += BATCH) {
        const operation = kv.atomic();
        for (let n = start; n < start + BATCH; n++) {
          const { value } = await kv.get<{ readonly name?: string }>(keyOf(n));
          if (value?.name === undefined) continue;
          operation.set(keyOf(n), { title: value.name });
          await Deno.rename(fileOf(places, n, "ndjson"), fileOf(places, n, "log"))
            .catch((error) => {
              if (!(error instanceof Deno.errors.NotFound)) throw error;
            });
        }
        await operation.commit();
        say(`batch ${start}`);
      }
      kv.close();
      const extra = join(places.dataDir, "extra");
      await Deno.writeFile(extra, new Uint8Array(extraBytes));
      await Deno.remove(extra);
    },
  };
}

function say(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

/**
 * Opens a directory as a program with this format does, and migrates it if necessary. A program
 * that knows only the first format rejects a migrated directory.
 */
export async function settle(dataDir: string, format: 1 | 2, extraBytes = 0): Promise<void> {
  const { release } = await openDataDir(dataDir);
  try {
    await bringUpToDate(placesOf(dataDir), {
      version: `${format}.0.0`,
      format,
      log: say,
      migrations: format === 1 ? [] : [migrationOf(extraBytes)],
    });
  } finally {
    release();
  }
}

if (import.meta.main) {
  const [dataDir = "", extra = "0"] = Deno.args;
  say("started");
  try {
    await settle(dataDir, 2, Number(extra));
    say("done");
  } catch (error) {
    say(`failed: ${error instanceof Error ? error.message : error}`);
    Deno.exit(1);
  }
}
