/**
 * @module Finds all strings in a set that a path starts (or ends) with. The time does not depend
 * on the size of the set.
 */

/** Whether strings are compared with the start or the end of a path. */
export type TreeSide = "start" | "end";

interface Node<T> {
  /** The text between the parent and this node, in the order in which it appears in paths. */
  label: string;
  /** Children by the first character after this node. */
  readonly children: Map<number, Node<T>>;
  value: T | undefined;
}

function createNode<T>(label: string): Node<T> {
  return { label, children: new Map(), value: undefined };
}

/** A set of strings, each with a value. */
export class RadixTree<T> {
  readonly #root: Node<T> = createNode("");

  readonly #side: TreeSide;

  constructor(side: TreeSide) {
    this.#side = side;
  }

  /** Returns the value of a string, created by `create` if the string is new. */
  getOrCreate(text: string, create: () => T): T {
    const node = this.#insert(this.#root, text);
    node.value ??= create();
    return node.value;
  }

  /**
   * Calls `visit` for every string that the path starts (or ends) with, from shortest to longest.
   */
  visit(path: string, visit: (value: T) => void): void {
    let node: Node<T> | undefined = this.#root;
    let left = path.length;
    while (node !== undefined) {
      if (node.value !== undefined) visit(node.value);
      const next: Node<T> | undefined = left === 0
        ? undefined
        : node.children.get(path.charCodeAt(this.#edge(path.length, left)));
      if (next === undefined || !this.#leads(path, left, next.label)) return;
      left -= next.label.length;
      node = next;
    }
  }

  /**
   * Returns the index of the next character to compare in a path of `length` characters, if `left`
   * of them remain.
   */
  #edge(length: number, left: number): number {
    return this.#side === "start" ? length - left : left - 1;
  }

  #leads(path: string, left: number, label: string): boolean {
    return this.#side === "start"
      ? path.startsWith(label, path.length - left)
      : path.endsWith(label, left);
  }

  #insert(from: Node<T>, text: string): Node<T> {
    let node = from;
    let rest = text;
    while (rest !== "") {
      const key = rest.charCodeAt(this.#edge(rest.length, rest.length));
      const child = node.children.get(key);
      if (child === undefined) {
        const added = createNode<T>(rest);
        node.children.set(key, added);
        return added;
      }
      const shared = this.#common(child.label, rest);
      const next = shared === child.label.length ? child : this.#divide(node, child, shared);
      rest = this.#without(rest, shared);
      node = next;
    }
    return node;
  }

  /** Inserts a new node between a node and its child, `shared` characters after the node. */
  #divide(node: Node<T>, child: Node<T>, shared: number): Node<T> {
    const { label } = child;
    const key = label.charCodeAt(this.#edge(label.length, label.length));
    const middle = createNode<T>(
      this.#side === "start" ? label.slice(0, shared) : label.slice(-shared),
    );
    child.label = this.#without(label, shared);
    const childKey = child.label.charCodeAt(this.#edge(child.label.length, child.label.length));
    middle.children.set(childKey, child);
    node.children.set(key, middle);
    return middle;
  }

  #without(text: string, length: number): string {
    return this.#side === "start" ? text.slice(length) : text.slice(0, text.length - length);
  }

  #common(a: string, b: string): number {
    const most = Math.min(a.length, b.length);
    let length = 0;
    while (
      length < most &&
      a.charCodeAt(this.#edge(a.length, a.length - length)) ===
        b.charCodeAt(this.#edge(b.length, b.length - length))
    ) length += 1;
    return length;
  }
}
