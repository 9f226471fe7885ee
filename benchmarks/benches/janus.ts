import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import { startPart } from '../part.ts';
import type { JanusStart } from '../parts/janus.ts';
import type { Bench } from '../report.ts';
import {
  besideFigures,
  compareRooms,
  type MixingServer,
  ourDelay,
  servers,
  theirDelay,
} from './compared-rooms.ts';

const name = 'Janus AudioBridge';

/** Compares rooms of three plain RTP participants in G.711 with those of the AudioBridge of Debian's Janus. */
export const janus: Bench = {
  name: 'janus',
  async run({ profile, scale }) {
    if (spawnSync('janus', ['--version']).error !== undefined) throw new Error('janus is not installed');
    const compared = await compareRooms(theJanus, profile, scale);
    return {
      figures: [
        ...besideFigures(compared, { name, times: 2.5 }),
        theirDelay(compared, 'Janus', ', with its own prebuffering'),
        ...ourDelay(compared),
      ],
      details: { ...compared },
    };
  },
};

const theJanus: MixingServer = {
  sizes: [90, 180, 240, 270, 300, 330, 360, 390, 420, 480],
  async open(rooms) {
    const tested = startPart('janus');
    const stop = () => tested.stop();
    try {
      // It pins itself: its process is no part.
      await tested.ask('start', (cpus().length > 1 ? { core: servers } : {}) satisfies JanusStart);
      return { tested, ports: await tested.ask<readonly number[]>('open', rooms), stop };
    } catch (error) {
      await stop();
      throw error;
    }
  },
};
