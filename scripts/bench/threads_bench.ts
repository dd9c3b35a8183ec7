/**
 * Edge threads: the memory that they and cached pages take, and how long one that dies is missed.
 *
 * @module
 */
import { benchReplacement } from "../../src/serve/threads/replacement_bench.ts";
import { describeProgram, withBenchPlace } from "./_bench_place.ts";
import { cachedPagesMemory } from "./_cached_pages.ts";
import { formatTable, median } from "./_table.ts";

/** Most memory of one more thread, in megabytes. */
const THREAD_AIM_MB = 60;
/** Longest time without an answer where a thread dies, in milliseconds. */
const REPLACED_AIM_MS = 100;

const DEATHS = 20;
/** What a platform has loaded late, or left to collect, is gone by then, in milliseconds. */
const SETTLED_MS = 5000;

/** Memory that a process has for itself, with its part of what it shares, in megabytes. */
async function memoryOf(pid: number): Promise<number> {
  const text = await Deno.readTextFile(`/proc/${pid}/smaps_rollup`);
  return Number(/^Pss:\s+(\d+) kB$/m.exec(text)![1]) / 1024;
}

/** Memory of an idle platform with that many edge threads, in megabytes. */
async function idleMemory(threads: number): Promise<number> {
  return await withBenchPlace(async ({ platform }) => {
    await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
    return await memoryOf(platform.pid);
  }, { args: ["--edge-threads", String(threads)] });
}

/** Memory of 10,000 cached pages of 13 KB, by the number of edge threads. */
async function tableOfPages(): Promise<string> {
  const rows: string[][] = [];
  for (const threads of [1, 2, 4]) {
    const { empty, full, hits } = await cachedPagesMemory(threads, memoryOf);
    const texts = [empty, full, full - empty].map((memory) => memory.toFixed(0));
    rows.push([String(threads), ...texts, `${(100 * hits).toFixed(0)} %`]);
  }
  return formatTable(["edge threads", "MB empty", "MB full", "difference", "hits at last"], rows);
}

const verdict = (value: number, most: number): string => value <= most ? "met" : "MISSED";

/** Runs the bench and returns its report. */
export async function benchThreads(): Promise<string> {
  const rows: string[][] = [];
  let before: number | undefined;
  for (const threads of [1, 2, 3, 4]) {
    const memory = await idleMemory(threads);
    const more = before === undefined ? undefined : memory - before;
    // The first step is from the platform's own thread to two others and a spare one.
    const aim = threads > 2 && more !== undefined
      ? ` (at most ${THREAD_AIM_MB}: ${verdict(more, THREAD_AIM_MB)})`
      : "";
    rows.push([
      String(threads),
      memory.toFixed(0),
      more === undefined ? "" : more.toFixed(0) + aim,
    ]);
    before = memory;
  }
  const pages = await tableOfPages();
  const times = await benchReplacement(DEATHS);
  const middle = median(times);
  return [
    `Idle platforms (svc ${describeProgram()})`,
    formatTable(["edge threads", "MB (PSS)", "more than the row above"], rows),
    `10,000 cached pages of 13 KB (--cache-size 512MiB)\n\n${pages}`,
    `From the death of the only edge thread to the first answer on a new connection, ${DEATHS} ` +
    `deaths, from source:\n${middle.toFixed(0)} ms (${Math.min(...times).toFixed(0)} - ` +
    `${Math.max(...times).toFixed(0)}; at most ${REPLACED_AIM_MS}: ` +
    `${verdict(middle, REPLACED_AIM_MS)})`,
  ].join("\n\n");
}
