/** @module A tool for agents: a task with its schemas, and what to do next. */
import * as z from "zod";
import type { Client } from "../client/client.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import type { Project } from "../contract/projects.ts";

/** A call to suggest after a response. */
export interface NextCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** When or why, as part of a sentence. */
  readonly why: string;
}

export interface ToolAnswer {
  /** For the agent to read: a few lines. */
  readonly text: string;
  /** The facts, by the CLI's output schema. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly next?: readonly NextCall[];
}

/** A JSON object. */
export type Answer = Readonly<Record<string, unknown>>;

/** The context that every tool gets, wherever it runs. */
export interface Surroundings {
  /** The project that the agent is confined to. */
  readonly project: string | undefined;
  /** The API, as the agent's credential may call it. */
  api(): Promise<Client>;
  /**
   * The project for a tool: the named one, or the default.
   *
   * @throws {ToolFailure} if there is neither, or the agent is confined to another project
   */
  open(given: string | undefined): Promise<OpenedProject>;
  /** The project's default database, if it has one. */
  usualDatabase(): Promise<string | undefined>;
  /** Describes an error for an agent; `undefined` for a fault of the program. */
  toFailure(error: unknown): ToolFailure | undefined;
  now(): number;
}

export interface OpenedProject {
  readonly api: Client;
  readonly project: Project;
}

/** A failed task, as an object with `error`, `code` and calls that help. */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";

  constructor(readonly answer: Answer) {
    super(String(answer.error));
  }

  get code(): string {
    return String(this.answer.code ?? "internal");
  }
}

export interface ToolSpec<Input extends z.ZodRawShape, Around> {
  readonly name: string;
  readonly title: string;
  /** A description of the CLI, and of when to call it. */
  readonly description: string;
  readonly input: Input;
  /** Members that its result always has. */
  readonly output: z.ZodRawShape;
  /**
   * `read` changes nothing; `destroy` deletes something or immediately changes what visitors see.
   */
  readonly effect: "read" | "write" | "destroy";
  /** True if calling it again with the same input has no further effect. */
  readonly isIdempotent?: boolean;
  /** The API call that it cannot work without; most tools make several calls. */
  readonly needs?: Endpoint;
  /** True if it reaches beyond the project that the agent is confined to. */
  readonly leavesProject?: boolean;
  run(input: z.infer<z.ZodObject<Input>>, around: Around): Promise<ToolAnswer>;
}

/** A tool without its input type. */
export interface Tool<in Around> extends Omit<ToolSpec<z.ZodRawShape, never>, "run"> {
  /** Checks the input and performs the task. */
  readonly perform: (input: unknown, around: Around) => Promise<ToolAnswer>;
}

export function defineTool<Input extends z.ZodRawShape, Around = Surroundings>(
  spec: ToolSpec<Input, Around>,
): Tool<Around> {
  const { run, ...facts } = spec;
  const schema = z.object(spec.input).strict();
  return { ...facts, perform: (input, around) => run(schema.parse(input), around) };
}

export const anyObject = z.record(z.string(), z.unknown());

export const projectInput = {
  project: z.string().max(100).optional()
    .describe("Name or id of the project; optional if there is a default"),
};

/**
 * Finds the project by name or id; `undefined` if none is given.
 *
 * @throws {ToolFailure} if the agent is confined to another one
 */
export function chooseProject(
  given: string | undefined,
  confined: string | undefined,
): string | undefined {
  if (confined !== undefined && given !== undefined && given !== confined) {
    throw new ToolFailure({
      error: `This server is limited to the project ${confined}`,
      code: "forbidden",
      hint: "Omit `project`",
    });
  }
  return given ?? confined;
}

/** An array of objects in a response. */
export function listOf(answer: Answer, key: string): readonly Answer[] {
  const list = answer[key];
  return Array.isArray(list) ? list as readonly Answer[] : [];
}

/** An object in a response. */
export function partOf(answer: Answer, key: string): Answer {
  const part = answer[key];
  return typeof part === "object" && part !== null ? part as Answer : {};
}
