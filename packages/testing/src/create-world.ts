import type { Program, World } from './api.ts';
import { createFaults, type Faults } from './faults.ts';
import { createProgramRunner } from './program.ts';
import { openVirtualGround } from './virtual-ground.ts';
import { TestWorld } from './world.ts';

export interface WorldOptions {
  /** The program under test: a function, or the URL of a server that runs. */
  readonly program?: Program | string;
  /** Repeats a run: identifiers, and which packets are lost, derive from it. */
  readonly seed?: number;
}

/** A whole platform in this process, on a virtual clock: hours pass in seconds. */
export async function createWorld(options: WorldOptions = {}): Promise<World> {
  const { program: given, seed = 1 } = options;
  const program = createProgramRunner(given);
  const programUrl = typeof given === 'string' ? given : undefined;
  let faults: Faults | undefined;
  const ground = await openVirtualGround({ seed, program, programUrl, faults: () => faults! });
  const { clock, unavailable } = ground;
  faults = createFaults({ clock, unavailable, losePackets: (rate) => ground.losePackets(rate) });
  return new TestWorld({ ground, faults, program });
}
