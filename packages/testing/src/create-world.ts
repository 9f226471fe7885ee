import type { Program, World } from './api.ts';
import { createFaults, type Faults } from './faults.ts';
import type { Ground } from './ground.ts';
import { checkOptions } from './options.ts';
import { createProgramRunner } from './program.ts';
import { type ServerOptions, serverOf } from './server-options.ts';
import { TestingError } from './testing-error.ts';
import { TestWorld } from './world.ts';

export interface WorldOptions {
  /** The program under test: a function, or the URL of a server that runs. */
  readonly program?: Program | string;
  /** Repeats a run: identifiers, and which packets are lost, derive from it. Of a world of its own. */
  readonly seed?: number;
  /** A server that runs, in place of a platform in this process; the one of JACKFIELD_TEST_SERVER when absent. */
  readonly server?: ServerOptions;
}

/** A whole platform in this process, on a virtual clock: hours pass in seconds. Or a server that runs, in its own time. */
export async function createWorld(options: WorldOptions = {}): Promise<World> {
  checkOptions(options, ['program', 'seed', 'server'], 'a world');
  const { program: given, seed = 1 } = options;
  checkProgram(given);
  if (!Number.isSafeInteger(seed))
    throw new TestingError('bad-option', `seed is ${JSON.stringify(seed)}: use a whole number.`);
  const program = createProgramRunner(given);
  const programUrl = typeof given === 'string' ? given : undefined;
  const server = serverOf(options.server);
  let faults: Faults | undefined;
  const common = { program, programUrl, faults: () => faults! };
  const ground = await openGround();
  faults = createFaults({ clock: ground.clock, losePackets: (rate) => ground.losePackets(rate) });
  return new TestWorld({ ground, faults, program });

  /** Each loads what the other does not need: a whole platform here, sockets there. */
  async function openGround(): Promise<Ground> {
    if (server === undefined) {
      const { openVirtualGround } = await import('./virtual-ground.ts');
      return openVirtualGround({ ...common, seed });
    }
    const { openServerGround } = await import('./server-ground.ts');
    return openServerGround({ ...common, server });
  }
}

function checkProgram(program: unknown): void {
  if (program === undefined || typeof program === 'function') return;
  const url = typeof program === 'string' && URL.canParse(program) ? new URL(program) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol)) return;
  throw new TestingError(
    'bad-option',
    `program is ${JSON.stringify(program)}: use the URL of your program, such as "http://127.0.0.1:3000", or a function.`,
  );
}
