/**
 * Ten thousand small files: the first deploy, then one file changed and
 * deployed again.
 *
 * @module
 */
import { join } from "node:path";
import { z } from "zod";
import { describeProgram, peakMemory, type ToolRun, withBenchPlace } from "./_bench_place.ts";
import { formatTable, whole } from "./_table.ts";

const FILES = 10_000;
const FILES_PER_FOLDER = 100;

const amount = z.object({ files: z.int(), bytes: z.int() });
const sent = z.object({ uploaded: amount, reused: amount });

async function writeFiles(site: string): Promise<void> {
  await Deno.writeTextFile(join(site, "index.html"), "<h1>Ten thousand</h1>");
  for (let index = 0; index < FILES - 1; index++) {
    const folder = join(site, `section-${Math.floor(index / FILES_PER_FOLDER)}`);
    if (index % FILES_PER_FOLDER === 0) await Deno.mkdir(folder);
    const text = `<h1>Page ${index}</h1>\n${`<p>${index * 7919}</p>\n`.repeat(60)}`;
    await Deno.writeTextFile(join(folder, `page-${index}.html`), text);
  }
}

const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MB`;

function toRow(name: string, run: ToolRun, platformPeak: number): string[] {
  const { uploaded } = sent.parse(run.answer);
  return [
    name,
    `${(run.milliseconds / 1000).toFixed(2)} s`,
    whole(uploaded.files),
    `${whole(uploaded.bytes)} bytes`,
    megabytes(run.peakMemory),
    megabytes(platformPeak),
  ];
}

/** Runs the bench and returns its report. */
export async function benchFiles(): Promise<string> {
  return await withBenchPlace(async ({ site, platform, tool }) => {
    await writeFiles(site);
    await tool(["init", "--name", "bench", "--create"]);
    const idle = peakMemory(platform.pid);
    const rows = [
      toRow("first deploy", await tool(["deploy", "--prod"]), peakMemory(platform.pid)),
    ];
    await Deno.writeTextFile(join(site, "index.html"), "<h1>Ten thousand and one</h1>");
    rows.push(
      toRow("one file changed", await tool(["deploy", "--prod"]), peakMemory(platform.pid)),
    );
    rows.push(toRow("nothing changed", await tool(["deploy", "--prod"]), peakMemory(platform.pid)));
    const table = formatTable(
      ["deploy", "time", "blobs sent", "bytes sent", "tool's peak", "platform's peak"],
      rows,
    );
    return `${whole(FILES)} small files (svc ${describeProgram()}; ` +
      `platform before: ${megabytes(idle)})\n\n${table}`;
  });
}
