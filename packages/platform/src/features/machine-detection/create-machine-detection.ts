import type { Feature } from '../../feature.ts';
import type { MachineDetections } from './public-api.ts';
import { defineSessions, type SessionDeps } from './sessions.ts';

export interface MachineDetectionFeature extends Feature, MachineDetections {}

/** Detects whether a person or an answering machine has answered a leg whose owner asks for it. */
export function createMachineDetection(deps: SessionDeps): MachineDetectionFeature {
  const { listen } = defineSessions(deps);
  return { name: 'machine-detection', listen };
}
