export { createSandboxFaults, type FaultyNetwork } from './create-sandbox-faults.ts';
export { type CurrentFaults, createCurrentFaults } from './switches/current-faults.ts';
export { withReceiverDown } from './switches/unreached-receivers.ts';
