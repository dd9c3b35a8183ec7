/**
 * Measures how long the engine takes to create one image from a 12-megapixel photograph, and how
 * much memory its process needs.
 *
 * @module
 */
import { makePng, openEngine } from "../../tests/helpers/images.ts";
import { formatTable, median, whole } from "./_table.ts";

const ROUNDS = 5;

/** Maximum median time to create an image for a page, in milliseconds. */
const AIM_MS = 1000;

const SIZES = [640, 1920] as const;
const FORMATS = ["avif", "webp", "jpeg"] as const;

function residentMb(pid: number): number {
  const status = Deno.readTextFileSync(`/proc/${pid}/status`);
  return Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
}

/** Converts a JPEG of 4000 by 3000 pixels, and prints medians. */
export async function benchImages(): Promise<string> {
  await using engine = openEngine();
  const owner = "bench";
  const photo = await engine.convert({
    source: makePng(4000, 3000),
    owner,
    width: 4000,
    quality: 85,
    format: "jpeg",
  });
  if (!photo.ok) throw new Error(`Cannot create the photograph: ${photo.message}`);
  const rows: string[][] = [];
  for (const width of SIZES) {
    for (const format of FORMATS) {
      const times: number[] = [];
      let bytes = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const started = performance.now();
        const source = photo.bytes.slice();
        const made = await engine.convert({ source, owner, width, quality: 75, format });
        if (!made.ok) throw new Error(`Cannot convert to ${format}: ${made.message}`);
        times.push(performance.now() - started);
        bytes = made.bytes.byteLength;
      }
      const time = median(times);
      rows.push([
        `${width} px, ${format}`,
        whole(time),
        `${AIM_MS} ${time <= AIM_MS ? "met" : "MISSED"}`,
        whole(bytes),
      ]);
    }
  }
  const [pid] = engine.pids;
  const memory = pid === undefined
    ? ""
    : `\nPeak memory of the process: ${whole(residentMb(pid))} MB`;
  return formatTable(["12 MP JPEG to", "ms", "aim", "bytes"], rows) + memory;
}
