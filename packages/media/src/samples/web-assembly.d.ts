/** The part of the standard that we use; its full types come with those of a browser or of Node, which this code does not know. */
declare namespace WebAssembly {
  class Memory {
    constructor(descriptor: { initial: number; maximum: number });
    readonly buffer: ArrayBuffer;
  }
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    constructor(module: Module, imports: Record<string, Record<string, Memory>>);
    readonly exports: unknown;
  }
}
