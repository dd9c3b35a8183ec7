/**
 * @module The server languages that svc can run, as entries in the table of frameworks.
 */
import type { Framework } from "../frameworks/types.ts";
import { dockerfile } from "./dockerfile.ts";
import { elixir } from "./elixir.ts";
import { go } from "./go.ts";
import { java } from "./java.ts";
import { php } from "./php.ts";
import { procfile } from "./procfile.ts";
import { python } from "./python.ts";
import { ruby } from "./ruby.ts";
import { rust } from "./rust.ts";
import type { Language } from "./types.ts";

/** In detection order. */
const LANGUAGES: readonly Language[] = [
  python,
  ruby,
  php,
  elixir,
  java,
  go,
  rust,
  procfile,
];

function frameworkOf({ id, name, files, plan }: Language): Framework {
  return {
    id,
    name,
    packages: [],
    configFiles: files,
    standalone: true,
    isLanguage: true,
    build: undefined,
    dev: undefined,
    outputDirs: ["."],
    applies: async ({ reader }) => await plan(reader) !== undefined,
    inspect: async ({ reader }) => {
      const found = await plan(reader);
      if (found === undefined) return {};
      const { reason, build, start, entry, toolchains, image } = found;
      return {
        server: reason,
        start,
        toolchains,
        layout: { entry },
        outputDirs: ["."],
        ...(build === undefined ? {} : { build }),
        // No dependencies are installed, because the Dockerfile does that.
        ...(image === undefined ? {} : { packages: "none" }),
      };
    },
    server: {
      find: async ({ project }) => {
        const found = await plan(project);
        if (found === undefined) return { type: "static", directory: "." };
        const { start, entry, placements, memoryMb, image } = found;
        return {
          type: "server",
          launch: {},
          command: start,
          directory: ".",
          entry,
          clients: [],
          placements,
          image,
          memoryMb,
        };
      },
    },
  };
}

export const LANGUAGE_SERVERS: readonly Framework[] = LANGUAGES.map(frameworkOf);

/** A project in which only a Dockerfile defines how it runs. All other entries take precedence. */
export const DOCKERFILE: Framework = frameworkOf(dockerfile);
