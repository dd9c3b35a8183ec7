/**
 * Keeps URLs of package registries out of the repository: npm's and Deno's settings define where
 * packages come from.
 *
 * @module
 */
import type { TextFile } from "./check_lengths.ts";

/** Hostnames as lists of labels, so that this file does not contain the names themselves. */
const REGISTRY_LABELS: readonly (readonly string[])[] = [
  ["registry", "npmjs", "org"],
  ["registry", "yarnpkg", "com"],
  ["registry", "npmmirror", "com"],
  ["npm", "pkg", "github", "com"],
  ["npm", "jsr", "io"],
  ["deno", "land", "x"],
  ["esm", "sh"],
  ["deb", "debian", "org"],
];

/** The hostnames that no file may contain. */
export const REGISTRY_HOSTS: readonly string[] = REGISTRY_LABELS.map(([first, ...rest]) =>
  first === "deno" ? `${first}.${rest.join("/")}` : [first, ...rest].join(".")
);

/** Finds each line that contains the hostname of a package registry. */
export function findRegistryHosts(files: readonly TextFile[]): string[] {
  return files.flatMap(({ path, text }) => {
    const named = REGISTRY_HOSTS.filter((host) => text.includes(host));
    if (named.length === 0) return [];
    return text.split("\n").flatMap((line, index) =>
      named.filter((host) => line.includes(host)).map((host) =>
        `${path}:${
          index + 1
        }: Remove the registry host ${host}: the machine's npm settings define it`
      )
    );
  });
}
