/** What `packages/testing` builds its own worlds on, without the parts that only tests of the platform need. */

export type { CustomerAnswer, CustomerRequest } from './simulated-customer.ts';
export type { CapturedSound } from './simulated-recognition.ts';
export { openSimulatedWorld, type SimulatedWorld } from './simulated-world.ts';
