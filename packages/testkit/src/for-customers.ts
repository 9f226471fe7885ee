/** What `packages/testing` builds on: the world and its phones, without the parts that only tests of the platform need. */

export type { PhoneCall } from './phone-call.ts';
export { seededRandom } from './seeded-random.ts';
export type { CustomerAnswer, CustomerRequest } from './simulated-customer.ts';
export type { DatagramNetwork, Impairment, NetworkAddress, Receive } from './simulated-network.ts';
export { type PhoneBehaviour, SimulatedPhone } from './simulated-phone.ts';
export type { ApiAnswer } from './simulated-platform.ts';
export { openSimulatedWorld, type SimulatedWorld } from './simulated-world.ts';
export { frameSamples, toneMeter } from './tone-meter.ts';
