/** @module The definition of one kind of action: everything that rules need to know about it. */
import type * as z from "zod";
import type { PathStep } from "../../lib/diagnostic.ts";
import type { Condition, RuntimeCondition } from "../conditions/condition.ts";
import type { RequestFacts } from "../request/facts.ts";
import type {
  CacheDecision,
  EvaluationHooks,
  HeaderEdit,
  Hit,
  Phase,
  PipelineDecision,
  RewriteDecision,
  RuleRef,
  Terminal,
} from "../decision.ts";
import type { Finding } from "../finding.ts";

/** The valid parts of an action and of the rule that contains it. */
export interface ActionPlace {
  /** The action's position in the rule set. */
  readonly path: readonly PathStep[];
  readonly condition: Condition | undefined;
  /** False if the rule is incomplete because fields with problems were dropped. */
  readonly isComplete: boolean;
}

/** A string that can refer to captures of the path, and its position within the action. */
interface PlacedTemplate {
  readonly text: string;
  readonly path: readonly PathStep[];
}

/** Facts about a rule that are needed to compile its action. */
export interface CompilationContext {
  readonly ref: RuleRef;
  readonly condition: RuntimeCondition;
  /** The names of the root glob's captures, in order. */
  readonly captureNames: readonly string[];
}

/** The target of a request: its normalized path, and its query without the `?`. */
export type Location = Pick<RequestFacts, "path" | "rawQuery">;

/** The unfinished decision about a request, while a matching rule is applied. */
export interface DecisionDraft {
  readonly facts: RequestFacts;
  readonly hooks: EvaluationHooks;
  terminal: Terminal;
  rewrite: RewriteDecision | undefined;
  cache: CacheDecision | undefined;
  pipeline: PipelineDecision | undefined;
  /** Returns the captures of the rule's root glob, or none if the effect does not use them. */
  captures(): readonly string[];
  /** Skips the remaining rules of `phase` and all earlier phases. */
  closeThrough(phase: Phase): void;
  /** Records the rule for the log. */
  hit(type: Hit["type"]): void;
  /** Changes a response header, regardless of its source. */
  editHeader(edit: HeaderEdit): void;
}

/** The effect of an action on a request, fully parsed. */
export interface Effect {
  apply(draft: DecisionDraft): void;
  /** True if the effect needs the captures of the path. */
  readonly usesCaptures: boolean;
  /** True if the effect does not apply to paths with a static file. */
  readonly ifNoFile: boolean;
  /** True if the rule runs before the other rules of its phase. */
  readonly isOverride: boolean;
  /** Returns the rewrite of a request for this location. */
  readonly rewriteFrom?: (location: Location, captures: readonly string[]) => RewriteDecision;
}

/** Creates an effect from the fields that differ from the defaults. */
export function effectOf(apply: Effect["apply"], rest: Partial<Effect> = {}): Effect {
  return { apply, usesCaptures: false, ifNoFile: false, isOverride: false, ...rest };
}

/**
 * One kind of action, with its authored form `Raw` and its normal form `Normal`. The normal form is
 * a valid authored form with every default filled in.
 */
export interface ActionDefinition<Raw, Normal> {
  /** All fields of the action, including `type`. */
  readonly schema: z.ZodObject & z.ZodType<Raw>;
  readonly phase: Phase;
  /**
   * Whether the action may treat requests with the same method, host, path and query differently.
   */
  readonly isClientBound: boolean;
  /** Returns the strings that can refer to captures. */
  templates(action: Raw): readonly PlacedTemplate[];
  /** Reports problems that the schema cannot detect. */
  check?(action: Raw, place: ActionPlace): Iterable<Finding>;
  /** Reports valid but probably mistaken values. */
  warn?(action: Raw, place: ActionPlace): Iterable<Finding>;
  /** Returns the normal form. Applying it twice has no further effect. */
  normalize(action: Raw): Normal;
  /** Returns whether a match skips the later rules of the same phase. */
  endsPhase(action: Normal): boolean;
  /**
   * Returns a name for the way in which the action closes a path to some clients. Actions with the
   * same name close paths in the same way. Returns `undefined` if the action does not close a path.
   */
  closes(action: Normal): string | undefined;
  /**
   * Prepares the action for requests.
   *
   * @throws {TypeError} for an action that validation would have rejected.
   */
  compile(action: Normal, rule: CompilationContext): Effect;
  /** Describes details that the decision does not show, as the start of a line. */
  explain?(action: Normal): string;
  /** The reason why a match skips the later rules of the same phase, as the end of `Rule "x" …`. */
  readonly whyNoLater?: string;
}

/** Returns no templates, for actions without strings that can refer to captures. */
export const NO_TEMPLATES = (): readonly PlacedTemplate[] => [];
