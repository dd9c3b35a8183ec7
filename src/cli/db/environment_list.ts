import { InvalidArgumentError } from "@commander-js/extra-typings";

/** Environments by name; null for all. In an object: a flag's value cannot be null. */
export interface EnvironmentList {
  readonly names: string[] | null;
}

/** Reads `production,staging`, or `all`. */
export function environmentList(text: string): EnvironmentList {
  const names = text.split(",").map((name) => name.trim()).filter((name) => name !== "");
  if (names.length === 0) throw new InvalidArgumentError("Expected names of environments, or all.");
  if (!names.includes("all")) return { names };
  if (names.length === 1) return { names: null };
  throw new InvalidArgumentError("Expected either all or names of environments.");
}
