import assert from 'node:assert/strict';
import type { SimulatedPlatform, SimulatedWorld } from '@jackfield/testkit';

/** The nodes of a world and their faults. */
export function cluster(world: SimulatedWorld) {
  return world.cluster ?? assert.fail('several nodes');
}

export function nodeAt(world: SimulatedWorld, number: number): SimulatedPlatform {
  return cluster(world).nodes[number] ?? assert.fail(`node ${number}`);
}

/** The node with the most legs, the home of the only multiparty call; or the only node. */
export function homeOf(world: SimulatedWorld): SimulatedPlatform {
  const { nodes } = world.cluster ?? { nodes: [world.node] };
  return nodes.toSorted((one, other) => legsOf(other) - legsOf(one))[0]!;
}

/** How many legs of calls live at it. */
export function legsOf({ platform }: SimulatedPlatform): number {
  return platform.runner.alive('call-leg');
}
