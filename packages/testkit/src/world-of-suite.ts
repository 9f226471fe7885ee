import { after, afterEach, before } from 'node:test';
import { openSimulatedWorld, type SimulatedWorld, type SimulatedWorldOptions } from './simulated-world.ts';

/**
 * One world for all tests of the suite that calls this, because to open one takes 0.1 s. After each test the legs that it left end, and the
 * census must be empty. Records, requests and events stay: a test asserts on its own. A test that needs other options, a restart or a fault
 * opens a world of its own.
 */
export function worldOfSuite(options: Omit<SimulatedWorldOptions, 'database'> = {}): () => SimulatedWorld {
  let world: SimulatedWorld | undefined;
  const opened = (): SimulatedWorld => {
    if (world === undefined) throw new Error('the world of a suite opens before its first test');
    return world;
  };
  before(async () => {
    world = await openSimulatedWorld(options);
  });
  afterEach(async (test) => {
    // A failed test reports its own error, not what it leaves behind.
    if ('passed' in test && test.passed) await opened().assertNothingLeft();
  });
  after(() => opened().close());
  return opened;
}
