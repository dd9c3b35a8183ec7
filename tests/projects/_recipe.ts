/**
 * A recipe: how a real project is created by its own scaffolder, and its required responses once
 * deployed. Each is a `recipe.json` in its own folder.
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
  /** Texts that the body must have, without comments of frameworks. */
  contains: z.union([z.string(), z.array(z.string())]).optional(),
  /** Regular expressions for response headers; `null` for one that must be missing. */
  answers: z.record(z.string(), z.string().nullable()).optional(),
});

const browser = z.strictObject({
  path: z.string().default("/"),
  /** Selector of the element to click once the page has loaded. */
  click: z.string().optional(),
  /** Text that the page shows in the end. */
  expect: z.string().optional(),
  /** Selector of a picture that must be shown. */
  picture: z.string().optional(),
});

/** Texts to send to a WebSocket, each after a text that it has sent, and the expected replies. */
const conversation = z.strictObject({
  path: z.string(),
  sends: z.array(z.string()),
  /** Regular expressions, one for each received message. */
  receives: z.array(z.string()).min(1),
});

/** The project under its own `start`, which the deployment must match. */
const own = z.strictObject({
  /** Shell command that runs after the deploy on the built output, with `PORT`. */
  start: z.string(),
  /** More variables for it. */
  env: variables.default({}),
  /** Requests in addition to `checks`; links of pages are followed. */
  requests: z.array(request).default([]),
  /** Allowed differences, with reasons: headers, or `body /path`, `status /path`. */
  mayDiffer: variables.default({}),
});

const recipeSchema = z.strictObject({
  title: z.string(),
  /** True for the few that every run of the suite includes. */
  ci: z.boolean().default(false),
  /** The scaffolder, with its version. It runs in an empty folder. */
  scaffold: command.optional(),
  /** Typed lines for the scaffolder. */
  answers: z.array(z.string()).optional(),
  /** The folder that it creates, relative to the one in which it ran. */
  folder: z.string().default("."),
  /** Files that are added or replaced, as text. */
  files: z.record(z.string(), z.string()).default({}),
  /** Binary files, in Base64. */
  binaries: z.record(z.string(), z.string()).default({}),
  /** Texts that are replaced in files of the scaffold. */
  edits: z.record(z.string(), z.array(z.tuple([z.string(), z.string()]))).default({}),
  /** Commands after that, such as an installation of more packages. */
  commands: z.array(command).default([]),
  /** True to deploy it with a deploy hook, from a repository that the platform builds. */
  git: z.boolean().default(false),
  /**
   * Folder in which `svc` is called, relative to the project; for a build from git its root
   * directory.
   */
  workingFolder: z.string().default("."),
  /** Variables for every command. */
  env: variables.default({}),
  /** The server's engine; `static` if there is none. */
  engine: z.enum(["deno", "node", "static"]).optional(),
  /** If the deploy must be refused: texts of its message. */
  refused: z.array(z.string()).optional(),
  checks: z.array(check).default([]),
  /** Conversations with WebSockets; the project under its own `start` has them too. */
  sockets: z.array(conversation).default([]),
  /** Paths that must not be public, in addition to all files of the server. */
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

/** All recipes, by name. */
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
 * True for a selected project: in `PROJECTS` (names, or `all`) or, if that is not set, marked `ci`.
 */
export function isChosen({ name, recipe }: NamedRecipe, wanted: string | undefined): boolean {
  if (wanted === undefined || wanted === "") return recipe.ci;
  return wanted === "all" || wanted.split(",").includes(name);
}
