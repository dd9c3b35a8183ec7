/** @module Formats values as readable text. */
export { formatBytes, formatCount, printable, printableName } from "../../lib/format.ts";

/** Formats a duration in milliseconds as `340 ms`, `2.4 s` or `3 min 20 s`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Describes how long ago a time was: `just now`, `5 min ago`, `3 h ago`, `2 days ago`. */
export function formatAge(timestamp: string, now: number): string {
  const minutes = Math.floor((now - Date.parse(timestamp)) / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ago`;
  return `${Math.floor(minutes / (24 * 60))} days ago`;
}
