/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module Shows the state of a database or one of its branches. */
import type { DatabaseHistory, DatabaseState } from "../../contract/databases.ts";
import { formatBytes, formatCount } from "../../lib/format.ts";
import { State } from "../layout/board_pieces.tsx";

const WORDS = {
  creating: { tone: "care", word: "Creating", moving: true },
  active: { tone: "good", word: "Active" },
  stopped: { tone: "idle", word: "Stopped", past: true },
  failed: { tone: "bad", word: "Failed" },
  deleted: { tone: "idle", word: "Deleted", past: true },
} as const;

/**
 * Shows a state as a dot and a word. A sleeping database counts as active because it starts
 * automatically.
 */
export function DatabaseStateMark({ state, isAsleep = false }: {
  readonly state: DatabaseState;
  readonly isAsleep?: boolean;
}) {
  const { word, ...shown } = WORDS[state];
  return <State {...shown}>{isAsleep && state === "active" ? "Asleep" : word}</State>;
}

/** Describes the period that can be restored, and the disk space that the history takes. */
export function historyText({ since, keepDays, sizeBytes, problem }: DatabaseHistory): string {
  const range = since === null
    ? "nothing yet"
    : `since ${since.slice(0, 19).replace("T", " ")} UTC`;
  const size = sizeBytes === 0 ? "" : `, ${formatBytes(sizeBytes)}`;
  return `${problem ?? range} (history of ${formatCount(keepDays, "day")}${size})`;
}
