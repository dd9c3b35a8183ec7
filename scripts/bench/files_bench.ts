/**
 * Deploys of many small files (the first deploy, one file changed, nothing changed), and of a
 * single file, which shows the fixed cost of a deploy.
 *
 * @module
 */
import { join } from "node:path";
import * as z from "zod";
import {
  type BenchPlace,
  describeProgram,
  peakMemory,
  type ToolRun,
  withBenchPlace,
} from "./_bench_place.ts";
import { processorTime } from "./_processor_time.ts";
import { formatTable, median, whole } from "./_table.ts";

const FILES_PER_FOLDER = 100;

/** Number of times that a deploy is repeated. The report contains the medians. */
const ROUNDS = 5;

/**
 * Pause before the first deploy, in milliseconds. svc caches the hash of a file only if the file
 * has not changed within the last two seconds.
 */
const SETTLE_MS = 2500;

const amount = z.object({ files: z.int(), bytes: z.int() });
const sent = z.object({ uploaded: amount, reused: amount });

async function writeFiles(site: string, count: number): Promise<void> {
  await Deno.writeTextFile(join(site, "index.html"), "<h1>Many</h1>");
  for (let index = 0; index < count - 1; index++) {
    const folder = join(site, `section-${Math.floor(index / FILES_PER_FOLDER)}`);
    if (index % FILES_PER_FOLDER === 0) await Deno.mkdir(folder);
    const text = `<h1>Page ${index}</h1>\n${`<p>${index * 7919}</p>\n`.repeat(60)}`;
    await Deno.writeTextFile(join(folder, `page-${index}.html`), text);
  }
}

const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MB`;

/** One deploy, with the CPU time of the CLI and the platform in milliseconds. */
interface Round extends ToolRun {
  readonly tool: number;
  readonly platform: number;
}

async function deploy({ platform, tool }: BenchPlace): Promise<Round> {
  const before = [processorTime(Deno.pid), processorTime(platform.pid)] as const;
  const run = await tool(["deploy", "--prod"]);
  const ofPlatform = processorTime(platform.pid) - before[1];
  // The CLI is the only child process that has exited since then.
  return {
    ...run,
    platform: ofPlatform,
    tool: processorTime(Deno.pid) - before[0] - ofPlatform,
  };
}

function toRow(name: string, rounds: readonly Round[], place: BenchPlace): string[] {
  const middle = (of: (round: Round) => number): number => median(rounds.map(of));
  const { uploaded } = sent.parse(rounds[0]!.answer);
  return [
    name,
    `${(middle(({ milliseconds }) => milliseconds) / 1000).toFixed(2)} s`,
    `${whole(middle(({ tool }) => tool))} ms`,
    `${whole(middle(({ platform }) => platform))} ms`,
    whole(uploaded.files),
    megabytes(Math.max(...rounds.map(({ peakMemory }) => peakMemory))),
    megabytes(peakMemory(place.platform.pid)),
  ];
}

/** Returns the rows for a site of `count` files that is deployed to its own platform. */
async function benchSite(count: number): Promise<string[][]> {
  return await withBenchPlace(async (place) => {
    const { site, tool } = place;
    await writeFiles(site, count);
    await tool(["init", "--name", "bench", "--create"]);
    const repeat = async (prepare: (round: number) => Promise<void>): Promise<Round[]> => {
      const rounds: Round[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        await prepare(round);
        rounds.push(await deploy(place));
      }
      return rounds;
    };
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    const first = await deploy(place);
    const changed = await repeat((round) =>
      Deno.writeTextFile(join(site, "index.html"), `<h1>Round ${round}</h1>`)
    );
    const unchanged = await repeat(() => Promise.resolve());
    const title = `${whole(count)} ${count === 1 ? "file" : "files"}`;
    return [
      toRow(`${title}, first deploy`, [first], place),
      toRow(`${title}, one changed`, changed, place),
      toRow(`${title}, none changed`, unchanged, place),
    ];
  });
}

/** Runs the bench and returns its report. */
export async function benchFiles(): Promise<string> {
  const rows = [...await benchSite(1), ...await benchSite(1000), ...await benchSite(10_000)];
  const table = formatTable(
    ["deploy", "time", "tool's CPU", "platform's CPU", "blobs sent", "tool's peak", "platform's"],
    rows,
  );
  return `Deploys of small files (svc ${describeProgram()}), medians of ${ROUNDS}\n\n${table}`;
}
