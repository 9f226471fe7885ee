/** A program that is busy for 600 ms before it takes its first file, as on a machine with too much to do. */
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
await import('./fragile-child.ts');
