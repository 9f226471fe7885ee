export { createNumbers } from './create-numbers.ts';
export { attachedNumbers, type NumberDestinations } from './routing/destinations.ts';
