export { createMachineDetection } from './create-machine-detection.ts';
export { type DetectionReason, newDetection } from './domain/detection.ts';
export { detectionMachine } from './domain/detection-machine.ts';
export { readMachineDetection } from './parameters.ts';
export type { MachineDetections } from './public-api.ts';
