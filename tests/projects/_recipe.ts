/**
 * A recipe describes how a scaffolder creates a real project, and the responses that the project
 * must return once it is deployed. Each recipe is a `recipe.json` in its own folder.
 *
 * @module
 */
import { join } from "node:path";
import * as z from "zod";

const command = z.array(z.string()).min(1);
const variables = z.record(z.string(), z.string());

const request = z.strictObject({
  path: z.string(),
  method: z.string().optional(),
  headers: variables.optional(),
  body: z.string().optional(),
});

const check = request.extend({
  status: z.int().default(200),
  /** Strings that the body must contain, ignoring comments from frameworks. */
  contains: z.union([z.string(), z.array(z.string())]).optional(),
  /** Regular expressions for response headers. `null` means that the header must be missing. */
  answers: z.record(z.string(), z.string().nullable()).optional(),
});

const browser = z.strictObject({
  path: z.string().default("/"),
  /** Selector for the element to click once the page has loaded. */
  click: z.string().optional(),
  /** Text that the page must eventually show. */
  expect: z.string().optional(),
  /** Selector for an image that must be shown. */
  picture: z.string().optional(),
});

/**
 * Strings to send over a WebSocket, each after a message has arrived, and the expected messages.
 */
const conversation = z.strictObject({
  path: z.string(),
  sends: z.array(z.string()),
  /** Regular expressions, one for each received message. */
  receives: z.array(z.string()).min(1),
});

/**
 * How to run the project under its own `start` script, whose responses the deployment must match.
 */
const own = z.strictObject({
  /** Shell command that runs with `PORT` on the built output after the deployment. */
  start: z.string(),
  /** Additional variables for the command. */
  env: variables.default({}),
  /** Requests in addition to `checks`. Links on pages are followed. */
  requests: z.array(request).default([]),
  /** Allowed differences, with reasons. Each is a header, `body /path` or `status /path`. */
  mayDiffer: variables.default({}),
});

const recipeSchema = z.strictObject({
  title: z.string(),
  /** True for the few recipes that every run of the suite includes. */
  ci: z.boolean().default(false),
  /** The scaffolder and its version. The scaffolder is run in an empty folder. */
  scaffold: command.optional(),
  /** Lines to type at the scaffolder's prompts. */
  answers: z.array(z.string()).optional(),
  /** The folder that the scaffolder creates, relative to the folder in which it runs. */
  folder: z.string().default("."),
  /** Text files to add or replace. */
  files: z.record(z.string(), z.string()).default({}),
  /** Binary files to add or replace, encoded in Base64. */
  binaries: z.record(z.string(), z.string()).default({}),
  /** Strings to replace in files that the scaffolder has created. */
  edits: z.record(z.string(), z.array(z.tuple([z.string(), z.string()]))).default({}),
  /** Commands to run afterwards, such as installing more packages. */
  commands: z.array(command).default([]),
  /**
   * True to deploy the project through a deploy hook, from a repository that the platform builds.
   */
  git: z.boolean().default(false),
  /**
   * Folder in which `svc` runs, relative to the project. For a build from git, this is the
   * project's root directory.
   */
  workingFolder: z.string().default("."),
  /** Variables for every command. */
  env: variables.default({}),
  /** The server's engine; `static` if there is none. */
  engine: z.enum(["deno", "node", "static"]).optional(),
  /** If the deployment must be rejected, the strings that the message must contain. */
  refused: z.array(z.string()).optional(),
  checks: z.array(check).default([]),
  /**
   * Conversations over WebSockets. The same conversations take place with the project under its own
   * `start` script.
   */
  sockets: z.array(conversation).default([]),
  /** Paths that must not be public, in addition to all server files. */
  notPublic: z.array(z.string()).default([]),
  browser: browser.optional(),
  own: own.optional(),
});

export type Recipe = z.output<typeof recipeSchema>;
export type Check = z.output<typeof check>;
export type Conversation = z.output<typeof conversation>;

export interface NamedRecipe {
  readonly name: string;
  readonly recipe: Recipe;
}

const FOLDER = import.meta.dirname!;

/** Returns all recipes, sorted by name. */
export function readRecipes(): readonly NamedRecipe[] {
  return [...Deno.readDirSync(FOLDER)]
    .filter(({ isDirectory }) => isDirectory)
    .map(({ name }) => name).sort()
    .map((name) => {
      const text = Deno.readTextFileSync(join(FOLDER, name, "recipe.json"));
      const parsed = recipeSchema.safeParse(JSON.parse(text));
      if (!parsed.success) throw new Error(`${name}/recipe.json: ${z.prettifyError(parsed.error)}`);
      return { name, recipe: parsed.data };
    });
}

/**
 * Returns whether `PROJECTS` (names or `all`) selects a project. If `PROJECTS` is not set, projects
 * marked `ci` are selected.
 */
export function isChosen({ name, recipe }: NamedRecipe, wanted: string | undefined): boolean {
  if (wanted === undefined || wanted === "") return recipe.ci;
  return wanted === "all" || wanted.split(",").includes(name);
}
