/** @module The worker that decodes untrusted images, without permissions. */
import { convertImage } from "./convert_image.ts";
import { loadVips, type VipsEngine } from "./load_vips.ts";
import type { FromImageWorker, ToImageWorker } from "./messages.ts";

interface WorkerScope {
  onmessage: ((event: MessageEvent<ToImageWorker>) => void) | null;
  postMessage(message: FromImageWorker, transfer?: Transferable[]): void;
}

const scope = globalThis as unknown as WorkerScope;

/** Maximum length of a libvips message, in characters. */
const MAX_MESSAGE = 300;

let vips: VipsEngine | undefined;
let maxPixels = 0;

/**
 * Reads the type and text of a libvips error from the exception thrown by its WebAssembly. The last
 * line is about this image; earlier lines may be about earlier images.
 *
 * @returns `undefined` for any other error, after which the engine cannot continue
 */
function wordsOfVips(error: unknown): string | undefined {
  const message: unknown = (error as { readonly message?: unknown } | undefined)?.message;
  if (!Array.isArray(message) || message[0] !== "vips::Error") return undefined;
  const lines = String(message[1]).split("\n").map((line) => line.trim());
  return (lines.findLast((line) => line !== "") ?? "").slice(0, MAX_MESSAGE);
}

const describe = (error: unknown): string => String(error).slice(0, MAX_MESSAGE);

function convert(engine: VipsEngine, message: Extract<ToImageWorker, { type: "convert" }>): void {
  try {
    const { conversion, source } = message;
    const outcome = convertImage(engine, source, { conversion, maxPixels });
    if ("reason" in outcome) return scope.postMessage({ type: "failed", failed: outcome });
    scope.postMessage({ type: "done", ...outcome }, [outcome.bytes.buffer]);
  } catch (error) {
    const words = wordsOfVips(error);
    scope.postMessage(
      words === undefined
        ? { type: "fatal", message: describe(error) }
        : { type: "failed", failed: { reason: "broken", message: words } },
    );
  }
}

scope.onmessage = async ({ data }) => {
  if (data.type === "convert") {
    if (vips !== undefined) convert(vips, data);
    return;
  }
  try {
    maxPixels = data.maxPixels;
    vips = await loadVips(data.files);
    scope.postMessage({ type: "ready", version: String(vips.version()) });
  } catch (error) {
    scope.postMessage({ type: "fatal", message: describe(error) });
  }
};
