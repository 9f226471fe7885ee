import assert from 'node:assert/strict';
import type { SimulatedPlatform, SimulatedWorld } from '@jackfield/testkit';

/** The nodes of a world and their faults. */
export function cluster(world: SimulatedWorld) {
  return world.cluster ?? assert.fail('several nodes');
}

export function nodeAt(world: SimulatedWorld, number: number): SimulatedPlatform {
  return cluster(world).nodes[number] ?? assert.fail(`node ${number}`);
}

/** How many legs of calls live at it. */
export function legsOf({ platform }: SimulatedPlatform): number {
  return platform.runner.census()['call-leg']?.sessions ?? 0;
}
