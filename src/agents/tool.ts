/** @module A tool for agents: a task with its schemas, and suggestions for the next call. */
import * as z from "zod";
import type { Client } from "../client/client.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import type { Project } from "../contract/projects.ts";

/** A call to suggest after a response. */
export interface NextCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Says when or why to make the call, as part of a sentence. */
  readonly why: string;
}

export interface ToolAnswer {
  /** A few lines of text for the agent. */
  readonly text: string;
  /** The result, in the format of the CLI's output schema. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly next?: readonly NextCall[];
}

/** A JSON object. */
export type Answer = Readonly<Record<string, unknown>>;

/** The context that every tool gets, wherever it runs. */
export interface Surroundings {
  /** The only project that the agent may access, if it is limited to one. */
  readonly project: string | undefined;
  /** Creates an API client with the rights of the agent's credential. */
  api(): Promise<Client>;
  /**
   * Opens the project for a tool: the named one, or the default.
   *
   * @throws {ToolFailure} if there is no such project, or the agent is limited to another one
   */
  open(given: string | undefined): Promise<OpenedProject>;
  /** Returns the project's default database, if it has one. */
  usualDatabase(): Promise<string | undefined>;
  /** Describes an error for an agent. Returns `undefined` for a bug in the program. */
  toFailure(error: unknown): ToolFailure | undefined;
  now(): number;
}

export interface OpenedProject {
  readonly api: Client;
  readonly project: Project;
}

/** A failed task, as an object with `error`, `code` and calls that can help. */
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
  /** Describes what a call does, and when to make it. */
  readonly description: string;
  readonly input: Input;
  /** Members that every result has. */
  readonly output: z.ZodRawShape;
  /**
   * `read` changes nothing, and `destroy` deletes something or immediately changes what visitors
   * see.
   */
  readonly effect: "read" | "write" | "destroy";
  /** True if a repeated call with the same input has no further effect. */
  readonly isIdempotent?: boolean;
  /** The endpoint that every call needs. Most tools call several endpoints. */
  readonly needs?: Endpoint;
  /** True if a call affects more than the project that the agent is limited to. */
  readonly leavesProject?: boolean;
  run(input: z.infer<z.ZodObject<Input>>, around: Around): Promise<ToolAnswer>;
}

/** A tool whose input type is hidden. */
export interface Tool<in Around> extends Omit<ToolSpec<z.ZodRawShape, never>, "run"> {
  /** Checks the input and runs the task. */
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
    .describe("Name or ID of the project; optional if there is a default"),
};

/**
 * Finds the project by name or ID. Returns `undefined` if none is given.
 *
 * @throws {ToolFailure} if the agent is limited to another one
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

/** Returns a field of a response that is an array of objects. */
export function listOf(answer: Answer, key: string): readonly Answer[] {
  const list = answer[key];
  return Array.isArray(list) ? list as readonly Answer[] : [];
}

/** Returns a field of a response that is an object. */
export function partOf(answer: Answer, key: string): Answer {
  const part = answer[key];
  return typeof part === "object" && part !== null ? part as Answer : {};
}
