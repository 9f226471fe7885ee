import { after, afterEach, before } from 'node:test';
import { openSimulatedWorld, type SimulatedWorld, type SimulatedWorldOptions } from './simulated-world.ts';

/**
 * One world for all tests of the suite that calls this, because to open one takes 0.1 s. After each test the legs that it left end, and the
 * census must be empty, unless the suite takes it. Records, requests and events stay: a test asserts on its own. A test that needs other
 * options, a restart or a fault opens a world of its own.
 */
export function worldOfSuite(options: SimulatedWorldOptions = {}): () => SimulatedWorld {
  let world: SimulatedWorld | undefined;
  const opened = (): SimulatedWorld => {
    if (world === undefined) throw new Error('the world of a suite opens before its first test');
    return world;
  };
  before(async () => {
    world = await openSimulatedWorld(options);
  });
  if (options.census === undefined) {
    afterEach(async (test) => {
      // A failed test reports its own error, not what it leaves behind.
      if ('passed' in test && test.passed) await opened().assertNothingLeft();
    });
  }
  // The suite of the databases closes its world before them.
  if (options.database === undefined) after(() => opened().close());
  return opened;
}
