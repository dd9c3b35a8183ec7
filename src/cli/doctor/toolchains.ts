/** @module The checks that `svc doctor` runs on language toolchains. */
import { findToolchains, type FoundToolchain } from "../../toolchains/find_toolchains.ts";
import { TOOLCHAINS } from "../../toolchains/toolchains.ts";
import type { Point } from "./point.ts";

interface Language {
  /** The name of the check. */
  readonly name: string;
  /** Kind of project that needs the toolchains. */
  readonly projects: string;
  /** IDs of the toolchains that all of these projects need. */
  readonly needs: readonly string[];
  /** IDs of the toolchains that only some of these projects use. */
  readonly uses?: readonly string[];
}

const LANGUAGES: readonly Language[] = [
  { name: "go", projects: "projects in Go", needs: ["go"] },
  { name: "rust", projects: "projects in Rust", needs: ["rust"] },
  { name: "python", projects: "projects in Python", needs: ["python"], uses: ["uv"] },
  { name: "ruby", projects: "projects in Ruby", needs: ["ruby"], uses: ["bundler"] },
  { name: "php", projects: "projects in PHP", needs: ["php"], uses: ["composer"] },
  { name: "java", projects: "projects in Java", needs: ["java"], uses: ["maven", "gradle"] },
  { name: "elixir", projects: "projects in Elixir", needs: ["elixir"] },
  { name: "dockerfile", projects: "projects with only a Dockerfile", needs: ["container"] },
  { name: "jekyll", projects: "Jekyll sites", needs: ["jekyll"] },
  { name: "hugo", projects: "Hugo sites", needs: ["hugo"] },
];

const installOf = (id: string): string => TOOLCHAINS.find((each) => each.id === id)!.install;

function judgeLanguage(
  { name, projects, needs, uses = [] }: Language,
  found: readonly FoundToolchain[],
): Point {
  const foundOf = (id: string) => found.find((each) => each.toolchain.id === id);
  const wanted = [...needs, ...uses];
  const there = wanted.flatMap((id) => foundOf(id) ?? [])
    .map(({ toolchain: { name }, version }) => version === undefined ? name : `${name} ${version}`);
  const isUsable = needs.every((id) => foundOf(id) !== undefined);
  const first = isUsable ? there.join(", ") : `Missing, but needed only for ${projects}`;
  const installs = wanted.filter((id) => foundOf(id) === undefined).map(installOf);
  // A missing language is not a fault of the machine.
  return { name, state: "ok", found: [first, ...installs].join(". ") };
}

/**
 * Reports for each language whether its projects can be built and run here, and what is missing.
 */
export const judgeToolchains = (found: readonly FoundToolchain[]): readonly Point[] =>
  LANGUAGES.map((language) => judgeLanguage(language, found));

/** Finds the toolchains on the search path of this process. */
export async function examineToolchains(
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly Point[]> {
  return judgeToolchains(await findToolchains(env));
}
