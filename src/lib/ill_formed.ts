/**
 * Texts that hold half a character: a UTF-16 surrogate alone, as JSON's escape
 * `\ud800` makes it. No file, address or database can hold such a text.
 *
 * @module
 */
import type { PathStep } from "./diagnostic.ts";
import { nextTurn } from "./next_turn.ts";

/** Values that are looked at in one turn of the event loop. */
const VALUES_PER_TURN = 5000;

/** Finds the first ill-formed text in a JSON value, in a member's name or in a value. */
export async function findIllFormed(root: unknown): Promise<readonly PathStep[] | undefined> {
  const waiting: { readonly value: unknown; readonly path: readonly PathStep[] }[] = [
    { value: root, path: [] },
  ];
  for (let count = 1; waiting.length > 0; count++) {
    if (count % VALUES_PER_TURN === 0) await nextTurn();
    const { value, path } = waiting.pop()!;
    if (typeof value === "string" && !value.isWellFormed()) return path;
    if (typeof value !== "object" || value === null) continue;
    const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
    for (const [step, item] of entries.reverse()) {
      if (typeof step === "string" && !step.isWellFormed()) return [...path, step];
      if (typeof item === "string" || typeof item === "object") {
        waiting.push({ value: item, path: [...path, step] });
      }
    }
  }
  return undefined;
}
