/**
 * A tool for agents: a task in terms of command lines, with what to do next.
 *
 * @module
 */
import { z } from "zod";

/** A call that makes sense after an answer. */
export interface NextCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** When or why, as part of a sentence. */
  readonly why: string;
}

export interface ToolAnswer {
  /** For the agent to read: a few lines. */
  readonly text: string;
  /** The facts, by the tool's output schema. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly next?: readonly NextCall[];
}

/** The object that a command line ended with. */
export type Answer = Readonly<Record<string, unknown>>;

export interface CommandCall {
  /** Directory to run in. */
  readonly folder?: string | undefined;
  /** What is piped in. */
  readonly stdin?: string;
}

/** What a tool may use. */
export interface ToolSurroundings {
  /**
   * Runs a command line of svc, and returns its object.
   *
   * @throws {CommandFailure} where it ends with an error
   */
  svc(words: readonly string[], call?: CommandCall): Promise<Answer>;
  /** The project that the agent is confined to. */
  readonly project: string | undefined;
  /** A variable of the server's own environment. */
  env(name: string): string | undefined;
  /**
   * The text of a file of the project.
   *
   * @throws {CommandFailure} for any other file
   */
  readFile(path: string, folder: string | undefined): Promise<string>;
}

/** A command line that ended with an error. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";

  constructor(readonly answer: Answer) {
    super(String(answer.error));
  }

  get code(): string {
    return String(this.answer.code ?? "internal");
  }
}

export interface ToolSpec<Input extends z.ZodRawShape> {
  readonly name: string;
  readonly title: string;
  /** What it does and when to call it. */
  readonly description: string;
  readonly input: Input;
  /** Members of the facts that it always answers with. */
  readonly output: z.ZodRawShape;
  /** `read` changes nothing; `destroy` takes something away or changes what visitors see at once. */
  readonly effect: "read" | "write" | "destroy";
  /** True where calling it again with the same input changes nothing more. */
  readonly isIdempotent?: boolean;
  /** True where it reaches further than the project that the agent is confined to. */
  readonly leavesProject?: boolean;
  run(input: z.infer<z.ZodObject<Input>>, around: ToolSurroundings): Promise<ToolAnswer>;
}

/** A tool with the type of its input hidden. */
export interface Tool extends Omit<ToolSpec<z.ZodRawShape>, "run"> {
  /** Checks the input and performs the task. */
  perform(input: unknown, around: ToolSurroundings): Promise<ToolAnswer>;
}

export function defineTool<Input extends z.ZodRawShape>(spec: ToolSpec<Input>): Tool {
  const { run, ...facts } = spec;
  const schema = z.object(spec.input).strict();
  return { ...facts, perform: (input, around) => run(schema.parse(input), around) };
}

/** Input of tools that are about one project. */
export const projectInput = {
  project: z.string().max(100).optional()
    .describe("Name or id of the project; without it, that of the server's folder"),
};

/** Input of tools that are about a folder of files. */
export const folderInput = {
  folder: z.string().max(4096).optional()
    .describe("The project's folder; without it, the folder in which the server was started"),
};

/**
 * The flag that names the project.
 *
 * @throws {CommandFailure} where the agent is confined to another one
 */
export function projectFlag(given: string | undefined, around: ToolSurroundings): string[] {
  if (around.project !== undefined && given !== undefined && given !== around.project) {
    throw new CommandFailure({
      error: `This server is confined to the project ${around.project}`,
      code: "forbidden",
      hint: "Leave `project` out",
    });
  }
  const project = given ?? around.project;
  return project === undefined ? [] : [`--project-id=${project}`];
}

/** An array of objects in an answer. */
export function listOf(answer: Answer, key: string): readonly Answer[] {
  const list = answer[key];
  return Array.isArray(list) ? list as readonly Answer[] : [];
}

/** An object in an answer. */
export function partOf(answer: Answer, key: string): Answer {
  const part = answer[key];
  return typeof part === "object" && part !== null ? part as Answer : {};
}
