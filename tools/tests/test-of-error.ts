import asyncHooks, { AsyncLocalStorage, AsyncResource, type HookCallbacks } from 'node:async_hooks';

/**
 * Loaded before every test file. Node's runner finds the test that an error belongs to with a hook on the beginning and the end of every
 * promise: a sixth of the CPU of tests that compute. The asynchronous context answers the same question, and V8 carries it at no cost.
 * The runner takes three names from `node:async_hooks` while it loads, so they are replaced for as long as that takes.
 */
const running = new AsyncLocalStorage<number>();
let begin: HookCallbacks['init'];

/** The runner's tests are resources of this class. */
class Scope extends AsyncResource {
  constructor(...args: ConstructorParameters<typeof AsyncResource>) {
    super(...args);
    begin?.(this.asyncId(), args[0], this.triggerAsyncId(), this);
  }

  override runInAsyncScope<This, Result>(
    code: (this: This, ...args: unknown[]) => Result,
    receiver?: This,
    ...args: unknown[]
  ): Result {
    const inContext = () => running.run(this.asyncId(), () => Reflect.apply(code, receiver, args) as Result);
    return super.runInAsyncScope(inContext);
  }
}

const { createHook, executionAsyncId } = asyncHooks;
const replaced = {
  AsyncResource: Scope,
  createHook({ init }: HookCallbacks) {
    begin = init;
    return { enable() {}, disable() {} };
  },
  executionAsyncId: () => running.getStore() ?? 0,
};
Object.assign(asyncHooks, replaced);
await import('node:test');
Object.assign(asyncHooks, { AsyncResource, createHook, executionAsyncId });
