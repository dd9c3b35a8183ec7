/**
 * @module Shows the progress of an upload: a bar on a terminal, otherwise a line after each
 * quarter.
 */
import type { Clock } from "../../lib/clock.ts";
import type { Palette } from "./color.ts";
import { formatBytes } from "./format.ts";
import type { Writer } from "./writer.ts";

export interface Progress {
  /** Adds the progress since the last call. */
  add(done: Amount): void;
  /** Removes the bar. Must be called even if the work fails. */
  end(): void;
}

export interface ProgressOptions {
  readonly label: string;
  readonly files: number;
  readonly bytes: number;
  readonly now: Clock;
  readonly colors: Palette;
  readonly stderr: Writer;
  /** True to draw a bar, false to print lines. */
  readonly live: boolean;
  readonly say: (message: string) => void;
}

const BAR_WIDTH = 24;
/** Minimum time between two redraws, in milliseconds. */
const REDRAW = 80;
const QUARTERS = 4;

interface Amount {
  readonly files: number;
  readonly bytes: number;
}

/**
 * Returns the completed fraction of the work, from 0 to 1. The fraction is measured in bytes if
 * there are any, otherwise in files.
 */
function shareOf(done: Amount, total: Amount): number {
  if (total.bytes > 0) return done.bytes / total.bytes;
  return total.files > 0 ? done.files / total.files : 1;
}

/** Formats the bar and its numbers, without color. */
function drawBar(
  done: Amount,
  total: Amount,
): { readonly bar: string; readonly numbers: string } {
  const filled = Math.min(BAR_WIDTH, Math.floor(shareOf(done, total) * BAR_WIDTH));
  return {
    bar: "█".repeat(filled) + "░".repeat(BAR_WIDTH - filled),
    numbers: `${done.files}/${total.files} files, ` +
      `${formatBytes(done.bytes)} of ${formatBytes(total.bytes)}`,
  };
}

/** Starts showing progress toward `files` and `bytes`. */
export function createProgress(options: ProgressOptions): Progress {
  const { colors, label, live, now, stderr } = options;
  const done = { files: 0, bytes: 0 };
  let drawnAt = -Infinity;
  let quarter = 0;

  const draw = (): void => {
    const { bar, numbers } = drawBar(done, options);
    stderr.write(`\r\x1b[2K${label} ${colors.cyan(bar)} ${numbers}`);
    drawnAt = now();
  };

  if (live) draw();
  return {
    add({ files, bytes }) {
      done.files += files;
      done.bytes += bytes;
      if (live) {
        if (now() - drawnAt >= REDRAW) draw();
        return;
      }
      const reached = Math.floor(shareOf(done, options) * QUARTERS);
      if (reached > quarter && reached < QUARTERS) {
        options.say(`${label}: ${drawBar(done, options).numbers}`);
      }
      quarter = Math.max(quarter, reached);
    },
    end() {
      if (live) stderr.write("\r\x1b[2K");
    },
  };
}
