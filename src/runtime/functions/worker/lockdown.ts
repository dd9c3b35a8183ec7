/**
 * @module Removes everything that functions do not need from a worker's global scope. This is the
 * second of three barriers: the bundle cannot import (`sealFunction`), the scope contains nothing
 * with access to the outside, and the worker has no permissions.
 */

/** Globals that functions can use: those of the language, and the web APIs for data. */
const KEPT = new Set(
  ("Object Function Array Number parseFloat parseInt Infinity NaN undefined Boolean String Symbol " +
    "Date Promise RegExp Error AggregateError EvalError RangeError ReferenceError SyntaxError " +
    "TypeError URIError SuppressedError globalThis JSON Math Intl ArrayBuffer Atomics Uint8Array " +
    "Int8Array Uint16Array Int16Array Uint32Array Int32Array BigUint64Array BigInt64Array " +
    "Uint8ClampedArray Float16Array Float32Array Float64Array DataView Map BigInt Set Iterator " +
    "WeakMap WeakSet Proxy Reflect FinalizationRegistry WeakRef decodeURI decodeURIComponent " +
    "encodeURI encodeURIComponent escape unescape isFinite isNaN Temporal DisposableStack " +
    "AsyncDisposableStack SharedArrayBuffer WebAssembly console queueMicrotask AbortController " +
    "AbortSignal Blob ByteLengthQueuingStrategy CompressionStream CountQueuingStrategy CryptoKey " +
    "CustomEvent DecompressionStream DOMException QuotaExceededError Event EventTarget File " +
    "FormData Headers Performance PerformanceEntry PerformanceMark PerformanceMeasure " +
    "ProgressEvent ReadableStream ReadableStreamDefaultReader ReadableByteStreamController " +
    "ReadableStreamBYOBReader ReadableStreamBYOBRequest ReadableStreamDefaultController Request " +
    "Response TextDecoder TextEncoder TextDecoderStream TextEncoderStream TransformStream " +
    "TransformStreamDefaultController URL URLPattern URLSearchParams WritableStream " +
    "WritableStreamDefaultWriter WritableStreamDefaultController atob btoa clearInterval " +
    "clearTimeout crypto Crypto SubtleCrypto fetch performance reportError setInterval setTimeout " +
    "structuredClone self").split(" "),
);

const FunctionPrototype = Function.prototype;
const { defineProperty } = Object;

/**
 * Disables the four constructors that compile text. They are reachable from any function's
 * prototype.
 */
function closeConstructors(): void {
  const samples = [
    function () {},
    async function () {},
    function* () {},
    async function* () {},
  ];
  for (const sample of samples) {
    const prototype = Object.getPrototypeOf(sample);
    const original = prototype.constructor;
    const closed = function () {
      throw new EvalError("A function cannot create code from text");
    };
    Object.defineProperty(closed, "prototype", { value: original.prototype });
    Object.defineProperty(closed, "name", { value: original.name });
    Object.defineProperty(prototype, "constructor", {
      value: closed,
      configurable: false,
      writable: false,
    });
    if (original === globalThis.Function) {
      Object.defineProperty(globalThis, "Function", { value: closed, writable: false });
    }
  }
}

/**
 * Makes methods of `Function.prototype` immutable. The runtime calls some of its internal functions
 * through `call`, with its whole internal interface as the receiver. Code that replaced `call`
 * would get that interface. Other objects can still have methods with these names.
 */
function closeCalls(): void {
  for (const name of ["call", "apply", "bind"] as const) {
    const original = Function.prototype[name];
    Object.defineProperty(Function.prototype, name, {
      configurable: false,
      get: () => original,
      set(this: unknown, value: unknown) {
        if (this === FunctionPrototype) {
          throw new TypeError(`Function.prototype.${name} cannot be changed`);
        }
        defineProperty(this as object, name, {
          value,
          configurable: true,
          enumerable: true,
          writable: true,
        });
      },
    });
  }
}

/**
 * Makes a timer function accept only functions, because the original function would compile a
 * string.
 */
function closeTimer(name: "setTimeout" | "setInterval"): void {
  const original = globalThis[name] as unknown as (...args: unknown[]) => number;
  Object.defineProperty(globalThis, name, {
    configurable: true,
    writable: true,
    value: (handler: unknown, ...rest: unknown[]): number => {
      if (typeof handler !== "function") throw new TypeError(`${name} accepts only a function`);
      return original(handler, ...rest);
    },
  });
}

/**
 * Removes every global property that a function should not see, including those of
 * the scope's prototypes, except `EventTarget`, which `AbortSignal` shares.
 */
export function lockDown(): void {
  closeConstructors();
  closeCalls();
  closeTimer("setTimeout");
  closeTimer("setInterval");
  for (
    let holder: object | null = globalThis;
    holder !== null && holder !== EventTarget.prototype;
    holder = Object.getPrototypeOf(holder)
  ) {
    for (const key of Reflect.ownKeys(holder)) {
      // Symbols remain, because the runtime uses them to find the scope's event listeners.
      if (typeof key === "symbol" || (KEPT.has(key) && holder === globalThis)) continue;
      if (holder !== globalThis && key === "constructor") {
        Object.defineProperty(holder, key, { value: undefined });
        continue;
      }
      Reflect.deleteProperty(holder, key);
    }
  }
}

/**
 * Returns the global properties that should have been removed. If there are any, the worker must
 * not start.
 */
export function leftovers(): string[] {
  return Reflect.ownKeys(globalThis).filter((key) => typeof key === "string" && !KEPT.has(key))
    .map(String);
}
