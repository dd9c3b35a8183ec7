/** @module Functions of other platforms, as their providers find them in a project. */
import type { PathPattern } from "./url_pattern.ts";

export interface FunctionRoute extends PathPattern {
  /** HTTP methods in upper case; all by default. */
  readonly methods?: readonly string[];
}

export interface FoundFunction {
  /** Relative to the project. */
  readonly file: string;
  readonly provider: "vercel" | "netlify";
  readonly routes: readonly FunctionRoute[];
}

/** Paths without a file that map to the path of a function. */
export interface FunctionRewrite extends PathPattern {
  /** `$1` and so on stand for the groups of the pattern. */
  readonly to: string;
}

export interface ProvidedFunctions {
  readonly functions: readonly FoundFunction[];
  /** Patterns of URL paths that functions handle, even if there are files. */
  readonly paths: readonly string[];
  readonly rewrites: readonly FunctionRewrite[];
  /** Maximum time to the response headers, in milliseconds; the usual amount by default. */
  readonly timeoutMs?: number;
  readonly memoryMb?: number;
  /** Features without an equivalent, each with file and line. */
  readonly notes: readonly string[];
  /** Files that cannot run at all, with descriptions; they stop the deploy. */
  readonly refused: readonly string[];
}
