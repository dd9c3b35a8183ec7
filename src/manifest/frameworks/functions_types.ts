/**
 * @module Types for functions written for other platforms, which a provider for each platform finds
 * in a project.
 */
import type { PathPattern } from "./url_pattern.ts";

export interface FunctionRoute extends PathPattern {
  /** HTTP methods in upper case. Defaults to all methods. */
  readonly methods?: readonly string[];
}

export interface FoundFunction {
  /** Path relative to the project. */
  readonly file: string;
  readonly provider: "vercel" | "netlify";
  readonly routes: readonly FunctionRoute[];
}

/** A rule that maps paths without a file to the path of a function. */
export interface FunctionRewrite extends PathPattern {
  /** Target path, in which `$1` and so on refer to the pattern's groups. */
  readonly to: string;
}

export interface ProvidedFunctions {
  readonly functions: readonly FoundFunction[];
  /** Patterns of URL paths that functions handle, even if files exist there. */
  readonly paths: readonly string[];
  readonly rewrites: readonly FunctionRewrite[];
  /**
   * Maximum time until the response headers are sent, in milliseconds. Defaults to the platform's
   * limit.
   */
  readonly timeoutMs?: number;
  readonly memoryMb?: number;
  /** Features without an equivalent in svc, each with file and line. */
  readonly notes: readonly string[];
  /** Files that cannot run at all, with descriptions. Such files make the deployment fail. */
  readonly refused: readonly string[];
}
