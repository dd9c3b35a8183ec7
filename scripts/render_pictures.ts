/**
 * Regenerates the README's pictures and transcripts from a real run: the tour's outputs,
 * `docs/tour.svg` (an animated terminal) and `docs/benchmarks.svg` (from docs/performance.md).
 *
 *     SVC_BIN=$PWD/dist/svc deno run -A scripts/render_pictures.ts
 *
 * @module
 */
import { join } from "node:path";
import { renderBenchmarks } from "./_benchmark_picture.ts";
import { pasteCommands, type PastedOutput, readCommands } from "./_pasted_commands.ts";
import { ROOT } from "./_source_files.ts";
import { renderTerminal } from "./_terminal_picture.ts";

const README = join(ROOT, "README.md");
const TOUR = "## Tour";

/**
 * Returns an output as a terminal shows it: without the URL that stdout contains for pipes, and
 * with shortened keys.
 */
function forReaders({ output, ...command }: PastedOutput): PastedOutput {
  const lines = output.trimEnd().split("\n");
  const last = lines.at(-1)!;
  const isRepeated = /^http\S+$/.test(last) &&
    lines.slice(0, -1).some((line) => line.includes(last));
  const shown = (isRepeated ? lines.slice(0, -1) : lines).join("\n");
  return { ...command, output: shown.replaceAll(/(svc_|welcome\/)([\w-]{4})[\w-]{30,}/g, "$1$2…") };
}

/** Replaces the outputs in the `console` blocks below a heading. */
function withOutputs(page: string, outputs: readonly PastedOutput[]): string {
  const at = page.indexOf(`\n${TOUR}\n`);
  const queue = outputs.filter(({ showsOutput }) => showsOutput);
  const renewed = page.slice(at).replace(/^```console\n[^]*?^```$/gm, (block) => {
    const count = [...block.matchAll(/^\$ /gm)].length;
    const parts = queue.splice(0, count).map(({ text, output }) =>
      `$ ${text.replaceAll("\n", "\n> ")}\n${output}`.trimEnd()
    );
    return `\`\`\`console\n${parts.join("\n")}\n\`\`\``;
  });
  return page.slice(0, at) + renewed;
}

/**
 * Returns whether the picture shows a command: it omits commands that start the platform or set
 * variables.
 */
const isShown = ({ text }: PastedOutput): boolean => !/^(?:svc serve|export )/.test(text);

const page = await Deno.readTextFile(README);
const outputs = (await pasteCommands(readCommands(page, TOUR))).map(forReaders);
await Deno.writeTextFile(README, withOutputs(page, outputs));
await Deno.writeTextFile(join(ROOT, "docs/tour.svg"), renderTerminal(outputs.filter(isShown)));
const measured = await Deno.readTextFile(join(ROOT, "docs/performance.md"));
await Deno.writeTextFile(join(ROOT, "docs/benchmarks.svg"), renderBenchmarks(measured));
